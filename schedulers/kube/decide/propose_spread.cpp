#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/proposals.hpp"
#include "schedulers/kube/decide/trial.hpp"

// Proposals for nodes at which the pod would violate a constraint of its own on how pods spread.

namespace berth::core::kube {
namespace {

/// The least maxSkew of a hard constraint with which a node passes, if there is one. A greater one
/// lets pass more.
std::optional<std::int64_t> least_skew(Trial& trial,
                                       std::size_t hard_constraint,
                                       std::int64_t present,
                                       const std::vector<std::size_t>& among) {
    const auto works = [&](std::int64_t skew) {
        trial.set_max_skew(hard_constraint, skew);
        return trial.first_passing(among).has_value();
    };
    std::int64_t failing = present;
    std::int64_t working = INT32_MAX;
    if (!works(working)) {
        return std::nullopt;
    }
    for (std::int64_t step = 1; failing + step < working; step *= 2) {
        (works(failing + step) ? working : failing) = failing + step;
    }
    while (failing + 1 < working) {
        const std::int64_t middle = failing + (working - failing) / 2;
        (works(middle) ? working : failing) = middle;
    }
    return working;
}

std::string path_of(std::size_t constraint, const char* key) {
    return fmt::format("/spec/topologySpreadConstraints/{}/{}", constraint, key);
}

Candidate schedule_anyway(const Pod& pod, std::size_t i) {
    Candidate candidate{.field = ChangedField::when_unsatisfiable, .pod = pod};
    SpreadConstraint& constraint = candidate.pod.spread[i];
    constraint.is_hard = false;
    candidate.text = fmt::format("set whenUnsatisfiable of the constraint on {} to ScheduleAnyway",
                                 constraint.topology_key);
    candidate.pod_steps.push_back({"add", path_of(i, "whenUnsatisfiable"), "ScheduleAnyway", {}});
    return candidate;
}

Candidate raise_skew(const Pod& pod, std::size_t i, std::int64_t skew) {
    Candidate candidate{.field = ChangedField::max_skew, .pod = pod};
    SpreadConstraint& constraint = candidate.pod.spread[i];
    candidate.text = fmt::format("raise maxSkew of the constraint on {} from {} to {}",
                                 constraint.topology_key,
                                 constraint.max_skew,
                                 skew);
    constraint.max_skew = skew;
    candidate.pod_steps.push_back({"replace", path_of(i, "maxSkew"), skew, {}});
    return candidate;
}

}  // namespace

void propose_spread(const Rejected& rejected, std::vector<Candidate>& proposals) {
    const std::vector<std::size_t> among = rejected.by("PodTopologySpread");
    const std::vector<SpreadConstraint>& constraints = rejected.pod.spread;
    if (among.empty()) {
        return;
    }
    Trial trial(rejected.pod, rejected.cluster);
    std::size_t hard = 0;
    for (std::size_t i = 0; i < constraints.size() && hard < most_of_a_field; ++i) {
        if (!constraints[i].is_hard) {
            continue;
        }
        if (const auto skew = least_skew(trial, hard, constraints[i].max_skew, among)) {
            proposals.push_back(raise_skew(rejected.pod, i, *skew));
            proposals.back().among = among;
        }
        trial.set_max_skew(hard++, constraints[i].max_skew);
        proposals.push_back(schedule_anyway(rejected.pod, i));
        proposals.back().among = among;
    }
}

}  // namespace berth::core::kube
