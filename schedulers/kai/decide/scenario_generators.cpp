#include "schedulers/kai/decide/scenario_generators.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace berth::core::kai {
namespace {

/// The scenario of a state with some pods only, those of one job as one batch.
Scenario narrowed(const Session& session, const Scenario& state, const Batch& pods) {
    Scenario narrow(session, state.preemptor(), state.pending(), state.recorded());
    std::vector<JobIndex> jobs;
    std::map<JobIndex, Batch> by_job;
    for (const PodIndex pod : pods) {
        Batch& own = by_job[session.pods[pod].job];
        if (own.empty()) {
            jobs.push_back(session.pods[pod].job);
        }
        own.push_back(pod);
    }
    for (const JobIndex job : jobs) {
        narrow.add(by_job.at(job));
    }
    return narrow;
}

/// The scenarios of one state, each of a node where the latest victim's job has pods.
std::vector<Scenario> scenarios_by_node(const Session& session, const Scenario& state) {
    const Job& latest = session.jobs[session.pods[state.potential().back()].job];
    std::set<NodeIndex> nodes;
    for (const PodIndex pod : latest.pods()) {
        if (session.pods[pod].node != no_node) {
            nodes.insert(session.pods[pod].node);
        }
    }
    std::vector<Scenario> scenarios;
    std::set<Batch> seen;
    for (const NodeIndex node : nodes) {
        Batch pods;
        for (const JobIndex job : state.jobs_on(node)) {
            for (const std::size_t index : state.batches_of(job)) {
                const Batch& batch = state.batch(index);
                pods.insert(pods.end(), batch.begin(), batch.end());
            }
        }
        Batch sorted = pods;
        std::ranges::sort(sorted);
        if (!pods.empty() && seen.insert(std::move(sorted)).second) {
            scenarios.push_back(narrowed(session, state, pods));
        }
    }
    return scenarios;
}

/// The nodes of a state's potential victims, and how many of them are to be picked.
class VictimNodes {
public:
    VictimNodes(const Session& session, const Scenario& state, const NodeSet& feasible)
        : session_(session), state_(state) {
        for (const PodIndex pod : state.recorded_pods()) {
            freed_[session.pods[pod].node] += gpus(pod);
        }
        find_batches();
        double smallest = gpus(state.pending().front());
        for (const PodIndex pod : state.pending()) {
            smallest = std::min(smallest, gpus(pod));
            needed_ += gpus(pod);
        }
        choose(smallest);
        for (const NodeIndex node : feasible) {
            if (!batches_on_.contains(node)) {
                needed_ -= session.nodes[node].free[gpu] + freed(node);
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return order_.size(); }

    /// How many nodes have enough; more than there are, if all of them have not.
    [[nodiscard]] std::size_t fewest() const {
        if (needed_ <= 0) {
            return 0;
        }
        double sum = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            sum += capacity(order_[i]);
            if (sum >= needed_) {
                return i + 1;
            }
        }
        return order_.size() + 1;
    }

    [[nodiscard]] Scenario of_first(std::size_t count) const {
        Scenario scenario(session_, state_.preemptor(), state_.pending(), state_.recorded());
        std::set<std::size_t> picked;
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<std::size_t>& on = batches_on_.at(order_[i]);
            picked.insert(on.begin(), on.end());
        }
        for (const std::size_t number : picked) {
            scenario.add(state_.batch(batches_[number]));
        }
        return scenario;
    }

private:
    [[nodiscard]] double gpus(PodIndex pod) const { return session_.pods[pod].request[gpu]; }

    [[nodiscard]] double freed(NodeIndex node) const {
        const auto found = freed_.find(node);
        return found == freed_.end() ? 0 : found->second;
    }

    void find_batches() {
        for (const PodIndex pod : state_.potential()) {
            const std::size_t batch = state_.batch_with(pod);
            const auto [entry, is_new] = number_of_.emplace(batch, batches_.size());
            if (is_new) {
                batches_.push_back(batch);
            }
            const NodeIndex node = session_.pods[pod].node;
            std::vector<std::size_t>& on = batches_on_[node];
            if (on.empty()) {
                order_.push_back(node);
            }
            if (std::ranges::find(on, entry->second) == on.end()) {
                on.push_back(entry->second);
            }
        }
        for (const NodeIndex node : order_) {
            double own = 0;
            for (const std::size_t number : batches_on_.at(node)) {
                for (const PodIndex pod : state_.batch(batches_[number])) {
                    own += session_.pods[pod].node == node ? gpus(pod) : 0;
                }
            }
            capacity_[node] = freed(node) + session_.nodes[node].free[gpu] + own;
        }
    }

    void choose(double smallest) {
        std::erase_if(order_,
                      [&](NodeIndex node) { return smallest > 0 && capacity(node) < smallest; });
        std::ranges::stable_sort(order_, {}, [&](NodeIndex node) { return capacity(node); });
    }

    [[nodiscard]] double capacity(NodeIndex node) const { return capacity_.at(node); }

    const Session& session_;
    const Scenario& state_;
    std::map<NodeIndex, double> freed_;
    std::vector<std::size_t> batches_;  ///< In the order of their first victims.
    std::map<std::size_t, std::size_t> number_of_;
    std::map<NodeIndex, std::vector<std::size_t>> batches_on_;
    std::map<NodeIndex, double> capacity_;
    NodeSet order_;
    double needed_ = 0;
};

}  // namespace

bool try_node_by_node(const Session& session, ScenarioStates& states, const TryScenario& try_one) {
    while (const Scenario* state = states.next()) {
        if (state->potential().empty()) {
            if (!state->recorded().empty() && try_one(*state)) {
                return true;
            }
            continue;
        }
        if (std::ranges::any_of(scenarios_by_node(session, *state), try_one)) {
            return true;
        }
    }
    return false;
}

bool try_several_nodes(const Session& session,
                       ScenarioStates& states,
                       const NodeSet& feasible,
                       const TryScenario& try_one) {
    while (const Scenario* state = states.next()) {
        if (state->potential().empty()) {
            if (try_one(*state)) {
                return true;
            }
            continue;
        }
        const VictimNodes nodes(session, *state, feasible);
        std::size_t step = 1;
        for (std::size_t count = nodes.fewest(); count <= nodes.size(); step *= 2) {
            if (try_one(nodes.of_first(count))) {
                return true;
            }
            if (count >= nodes.size()) {
                break;
            }
            count = std::min(count + step, nodes.size());
        }
    }
    return false;
}

}  // namespace berth::core::kai
