#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <utility>

#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/why/ask.hpp"
#include "experiments/program/why/text.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::optional<std::uint32_t> replication_of(const po::variables_map& values) {
    if (values.count("replication") == 0) {
        return std::nullopt;
    }
    core::Diagnostics diagnostics;
    const auto number =
        core::read_integer(option_value("--replication", values["replication"].as<std::string>()),
                           diagnostics,
                           0,
                           UINT32_MAX - 1);
    diagnostics.throw_if_failed();
    return static_cast<std::uint32_t>(*number);
}

}  // namespace

int run_why(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("replication",
        po::value<std::string>()->value_name("N"),
        "which replication (default: the first in which there is such a pod)");
    add("json", "for programs: docs/reference/why.md");
    const auto values = parse_arguments("why", arguments, options, "RUN POD", 2);
    if (!values) {
        return exit_done;
    }
    const auto named = needed_arguments(*values, "why", "RUN POD");
    const std::filesystem::path directory = find_run(named[0]).directory;
    const auto replication = replication_of(*values);
    AskedRun run = read_asked_run(directory);
    for (const std::string& warning : run.warnings) {
        std::cerr << warning << "\n";
    }
    const std::string name = run.spec.name;
    const auto answer =
        ask_why(directory, std::move(run), named[1], replication, interruptible_control());
    if (!answer) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", name);
        return exit_interrupted;
    }
    const std::string& found = answer->story.which.name;
    if (found != named[1] && found.find(named[1]) != std::string::npos) {
        std::cerr << fmt::format(
            "{}: '{}' is {}, the only {}\n",
            directory.string(),
            named[1],
            found,
            found.ends_with("/" + named[1]) ? "one of that name" : "name with that in it");
    }
    if (values->count("json") > 0) {
        std::cout << dumped(why_json(*answer), 2) << "\n";
        return exit_done;
    }
    if (!answer->differs.empty()) {
        std::cerr << fmt::format("{}: warning: {}\n", directory.string(), answer->differs);
    }
    std::cout << story_text(answer->spec, answer->story);
    return exit_done;
}

}  // namespace berth::experiments
