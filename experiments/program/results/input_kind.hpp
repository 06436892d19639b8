#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::report {

/// The role of an experiment's value for its jobs.
enum class InputKind : std::uint8_t {
    policy,   ///< Choices: the scheduler, quotas, and what schedulers are told about jobs.
    work,     ///< What arrives, and the period that is measured.
    cluster,  ///< The machines, and their failures.
};

inline constexpr std::array work_paths{std::string_view("spec.workload"),
                                       std::string_view("spec.types"),
                                       std::string_view("spec.until"),
                                       std::string_view("spec.record.from"),
                                       std::string_view("spec.record.to"),
                                       std::string_view("spec.record.warmUp")};
inline constexpr std::array cluster_paths{std::string_view("spec.topology"),
                                          std::string_view("spec.devices"),
                                          std::string_view("spec.failures"),
                                          std::string_view("spec.drains")};

/// What schedulers are told about the same work is a policy: its estimate and its priority. So is
/// the way in which a job saves its work.
[[nodiscard]] constexpr bool is_policy_key(std::string_view key) {
    return key == "estimate" || key == "priority" || key == "checkpoint";
}

/// The kind of a path as `--set` takes it: `spec.workload[0].generate.arrivals.mean` is work.
[[nodiscard]] constexpr InputKind kind_of_input(std::string_view path) {
    const auto leads_into = [&](std::string_view part) {
        return path.starts_with(part) &&
               (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
    };
    if (std::ranges::any_of(work_paths, leads_into)) {
        while (!path.empty()) {
            const std::size_t end = std::min(path.find('.'), path.size());
            if (is_policy_key(path.substr(0, std::min(path.find('['), end)))) {
                return InputKind::policy;
            }
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return InputKind::work;
    }
    return std::ranges::any_of(cluster_paths, leads_into) ? InputKind::cluster : InputKind::policy;
}

}  // namespace berth::report
