#include "experiments/program/run/rejected_warning.hpp"

#include <fmt/format.h>

namespace berth::experiments {

std::optional<std::string> rejected_by_kueue_warning(const ExperimentSpec& spec,
                                                     std::span<const RejectedJobs> jobs) {
    std::uint64_t count = 0;
    const RejectedJobs* first = nullptr;
    for (const RejectedJobs& of_one : jobs) {
        first = first == nullptr && of_one.count > 0 ? &of_one : first;
        count += of_one.count;
    }
    if (first == nullptr || !spec.settings.kueue) {
        return std::nullopt;
    }
    const bool names_no_queue = first->first.ends_with("doesn't exist.");
    return fmt::format(
        "rejected: Kueue cannot take {} {}; jobs.csv says why of each, of the first: {}{}",
        count,
        count == 1 ? "job" : "jobs",
        first->first,
        names_no_queue ? " Name in quota a LocalQueue of the job's namespace, or a "
                         "ClusterQueue where no LocalQueue is among the objects"
                       : "");
}

}  // namespace berth::experiments
