#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/defrag/defrag.hpp"
#include "experiments/program/defrag/page.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::optional<std::int64_t> integer_option(const po::variables_map& values,
                                           const std::string& name,
                                           std::int64_t least,
                                           std::int64_t most) {
    if (values.count(name) == 0) {
        return std::nullopt;
    }
    core::Diagnostics diagnostics;
    const auto number = core::read_integer(
        option_value("--" + name, values[name].as<std::string>()), diagnostics, least, most);
    diagnostics.throw_if_failed();
    return number;
}

std::string text_option(const po::variables_map& values, const std::string& name) {
    return values.count(name) > 0 ? values[name].as<std::string>() : "";
}

DefragQuestion question_of(const po::variables_map& values) {
    constexpr std::int64_t most = INT32_MAX;
    DefragQuestion question;
    question.job = text_option(values, "job");
    question.whole = integer_option(values, "whole", 1, most);
    question.level = values.count("of") > 0 ? text_option(values, "of") : "server";
    question.budget = integer_option(values, "budget", 1, most);
    question.gpus = integer_option(values, "gpus", 1, most);
    question.replication =
        static_cast<std::uint32_t>(integer_option(values, "replication", 0, most).value_or(0));
    constexpr std::int64_t states_most = 10'000'000;  // each takes some hundred bytes
    if (const auto states = integer_option(values, "states", 0, states_most)) {
        question.states_max = static_cast<std::uint64_t>(*states);
    }
    core::Diagnostics diagnostics;
    if (values.count("at") > 0) {
        question.at = read_duration(option_value("--at", text_option(values, "at")), diagnostics)
                          .value_or(sim::SimTime(0));
    }
    diagnostics.throw_if_failed();
    const bool asks = !question.job.empty() || question.whole || question.budget;
    if (!asks || (question.whole && (!question.job.empty() || question.budget)) ||
        (question.gpus && (!question.budget || !question.job.empty()))) {
        throw core::InputError(
            "berth defrag: error: no question: expected --job FILE, --whole K [--of LEVEL], or "
            "--budget MOVES [--gpus N | --job FILE]" +
            as_in_example("defrag"));
    }
    if (values.count("of") > 0 && !question.whole) {
        throw core::InputError(
            "berth defrag: error: --of without --whole: expected --whole K, how many nodes of the "
            "level become free");
    }
    return question;
}

}  // namespace

int run_defrag(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    add("job", text("FILE"), "make room for the pods of a file, or for a waiting job of this name");
    add("whole", text("K"), "free K domains: none of their GPUs is in use");
    add("of", text("LEVEL"), "the level of these domains (default server)");
    add("budget", text("MOVES"), "make room for as many pods as possible by at most so many moves");
    add("gpus", text("N"), "with --budget: pods of N GPUs (default: those of a whole server)");
    add("at", text("DURATION"), "the time in the run (default 0s, before anything is scheduled)");
    add("replication", text("N"), "which replication of the run (default 0)");
    add("states",
        text("N"),
        "how many states the search for the best plan looks at (default 100000; 0: none)");
    add("seed", text("N"), "replace spec.seed");
    add("set",
        po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
        "replace a value of the experiment");
    add("output,o",
        text("FILE"),
        "write a page (.html), the picture alone (.svg), or the answer (.json)");
    add("lenient", "of a list: leave out pods that cannot be placed, and count them");
    add("json", "for programs: docs/reference/defrag.md");
    const auto values = parse_arguments("defrag", arguments, options, "STATE", 1);
    if (!values) {
        return exit_done;
    }
    const std::string named = needed_arguments(*values, "defrag", "STATE")[0];
    DefragQuestion question = question_of(*values);
    std::optional<std::string> file;
    if (!question.job.empty() && core::exists(question.job)) {
        file = std::exchange(question.job, "");
    }
    const std::string output = text_option(*values, "output");
    if (values->count("output") > 0) {
        check_output(output, {{".html", "a page"}, {".svg", "a picture"}, {".json", "the answer"}});
    }
    const AskedState state =
        read_state(named, file, overrides_of(*values), values->count("lenient") > 0);
    for (const std::string& warning : state.warnings) {
        std::cerr << warning << "\n";
    }
    if (state.is_run && values->count("at") == 0) {
        throw core::InputError(
            fmt::format("{}: error: a run has many states: expected --at DURATION", named));
    }
    const auto answer = answer_defrag(state, question, interruptible_control());
    if (!answer) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", named);
        return exit_interrupted;
    }
    const std::string json = dumped(defrag_json(*answer), 2) + "\n";
    if (!output.empty()) {
        write_file(output,
                   output.ends_with(".html")  ? defrag_page(*answer)
                   : output.ends_with(".svg") ? defrag_picture(*answer)
                                              : json);
    }
    std::cout << (values->count("json") > 0 ? json : defrag_text(*answer));
    return exit_done;
}

}  // namespace berth::experiments
