#include "experiments/program/config/resolve/listed_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {

using Path = std::filesystem::path;

core::Value document_of(const std::string& name, const std::string& text) {
    auto source = std::make_shared<core::SourceText>();
    source->name = name;
    source->text = text;
    return parse_documents(source).at(0);
}

namespace {

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter == '\'' ? std::string("''") : std::string(1, letter);
    }
    return out + "'";
}

/// The lines of an experiment of this name before its parts.
std::string head_of(const Path& state) {
    return fmt::format("kind: Experiment\nmetadata: {{name: {}}}\nspec:\n",
                       quoted(state.stem().string()));
}

}  // namespace

std::string quoted_name(const Path& file) {
    return quoted(absolute(file).string());
}

std::string kind_of(const std::vector<core::Value>& documents) {
    return documents.empty() ? "" : text_below(documents.front(), {"kind"});
}

bool is_list_of_objects(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kinds{"List", "Pod", "PodList", "Node", "NodeList"};
    return std::ranges::find(kinds, kind) != kinds.end();
}

core::Value experiment_of_list(const Path& list, const std::string& scheduler, bool lenient) {
    return document_of(
        std::string(written_by_berth) + list.string(),
        head_of(list) +
            fmt::format("  topology: {{nodes: {{format: kubernetes, file: {0}}}}}\n"
                        "  workload: [{{running: {{file: {0}, pending: true, lenient: {1}}}}}]\n"
                        "{2}",
                        quoted_name(list),
                        lenient,
                        scheduler.empty() ? "" : fmt::format("  scheduler: {}\n", scheduler)));
}

core::Value experiment_of_slurm(const Path& jobs, const Path& nodes, bool lenient) {
    return document_of(
        std::string(written_by_berth) + jobs.string(),
        head_of(jobs) +
            fmt::format("  topology: {{nodes: {{format: slurm, file: {}}}}}\n"
                        "  workload: [{{running: {{format: slurm, file: {}, pending: true, "
                        "lifetime: 1h, lenient: {}}}}}]\n"
                        "  scheduler: {{profile: {{queueSort: easy-backfill}}}}\n",
                        quoted_name(nodes),
                        quoted_name(jobs),
                        lenient));
}

}  // namespace berth::experiments
