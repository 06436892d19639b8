#include "experiments/program/config/document/refuse_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/support/value.hpp"
#include "workloads/trace/guess_format.hpp"

namespace berth::experiments {
namespace {

/// Whether the command that wants these kinds reads traces as well.
bool takes_traces(const std::vector<std::string>& kinds) {
    return kinds.empty() || std::ranges::find(kinds, "Workload") != kinds.end();
}

/// How somebody who has a trace goes on, as the end of a message.
std::string what_to_do(const std::string& file,
                       std::string_view format,
                       const std::vector<std::string>& kinds) {
    if (takes_traces(kinds)) {
        return fmt::format("--from {}, which reads the trace", format);
    }
    const bool for_run = kinds == std::vector<std::string>{"Experiment"};
    return fmt::format(
        "kind: {}{}; berth workload {} shows the trace",
        core::alternatives(kinds),
        for_run
            ? fmt::format(", with workload: [{{trace: {{format: {}, file: {}}}}}]", format, file)
            : "",
        file);
}

/// What is expected in the place of a file that is no trace.
std::string expected_for(const workloads::NoTrace& none, const std::vector<std::string>& kinds) {
    if (takes_traces(kinds)) {
        return none.expected;
    }
    return fmt::format("kind: {}{}{}",
                       core::alternatives(kinds),
                       none.certain ? ", or " : "; berth workload FILE takes ",
                       none.expected);
}

}  // namespace

void refuse_trace(const core::SourceText& source, const std::vector<std::string>& kinds) {
    const workloads::FileGuess guess = workloads::guess_trace(source.text);
    if (const auto* trace = std::get_if<workloads::TraceGuess>(&guess)) {
        throw core::InputError(
            fmt::format("{}: error: looks like a trace of the format {}, since {}, and is no "
                        "document: expected {}",
                        source.name,
                        trace->format,
                        trace->why,
                        what_to_do(source.name, trace->format, kinds)));
    }
    if (const auto* none = std::get_if<workloads::NoTrace>(&guess)) {
        throw core::InputError(fmt::format(
            "{}: error: is {}: expected {}", source.name, none->what, expected_for(*none, kinds)));
    }
}

}  // namespace berth::experiments
