#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/foreign_kind.hpp"
#include "experiments/program/config/resolve/position_of_kind.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {

WorkloadParts read_workload_parts(const core::Value& document, core::Diagnostics& diagnostics) {
    WorkloadParts out;
    core::MapReader top(document, "a Workload", diagnostics);
    (void)read_header(top, "berth/v1", "workload");
    const core::Value* spec_value = top.need("spec");
    top.report_unknown_keys();
    if (spec_value != nullptr) {
        core::MapReader spec(*spec_value, "a Workload's spec", diagnostics);
        out.seed = static_cast<std::uint64_t>(spec.integer("seed", 1, 0, INT64_MAX));
        out.types = spec.take("types");
        out.sources = spec.need("sources");
        spec.report_unknown_keys();
    }
    return out;
}

void check_is_alone(const core::Value& map) {
    for (const core::Member& member : map.members) {
        if (member.key != "file" && member.value.kind != core::Value::Kind::null) {
            throw core::InputError(
                member.key_span,
                fmt::format("unknown key '{}' in a map that a file replaces: expected file",
                            member.key));
        }
    }
}

core::Value document_of_kind(const std::shared_ptr<const core::SourceText>& source,
                             const std::vector<std::string>& kinds) {
    std::vector<core::Value> documents;
    try {
        documents = parse_documents(source);
    } catch (const core::InputError&) {
        refuse_trace(*source, kinds);
        throw;
    }
    return one_of_kind(documents, source, kinds, [&](std::size_t position) {
        return std::move(documents[position]);
    });
}

}  // namespace berth::experiments
