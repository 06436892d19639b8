#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/support/assert.hpp"
#include "workloads/trace/random_index.hpp"
#include "workloads/trace/trace_changes.hpp"

namespace berth::workloads {
namespace {

core::Amount total_milli(const JobCopy& job) {
    return job.of->members * job.of->gpus.total_milli();
}

bool has_lesser_name(const JobCopy& a, const JobCopy& b) {
    return a.added.empty() && b.added.empty() ? a.of->name < b.of->name : a.name() < b.name();
}

void add_clones(std::vector<JobCopy>& jobs,
                core::Amount sum,
                core::Amount target,
                sim::RandomBits& bits) {
    std::vector<std::size_t> originals(jobs.size());
    std::iota(originals.begin(), originals.end(), std::size_t{0});
    std::ranges::stable_sort(
        originals, [&](std::size_t a, std::size_t b) { return has_lesser_name(jobs[a], jobs[b]); });
    for (std::size_t clones = 0;; ++clones) {
        const JobCopy& original = jobs[originals[random_index(originals.size(), bits)]];
        // One device alone is held against the target, as the published program has it: the last
        // job of several devices may go beyond.
        if (sum + original.of->gpus.milli > target) {
            return;
        }
        sum += total_milli(original);
        JobCopy clone = original;
        clone.added += fmt::format("-tuned-{}", clones);
        jobs.push_back(std::move(clone));
    }
}

/// The others keep their order.
void remove_some(std::vector<JobCopy>& jobs,
                 core::Amount sum,
                 core::Amount target,
                 sim::RandomBits& bits) {
    std::vector<std::size_t> left(jobs.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (sum > target) {
        const std::size_t drawn = random_index(left.size(), bits);
        sum -= total_milli(jobs[left[drawn]]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(drawn));
    }
    std::vector<JobCopy> kept;
    kept.reserve(left.size());
    for (const std::size_t job : left) {
        kept.push_back(std::move(jobs[job]));
    }
    jobs = std::move(kept);
}

}  // namespace

void tune_jobs(std::vector<JobCopy>& jobs, core::Amount target_milli, sim::RandomBits& bits) {
    core::Amount sum = 0;
    for (const JobCopy& job : jobs) {
        sum += total_milli(job);
    }
    BERTH_ASSERT(sum > 0, "what is tuned by its GPUs asks for some");
    if (sum < target_milli) {
        add_clones(jobs, sum, target_milli, bits);
    } else {
        remove_some(jobs, sum, target_milli, bits);
    }
}

}  // namespace berth::workloads
