#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/workload/pod_job.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// Puts the pending pods of one job together to a group that starts as one, or to one for each kind
/// of pod where they ask for different things.
class PendingGroups {
public:
    /// Both outlive it.
    PendingGroups(const core::Topology& tree, core::Diagnostics& diagnostics)
        : tree_(tree), diagnostics_(diagnostics) {}

    /// How many pods of a PodGroup start together. Errors: recorded.
    void know(const core::Value& pod_group);
    /// A pod that runs already stands for one of those that its job needs.
    void add_running(const core::Value& pod);
    /// Adds a pending pod to `jobs`, to which nobody else adds or from which nobody takes before
    /// what there is.
    /// `pods`: so many like it.
    void add(const core::Value& pod,
             sim::Job job,
             std::vector<sim::Job>& jobs,
             core::Members pods = 1);
    /// Makes the groups, and says once, with counts, where they start otherwise than in the
    /// cluster.
    void finish(std::vector<sim::Job>& jobs);

private:
    /// Pods of a job that ask for the same.
    struct Kind {
        std::string asks;
        std::string role;
        std::size_t at = 0;  ///< Of the first one among the jobs.
        core::Members count = 0;
    };
    struct Gang {
        std::vector<Kind> kinds;
        core::Members min = 0;
        core::Members running = 0;
        bool is_gang = false;
        core::SourceSpan first;
    };
    /// Jobs that one message is about.
    struct Counted {
        std::uint64_t jobs = 0;
        core::Members pods = 0;
        core::SourceSpan first;
        std::string example;
    };
    void make_groups(const std::string& name, const Gang& gang, std::vector<sim::Job>& jobs);
    static void count(const std::string& name,
                      const Gang& gang,
                      core::Members pods,
                      Counted& counted);
    void warn();

    const core::Topology& tree_;
    core::Diagnostics& diagnostics_;
    std::map<std::string, core::Members> mins_;  ///< Of PodGroups.
    std::map<std::string, Gang> gangs_;
    Counted mixed_;
    Counted short_;
    Counted untold_;
};

}  // namespace berth::experiments
