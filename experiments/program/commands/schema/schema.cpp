#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/commands/command.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/support/parsed_json.hpp"

extern "C" {
extern const char berth_documents_schema[];
extern const char berth_documents_schema_end[];
}

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

/// The schema of berth's own documents, with the keys of the schedulers.
Json documents_schema() {
    Json schema = parsed_json({berth_documents_schema, berth_documents_schema_end});
    Json& definitions = schema["$defs"];
    for (const SchedulerDocuments& scheduler : scheduler_documents()) {
        const std::string key(scheduler.key);
        definitions.update(parsed_json(scheduler.schema));
        definitions["scheduler"]["properties"][key] = {{"$ref", "#/$defs/" + key}};
    }
    return schema;
}

}  // namespace

int run_schema(const std::vector<std::string>& arguments) {
    const po::options_description options("options");
    if (parse_arguments("schema", arguments, options, "", 0)) {
        constexpr int indent = 1;
        std::cout << dumped(documents_schema(), indent) << '\n';
    }
    return 0;
}

}  // namespace berth::experiments
