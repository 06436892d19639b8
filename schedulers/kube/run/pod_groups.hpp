#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/gang_preemption.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// A PodGroup object of an experiment.
struct PodGroupObject {
    std::string name_space;  ///< Empty: `default`.
    std::string name;
    std::size_t min_count = 1;  ///< 1 for a group without a gang.
    std::int64_t priority = 0;  ///< It counts for preemption alone.
    /// All pods are to be on nodes with one value of this label; empty: anywhere.
    std::string topology_key;
    bool leaves_as_a_whole = false;  ///< `disruptionMode: PodGroup`.
};

/// Which pods are gangs, and how gangs preempt.
struct GangSettings {
    bool preempts_as_a_whole = false;
    /// Those that pods may name. A job of several pods that name none has one of its own.
    std::vector<PodGroupObject> groups;
};

/// The pods of one job, or of all jobs whose pods name the same PodGroup.
struct PodGroup {
    /// So many of the group's pods start together. 0: as many as its only job needs.
    std::size_t min_count = 0;
    std::int64_t priority = 0;
    std::string topology_key;
    std::vector<JobId> jobs;  ///< Those that have arrived and have not ended.
};

/// The groups of the jobs of a run.
class PodGroups {
public:
    explicit PodGroups(const std::vector<PodGroupObject>& objects);

    /// Whether the PodGroup that a pod names is there.
    [[nodiscard]] bool has_named(const core::kube::Pod& pod) const;
    /// A job has arrived, whose pods are like `pod`; or it has ended.
    void add(JobId id, const Job& job, const core::kube::Pod& pod);
    void remove(JobId id);
    /// nullptr if the pods of a job are in no group.
    [[nodiscard]] const PodGroup* of(JobId id) const;
    /// Those whose pods leave together.
    [[nodiscard]] const core::kube::WholeGroups& whole() const { return whole_; }

private:
    std::map<std::pair<std::string, std::string>, PodGroup> named_;  ///< By namespace and name.
    std::map<JobId, PodGroup> of_one_job_;
    std::map<JobId, PodGroup*> of_;
    core::kube::WholeGroups whole_;
};

}  // namespace berth::sim
