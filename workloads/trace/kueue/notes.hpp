#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/trace/kueue/kueue_job.hpp"

namespace berth::workloads {

/// Counts what users of a trace of Kueue's objects should know about how it was read.
struct KueueNotes {
    std::map<std::string, std::uint64_t> taken;       ///< Another object stands for them; by kind.
    std::map<std::string, std::uint64_t> orphans;     ///< Their owners are missing; by kind.
    std::map<std::string, std::uint64_t> unqueued;    ///< They name no queue; by kind.
    std::map<std::string, std::uint64_t> unresolved;  ///< Other kinds without a Workload.
    std::uint64_t inactive = 0;
    std::uint64_t inactive_that_ran = 0;

    void count(const KueueJob& job);
    /// A line for each.
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    std::uint64_t choose_nodes_ = 0;
    std::uint64_t ran_before_ = 0;
    std::uint64_t several_sets_ = 0;
    std::map<std::string, std::uint64_t> others_;  ///< Jobs by resource.
};

}  // namespace berth::workloads
