#include <fmt/format.h>

#include <cmath>

#include "workloads/trace/random_index.hpp"
#include "workloads/trace/trace_changes.hpp"

namespace berth::workloads {

void inflate_jobs(std::vector<JobCopy>& jobs, double ratio, sim::RandomBits& bits) {
    const std::size_t originals = jobs.size();
    const auto wanted = static_cast<std::size_t>(std::ceil(static_cast<double>(originals) * ratio));
    for (std::size_t clones = 0; jobs.size() < wanted; ++clones) {
        JobCopy clone = jobs[random_index(originals, bits)];
        clone.added += fmt::format("-inflated-{}", clones);
        jobs.push_back(std::move(clone));
    }
}

}  // namespace berth::workloads
