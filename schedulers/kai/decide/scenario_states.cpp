#include "schedulers/kai/decide/scenario_states.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace berth::core::kai {
namespace {

/// Whether requests, the largest first, fit into the `count` largest capacities, each into the
/// first that has room.
bool match_greedily(std::vector<double> requests, std::vector<double> capacity, std::size_t count) {
    std::ranges::sort(requests, std::greater<>{});
    count = std::min(count, capacity.size());
    std::ranges::partial_sort(
        capacity, capacity.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>{});
    capacity.resize(count);
    for (const double request : requests) {
        if (request == 0) {
            return true;
        }
        const auto found =
            std::ranges::find_if(capacity, [&](double left) { return left >= request; });
        if (found == capacity.end()) {
            return false;
        }
        *found -= request;
    }
    return true;
}

}  // namespace

ScenarioStates::ScenarioStates(Session& session,
                               Job& preemptor,
                               const std::vector<Batch>& recorded,
                               JobsOrder victims)
    : session_(session), victims_(std::move(victims)) {
    for (const Batch& batch : recorded) {
        recorded_.insert(batch.begin(), batch.end());
    }
    const std::vector<PodIndex>& pending = preemptor.pods_to_place(false, session.pods);
    if (!pending.empty()) {
        scenario_.emplace(session, preemptor, pending, recorded);
    }
}

const Scenario* ScenarioStates::next() {
    if (!scenario_) {
        return nullptr;
    }
    if (is_first_) {
        is_first_ = false;
        if (may_have_room()) {
            return &*scenario_;
        }
    }
    while (!victims_.empty()) {
        if (add_next_victims() && may_have_room()) {
            return &*scenario_;
        }
    }
    return nullptr;
}

/// Whether the next job's pods were not recorded before, and were added.
bool ScenarioStates::add_next_victims() {
    const Job& job = victims_.pop();
    const Job::Chunk chunk = job.pods_to_evict(session_.pods);
    std::vector<PodIndex> rest;
    if (std::ranges::any_of(chunk.pods, [&](PodIndex pod) { return recorded_.contains(pod); })) {
        std::ranges::copy_if(job.pods(), std::back_inserter(rest), [&](PodIndex pod) {
            return !recorded_.contains(pod);
        });
        if (!rest.empty()) {
            victims_.push_part(job.part(rest, session_.pods));
        }
        return false;
    }
    if (chunk.some_remain) {
        std::ranges::copy_if(job.pods(), std::back_inserter(rest), [&](PodIndex pod) {
            return std::ranges::find(chunk.pods, pod) == chunk.pods.end();
        });
        victims_.push_part(job.part(rest, session_.pods));
    }
    scenario_->add(chunk.pods);
    return true;
}

bool ScenarioStates::may_have_room() const {
    std::vector<double> capacity(session_.nodes.size());
    std::ranges::transform(
        session_.nodes, capacity.begin(), [](const Node& node) { return node.free[gpu]; });
    std::vector<double> freed(session_.nodes.size());
    for (const PodIndex pod : scenario_->victims()) {
        freed[session_.pods[pod].node] += session_.pods[pod].request[gpu];
    }
    std::ranges::transform(capacity, freed, capacity.begin(), std::plus<>{});
    if (!domains_may_have_room(capacity)) {
        return false;
    }
    std::vector<double> requests;
    for (const PodIndex pod : scenario_->pending()) {
        requests.push_back(session_.pods[pod].request[gpu]);
    }
    const std::size_t count = requests.size();
    return match_greedily(std::move(requests), std::move(capacity), count);
}

/// Whether sets of groups that require a level have room in its domains. Pods that run already
/// count as well, as in KAI.
bool ScenarioStates::domains_may_have_room(const std::vector<double>& capacity) const {
    const Job& job = scenario_->preemptor();
    std::map<std::pair<std::string, std::string>, std::vector<double>> requests;
    for (GroupIndex group = 0; group < job.spec().groups.size(); ++group) {
        const std::optional<TopologyConstraint>& constraint = job.group(group).topology;
        if (!job.group(group).is_leaf && constraint && !constraint->required.empty()) {
            requests[{constraint->topology, constraint->required}].push_back(
                session_.sum_of(job.pods_below(group))[gpu]);
        }
    }
    return std::ranges::all_of(requests, [&](const auto& entry) {
        const std::string& level = entry.first.second;
        std::map<std::string, double> domains;
        for (NodeIndex node = 0; node < session_.nodes.size(); ++node) {
            const auto label = session_.node_specs[node].labels.find(level);
            if (label != session_.node_specs[node].labels.end() && !label->second.empty()) {
                domains[label->second] += capacity[node];
            }
        }
        std::vector<double> amounts;
        std::ranges::transform(
            domains, std::back_inserter(amounts), [](const auto& domain) { return domain.second; });
        const std::size_t count = amounts.size();
        return match_greedily(entry.second, std::move(amounts), count);
    });
}

}  // namespace berth::core::kai
