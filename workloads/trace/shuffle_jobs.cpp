#include <utility>

#include "workloads/trace/random_index.hpp"
#include "workloads/trace/trace_changes.hpp"

namespace berth::workloads {

void shuffle_jobs(std::vector<JobCopy>& jobs, sim::RandomBits& bits) {
    for (std::size_t left = jobs.size(); left > 1; --left) {
        std::swap(jobs[left - 1], jobs[random_index(left, bits)]);
    }
}

}  // namespace berth::workloads
