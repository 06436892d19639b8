#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/trace/kueue/kueue_job.hpp"

namespace berth::workloads {

/// Counts what users of a trace of Kueue's objects should know about how it was read.
struct KueueNotes {
    // How many objects of each kind were left out, by the reason.
    std::map<std::string, std::uint64_t> taken;     ///< Another object of the file stands for them.
    std::map<std::string, std::uint64_t> orphans;   ///< The objects that own them are missing.
    std::map<std::string, std::uint64_t> unqueued;  ///< They name no queue.
    /// They are of a kind that is not read, and no Workload of the file stands for them.
    std::map<std::string, std::uint64_t> unresolved;
    std::uint64_t inactive = 0;
    std::uint64_t inactive_that_ran = 0;

    void count(const KueueJob& job);
    /// A line for each.
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    std::uint64_t choose_nodes_ = 0;
    std::uint64_t ran_before_ = 0;
    std::uint64_t several_sets_ = 0;
    /// How many jobs ask for each resource that jobs of traces do not have.
    std::map<std::string, std::uint64_t> others_;
};

}  // namespace berth::workloads
