#include "experiments/program/compare/differing_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/results/input_kind.hpp"
#include "experiments/program/results/read_summary.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
using core::Value;

std::optional<Value> experiment_of(const fs::path& run) {
    const fs::path file = run / "experiment.yaml";
    if (!core::exists(file)) {
        return std::nullopt;
    }
    std::vector<Value> documents = parse_documents(read_source(file));
    return documents.empty() ? std::nullopt : std::optional(std::move(documents.front()));
}

/// The value at a path in a document; nullptr if it is missing or null.
const Value* at_path(const Value& document, std::string_view path) {
    const Value* at = &document;
    while (at != nullptr && !path.empty()) {
        const std::size_t end = std::min(path.find('.'), path.size());
        at = at->is_map() ? at->find(path.substr(0, end)) : nullptr;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return at == nullptr || at->kind == Value::Kind::null ? nullptr : at;
}

std::string shown(const Value* value) {
    constexpr std::size_t shown_max = 40;
    if (value == nullptr) {
        return "not there";
    }
    if (value->is_list()) {
        return fmt::format("a list of {}", value->items.size());
    }
    if (value->is_map()) {
        return fmt::format("a map of {}", value->members.size());
    }
    return value->text.size() > shown_max ? value->text.substr(0, shown_max) + "..." : value->text;
}

/// Whether two files that are recorded with their digests are the same, possibly at different
/// paths.
bool same_kept_file(const Value& a, const Value& b) {
    const Value* one = a.find("sha256");
    const Value* other = b.find("sha256");
    return one != nullptr && other != nullptr && one->text == other->text;
}

void compare_values(const Value* a,
                    const Value* b,
                    const std::string& path,
                    std::vector<std::string>& out);

void compare_maps(const Value& a,
                  const Value& b,
                  const std::string& path,
                  std::vector<std::string>& out) {
    const bool same_file = same_kept_file(a, b);
    for (const core::Member& member : a.members) {
        if (!(same_file && member.key == "file") && !report::is_policy_key(member.key)) {
            compare_values(&member.value, b.find(member.key), path + "." + member.key, out);
        }
    }
    for (const core::Member& member : b.members) {
        if (a.find(member.key) == nullptr && !report::is_policy_key(member.key)) {
            compare_values(nullptr, &member.value, path + "." + member.key, out);
        }
    }
}

void compare_values(const Value* a,
                    const Value* b,
                    const std::string& path,
                    std::vector<std::string>& out) {
    if (a == nullptr && b == nullptr) {
        return;
    }
    if (a != nullptr && b != nullptr && a->is_map() && b->is_map()) {
        compare_maps(*a, *b, path, out);
        return;
    }
    if (a != nullptr && b != nullptr && a->is_list() && b->is_list() &&
        a->items.size() == b->items.size()) {
        for (std::size_t i = 0; i < a->items.size(); ++i) {
            compare_values(&a->items[i], &b->items[i], fmt::format("{}[{}]", path, i), out);
        }
        return;
    }
    const bool equal = a != nullptr && b != nullptr && a->kind == b->kind && a->text == b->text &&
                       !a->is_list() && !a->is_map();
    if (!equal) {
        out.push_back(
            fmt::format("{} is {} in the baseline and {} in this run", path, shown(a), shown(b)));
    }
}

std::string differing_programs(const fs::path& baseline, const fs::path& run) {
    if (!core::exists(baseline / "manifest.json") || !core::exists(run / "manifest.json")) {
        return "";
    }
    const std::string first = read_manifest(baseline).program;
    const std::string second = read_manifest(run).program;
    return first == second
               ? ""
               : fmt::format(
                     "different builds of berth made them, {} the baseline and {} this "
                     "run, so a difference may come from the program: run both with one",
                     first,
                     second);
}

std::string some(const std::vector<std::string>& lines) {
    constexpr std::size_t shown_max = 3;
    const std::vector<std::string> first(
        lines.begin(),
        lines.begin() + static_cast<std::ptrdiff_t>(std::min(shown_max, lines.size())));
    return fmt::format(
        "{}{}",
        core::join(first, "; "),
        lines.size() > shown_max ? fmt::format("; and {} more", lines.size() - shown_max) : "");
}

/// The doubts about means, such as `doubtful means in both runs: warm-up, drain`, and where to read
/// more; empty if there are none.
std::string doubts_about(const fs::path& baseline, const fs::path& run) {
    const std::string one = report::kinds_of_warnings(baseline);
    const std::string other = report::kinds_of_warnings(run);
    std::string out;
    if (!one.empty() && one == other) {
        out = "doubtful means in both runs: " + one;
    } else if (!one.empty()) {
        out = "doubtful means in the baseline: " + one;
    }
    if (!other.empty() && one != other) {
        out += fmt::format("{}doubtful means in this run: {}", out.empty() ? "" : "; ", other);
    }
    return out.empty() ? out : out + " (warnings in summary.json)";
}

}  // namespace

DifferingInputs differing_inputs(const fs::path& baseline, const fs::path& run) {
    const auto a = experiment_of(baseline);
    const auto b = experiment_of(run);
    DifferingInputs out;
    out.programs = differing_programs(baseline, run);
    out.doubts = doubts_about(baseline, run);
    if (!a || !b) {
        return out;
    }
    for (const std::string_view path : report::work_paths) {
        compare_values(at_path(*a, path), at_path(*b, path), std::string(path), out.work);
    }
    for (const std::string_view path : report::cluster_paths) {
        compare_values(at_path(*a, path), at_path(*b, path), std::string(path), out.cluster);
    }
    return out;
}

std::string warning_of(const DifferingInputs& inputs) {
    std::vector<std::string> parts;
    if (!inputs.work.empty()) {
        parts.push_back(fmt::format(
            "the runs were not given the same work or the same time, so a difference need not come "
            "from the policy, and none is called better: {}",
            some(inputs.work)));
    } else if (!inputs.cluster.empty()) {
        // The time at which a failure is detected changes neither the failures nor the cluster.
        const bool detection_alone = std::ranges::all_of(
            inputs.cluster,
            [](const std::string& line) { return line.starts_with("spec.failures.detection "); });
        parts.push_back(fmt::format(
            "{}: {}",
            detection_alone ? "failures are detected sooner or later" : "the clusters differ",
            some(inputs.cluster)));
    }
    if (!inputs.programs.empty()) {
        parts.push_back(inputs.programs);
    }
    if (!inputs.doubts.empty()) {
        parts.push_back(inputs.doubts);
    }
    return core::join(parts, "; and ");
}

}  // namespace berth::experiments
