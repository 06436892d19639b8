#include <fmt/format.h>

#include "core/support/assert.hpp"
#include "workloads/trace/random_index.hpp"
#include "workloads/trace/trace_changes.hpp"

namespace berth::workloads {

std::vector<JobCopy> bootstrap_jobs(const std::vector<JobCopy>& jobs,
                                    std::uint64_t count,
                                    sim::RandomBits& bits) {
    BERTH_ASSERT(!jobs.empty(), "there is something to draw");
    std::vector<JobCopy> drawn;
    sim::SimTime now = *jobs.front().submit;
    for (std::uint64_t n = 0; n < count; ++n) {
        if (n > 0 && jobs.size() > 1) {
            const std::size_t gap = random_index(jobs.size() - 1, bits);
            now += *jobs[gap + 1].submit - *jobs[gap].submit;
        }
        JobCopy job = jobs[random_index(jobs.size(), bits)];
        job.added += fmt::format("-drawn-{}", n);
        job.submit = now;
        drawn.push_back(std::move(job));
    }
    return drawn;
}

}  // namespace berth::workloads
