#include "workloads/trace/trace_changes.hpp"

namespace berth::workloads {

std::vector<JobCopy> copies_of(const std::vector<TraceJob>& jobs) {
    std::vector<JobCopy> copies;
    copies.reserve(jobs.size());
    for (const TraceJob& job : jobs) {
        copies.push_back({&job, job.submit, {}});
    }
    return copies;
}

}  // namespace berth::workloads
