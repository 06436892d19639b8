#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/rare.hpp"
#include "sim/job/dependency.hpp"
#include "workloads/trace/fingerprint_set.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// The jobs of one name, or the tasks of one array, that other jobs depend on.
struct Followed {
    std::uint32_t jobs = 0;          ///< Number of jobs in the run.
    std::uint64_t dependencies = 0;  ///< Number of dependencies on them.
};
using FollowedJobs = std::map<std::string, Followed, std::less<>>;  ///< Keyed by name.

/// Ties the jobs of a source to the jobs that they depend on.
class TraceTies {
public:
    /// `followed` must outlive this. Two sources have different numbers.
    TraceTies(const FollowedJobs& followed, std::string_view source)
        : followed_(followed), source_(fingerprint_of(source)) {}

    [[nodiscard]] core::Rare<sim::Ties> of(const TraceJob& job) const {
        if (followed_.empty()) {
            return std::nullopt;
        }
        sim::Ties ties;
        for (const std::string* name : {&job.name, &job.application}) {
            if (followed_.contains(*name)) {
                ties.numbers.push_back(number_of(*name));
            }
        }
        const std::size_t count = job.conditions ? job.conditions->after.size() : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const TraceDependency& one = job.conditions->after[i];
            const auto found = followed_.find(one.name);
            if (found != followed_.end()) {
                ties.after.push_back(
                    {one.name, number_of(one.name), found->second.jobs, one.on, one.delay});
            }
        }
        return ties.numbers.empty() && ties.after.empty() ? std::nullopt : std::optional(ties);
    }

private:
    [[nodiscard]] std::uint64_t number_of(std::string_view name) const {
        return sim::mix(source_, fingerprint_of(name));
    }

    const FollowedJobs& followed_;
    std::uint64_t source_;
};

}  // namespace berth::workloads
