#include "experiments/program/config/resolve/file_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/profile/read_outside.hpp"

namespace berth::experiments {
namespace {

constexpr std::array<std::string_view, 17> file_keys{
    "spec.topology.file",
    "spec.topology.nodes.file",
    "spec.workload.file",
    "spec.workload.background.file",
    "spec.workload.groups.file",
    "spec.workload.pods.file",
    "spec.workload.pods.training.speeds.file",
    "spec.workload.running.file",
    "spec.workload.trace.file",
    "spec.workload.trace.speeds.file",
    "spec.quotas.file",
    "spec.quotaChanges.create.file",
    "spec.quotaChanges.update.file",
    "spec.devices.file",
    "spec.failures.file",
    "spec.scheduler.typicalPods.file",
    "spec.scheduler.typicalPods.speeds.file",
};

/// The path without entries of lists.
std::string keys_of(const std::string& path) {
    std::string keys;
    bool in_brackets = false;
    for (const char c : path) {
        in_brackets = in_brackets ? c != ']' : c == '[';
        if (!in_brackets && c != ']') {
            keys += c;
        }
    }
    return keys;
}

}  // namespace

bool names_file(const std::string& path) {
    const std::string keys = keys_of(path);
    const auto is_of = [&](const OutsideKind& kind) {
        return kind.names_file && keys == fmt::format("spec.scheduler.{}", kind.key);
    };
    const auto holds_objects = [&](const SchedulerDocuments& one) {
        const std::string key = fmt::format("spec.scheduler.{}", one.key);
        const auto is_text = [&](std::string_view file) {
            return keys == fmt::format("{}.{}", key, file);
        };
        return (keys == key && !one.file_key.empty()) ||
               std::ranges::any_of(one.text_files, is_text) ||
               keys == fmt::format("{}.{}", key, one.file_key) || keys == key + ".changes.file" ||
               (!one.cluster_key.empty() && keys == fmt::format("{}.{}", key, one.cluster_key));
    };
    return std::ranges::find(file_keys, keys) != file_keys.end() ||
           std::ranges::any_of(scheduler_documents(), holds_objects) ||
           std::ranges::any_of(outside_kinds(), is_of);
}

}  // namespace berth::experiments
