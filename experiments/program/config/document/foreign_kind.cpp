#include "experiments/program/config/document/foreign_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <variant>

#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/support/documents.hpp"
#include "workloads/trace/guess_format.hpp"

namespace berth::experiments {
namespace {

/// The API groups whose objects are read; the core group, `v1`, has an empty name.
constexpr std::array<std::string_view, 6> groups_read{
    "", "apps", "batch", "berth", "scheduling.koordinator.sh", "scheduling.sigs.k8s.io"};

std::string group_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string::npos ? "" : api_version.substr(0, slash);
}

/// Whether a command that wants these kinds also reads traces.
bool takes_traces(const std::vector<std::string>& kinds) {
    return kinds.empty() || std::ranges::find(kinds, "Workload") != kinds.end();
}

/// What a user with a trace can do, as the end of a message.
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

/// What is expected in place of a file that is no trace.
std::string expected_for(const workloads::NoTrace& none, const std::vector<std::string>& kinds) {
    if (takes_traces(kinds)) {
        return none.expected;
    }
    return fmt::format("kind: {}{}{}",
                       core::alternatives(kinds),
                       none.certain ? ", or " : "; berth workload FILE takes ",
                       none.expected);
}

/// Whether a trace of this format is documents, of the objects of a scheduler.
bool is_of_documents(std::string_view format) {
    return std::ranges::find(scheduler_documents(), format, &SchedulerDocuments::trace_format) !=
           scheduler_documents().end();
}

}  // namespace

std::optional<ForeignDocument> foreign_document(const core::Value& document) {
    if (document.is_list()) {
        return ForeignDocument{document.span,
                               "found a list: expected a document, a map with kind and spec"};
    }
    if (!document.is_map()) {
        return ForeignDocument{
            document.span,
            "found a text or a table: expected a document, a map with kind and spec; a table of "
            "jobs is a workload's trace: {format: csv, file: ...}, and berth workload FILE "
            "--from csv shows it"};
    }
    const core::Value* version = document.find("apiVersion");
    const core::Value* kind = document.find("kind");
    const std::string group =
        version != nullptr && version->is_scalar() ? group_of(version->text) : "";
    const bool any_group = kind != nullptr && kind->text == "TopologyTree";
    if (any_group || std::ranges::find(groups_read, group) != groups_read.end()) {
        return std::nullopt;
    }
    return ForeignDocument{
        version->span,
        fmt::format("{} of {} is not supported yet: expected a kind of berth, Kubernetes or "
                    "Koordinator that docs/reference names",
                    kind != nullptr && kind->is_scalar() ? kind->text : "a document",
                    group)};
}

void refuse_trace(const core::SourceText& source, const std::vector<std::string>& kinds) {
    const workloads::FileGuess guess = workloads::guess_trace(source.text);
    if (const auto* trace = std::get_if<workloads::TraceGuess>(&guess)) {
        if (is_of_documents(trace->format) && !source.text.starts_with('{')) {
            // If these are no documents, what is wrong with them helps more.
            (void)parse_documents(std::make_shared<core::SourceText>(source));
        }
        throw core::InputError(
            fmt::format("{}: error: looks like a trace of the format {}, since {}, and is no "
                        "document: expected {}",
                        source.name,
                        trace->format,
                        trace->why,
                        what_to_do(source.name, trace->format, kinds)));
    }
    if (const auto* none = std::get_if<workloads::NoTrace>(&guess)) {
        const std::string what = source.may_be_shown ? none->what : none->kind();
        throw core::InputError(fmt::format(
            "{}: error: is {}: expected {}", source.name, what, expected_for(*none, kinds)));
    }
}

}  // namespace berth::experiments
