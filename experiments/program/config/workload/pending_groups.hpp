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

/// Combines the pending pods of one job into a group that starts as a whole, or into a group for
/// each kind of pod if their requests differ.
class PendingGroups {
public:
    /// Both must outlive this.
    PendingGroups(const core::Topology& tree, core::Diagnostics& diagnostics)
        : tree_(tree), diagnostics_(diagnostics) {}

    /// Notes how many pods of a PodGroup start together. Errors: recorded.
    void know(const core::Value& pod_group);
    /// Notes a running pod, which is already one of those that its job needs.
    void add_running(const core::Value& pod);
    /// Adds a pending pod to `jobs`. Other callers may append to `jobs`, but may not remove or
    /// insert anything before its end.
    /// `pods`: the number of pods like this one.
    void add(const core::Value& pod,
             sim::Job job,
             std::vector<sim::Job>& jobs,
             core::Members pods = 1);
    /// Makes the groups. Warns once, with counts, if they start differently from the cluster.
    void finish(std::vector<sim::Job>& jobs);

private:
    /// Pods of a job with equal requests.
    struct Kind {
        std::string asks;
        std::string role;
        std::size_t at = 0;  ///< Index of the first of them among the jobs.
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
    std::map<std::string, core::Members> mins_;  ///< Keyed by the name of the PodGroup.
    std::map<std::string, Gang> gangs_;
    Counted mixed_;
    Counted short_;
    Counted untold_;
};

}  // namespace berth::experiments
