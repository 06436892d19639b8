#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kube/decide/gang_cycle.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

/// What a cycle found for the pods of a gang that does not start, and what would start it.
struct GangInquiry final : Inquiry {
    struct Member {
        std::string pod;
        std::string node;                  ///< Its node in the snapshot; empty: none was feasible.
        std::string message;               ///< Why it does not start.
        std::vector<std::string> victims;  ///< The pods that were preempted for it.
        bool is_tried = true;
    };

    /// The pods of the job that is asked about, by their uids, and how many of them it lacks.
    struct Asked {
        std::set<std::string> pods;
        std::size_t lacks = 1;
    };

    /// Asks for a gang after its cycle, and leaves the cluster as it is.
    /// Cost: up to four further cycles without preemption, and a look at all nodes for each pod.
    GangInquiry(const core::kube::Gang& gang,
                const core::kube::GangCycle& cycle,
                const Asked& asked,
                core::kube::Cluster& cluster,
                core::kube::Decider& decider);

    std::size_t placed = 0;  ///< Pods of the group that run.
    std::size_t min_count = 0;
    core::kube::GangCycle::Outcome outcome;
    std::string message;               ///< What kube-scheduler says of the group.
    std::vector<Member> members;       ///< In the order in which they were tried.
    std::vector<std::string> victims;  ///< The pods that were preempted for the whole gang.
    std::vector<std::string> order;  ///< With the pods in this order the job would start; or empty.
    std::size_t enough = 0;          ///< With this minCount the job would start; 0: with none.
};

}  // namespace berth::sim
