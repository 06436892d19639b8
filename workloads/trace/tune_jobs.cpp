#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// The beginning of a name as numbers, which tells most names apart. The names themselves are
/// scattered in memory.
struct NameKey {
    std::uint64_t first = 0;   ///< The first eight letters.
    std::uint64_t second = 0;  ///< The eight letters behind them; 0 behind the end of the name.
    std::size_t job = 0;
};

NameKey key_of(const JobCopy& copy, std::size_t job) {
    constexpr std::size_t letters = 8;
    const std::size_t length = copy.of->name.size();
    const auto letter = [&](std::size_t at) {
        const bool is_added = at >= length && at - length < copy.added.size();
        return at < length ? copy.of->name[at] : is_added ? copy.added[at - length] : '\0';
    };
    NameKey key{0, 0, job};
    for (std::size_t at = 0; at < letters; ++at) {
        key.first = key.first << 8U | static_cast<unsigned char>(letter(at));
        key.second = key.second << 8U | static_cast<unsigned char>(letter(letters + at));
    }
    return key;
}

/// The indices of the jobs sorted by name; equal names keep the order of the jobs.
std::vector<std::size_t> by_name(const std::vector<JobCopy>& jobs) {
    std::vector<NameKey> keys;
    keys.reserve(jobs.size());
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        keys.push_back(key_of(jobs[job], job));
    }
    std::ranges::stable_sort(keys, [&](const NameKey& a, const NameKey& b) {
        return a.first != b.first     ? a.first < b.first
               : a.second != b.second ? a.second < b.second
                                      : has_lesser_name(jobs[a.job], jobs[b.job]);
    });
    std::vector<std::size_t> places(keys.size());
    std::ranges::transform(keys, places.begin(), &NameKey::job);
    return places;
}

void add_clones(std::vector<JobCopy>& jobs,
                core::Amount sum,
                core::Amount target,
                sim::RandomBits& bits) {
    const std::vector<std::size_t> originals = by_name(jobs);
    for (std::size_t clones = 0;; ++clones) {
        const JobCopy& original = jobs[originals[random_index(originals.size(), bits)]];
        // Only one device counts against the target, as in the published program: the last job may
        // exceed it if it has several devices.
        if (sum + original.of->gpus.milli > target) {
            return;
        }
        sum += total_milli(original);
        JobCopy clone = original;
        clone.added += fmt::format("-tuned-{}", clones);
        jobs.push_back(std::move(clone));
    }
}

/// Removes random jobs; the others keep their order.
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
