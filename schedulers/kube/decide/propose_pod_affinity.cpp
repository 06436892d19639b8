#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schedulers/kube/decide/proposals.hpp"

// Proposals for nodes at which required affinity or anti-affinity of the pod to other pods fails.

namespace berth::core::kube {
namespace {

constexpr std::int64_t greatest_weight = 100;

/// The parts of a pod that are about affinity, or about anti-affinity.
struct Side {
    ChangedField field;
    const char* name;
    const char* path;
    std::vector<PodTerm> Pod::* required;
    std::vector<PreferredPodTerm> Pod::* preferred;
};
constexpr Side sides[] = {
    {ChangedField::anti_affinity,
     "anti-affinity",
     "/spec/affinity/podAntiAffinity",
     &Pod::required_anti_affinity,
     &Pod::preferred_anti_affinity},
    {ChangedField::affinity,
     "affinity",
     "/spec/affinity/podAffinity",
     &Pod::required_affinity,
     &Pod::preferred_affinity},
};

Candidate prefer(const Pod& pod, const Side& side, std::size_t i) {
    Candidate candidate{.field = side.field, .pod = pod};
    auto& required = candidate.pod.*side.required;
    auto& preferred = candidate.pod.*side.preferred;
    candidate.text = fmt::format(
        "turn the required {} on {} into a preferred one", side.name, required[i].topology_key);
    const std::string list =
        fmt::format("{}/preferredDuringSchedulingIgnoredDuringExecution", side.path);
    if (preferred.empty()) {
        candidate.pod_steps.push_back({"add", list, PatchStep::EmptyList{}, {}});
    }
    candidate.pod_steps.push_back({"add", list + "/0", Labels(), {}});
    candidate.pod_steps.push_back({"add", list + "/0/weight", greatest_weight, {}});
    candidate.pod_steps.push_back(
        {"move",
         list + "/0/podAffinityTerm",
         {},
         fmt::format("{}/requiredDuringSchedulingIgnoredDuringExecution/{}", side.path, i)});
    preferred.insert(preferred.begin(), {required[i], greatest_weight});
    required.erase(required.begin() + static_cast<std::ptrdiff_t>(i));
    return candidate;
}

}  // namespace

void propose_pod_affinity(const Rejected& rejected, std::vector<Candidate>& proposals) {
    const std::vector<std::size_t> among = rejected.by("InterPodAffinity");
    if (among.empty()) {
        return;
    }
    for (const Side& side : sides) {
        const std::size_t terms = (rejected.pod.*side.required).size();
        for (std::size_t i = 0; i < std::min(terms, most_of_a_field); ++i) {
            proposals.push_back(prefer(rejected.pod, side, i));
            proposals.back().among = among;
        }
    }
}

}  // namespace berth::core::kube
