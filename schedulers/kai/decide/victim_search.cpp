#include "schedulers/kai/decide/victim_search.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "schedulers/kai/decide/place_job.hpp"

namespace berth::core::kai {
namespace {

/// `nodes` are ascending, and so is what is returned.
NodeSet with_nodes_of(const Session& session, const NodeSet& nodes, const Batch& pods) {
    NodeSet own;
    std::ranges::transform(
        pods, std::back_inserter(own), [&](PodIndex pod) { return session.pods[pod].node; });
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    NodeSet all;
    all.reserve(nodes.size() + own.size());
    std::ranges::set_union(nodes, own, std::back_inserter(all));
    return all;
}

}  // namespace

std::optional<Statement> VictimSearch::solve(Job& job, const NodeSet& feasible) {
    const std::int64_t before = job.count(used, session_.pods);
    const Batch pods = job.pods_to_place(false, session_.pods);
    if (pods.empty()) {
        return std::nullopt;
    }
    feasible_ = feasible;
    session_.waiting.refresh(session_);
    for (const Generator generator : {Generator::node_by_node, Generator::several_nodes}) {
        recorded_.clear();
        recorded_batches_.clear();
        if (largest_solvable(job, pods, generator) == 0) {
            continue;
        }
        std::optional<Solution> solution = probe(job, pods, pods.size(), generator);
        if (solution) {
            if (job.is_gang_whole(session_.pods) && job.count(used, session_.pods) > before) {
                return std::move(solution->statement);
            }
            session_.has_phantoms = true;
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::size_t VictimSearch::largest_solvable(const Job& job, const Batch& pods, Generator generator) {
    const auto is_solvable = [&](std::size_t count) {
        std::optional<Solution> solution = probe(job, pods, count, generator);
        if (solution) {
            recorded_ = std::move(solution->victims);
            recorded_batches_ = std::move(solution->batches);
            solution->statement.discard();
        }
        return solution.has_value();
    };
    std::size_t solved = 0;
    std::size_t failed = 1;
    while (is_solvable(failed)) {
        solved = failed;
        if (solved == pods.size()) {
            return solved;
        }
        failed = std::min(2 * failed, pods.size());
    }
    while (failed - solved > 1) {
        const std::size_t middle = (solved + failed) / 2;
        (is_solvable(middle) ? solved : failed) = middle;
    }
    return solved;
}

std::optional<VictimSearch::Solution> VictimSearch::probe(const Job& job,
                                                          const Batch& pods,
                                                          std::size_t count,
                                                          Generator generator) {
    Batch some;
    std::ranges::copy_if(job.pods(), std::back_inserter(some), [&](PodIndex pod) {
        return session_.pods[pod].is(active);
    });
    some.insert(some.end(), pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(count));
    Job part = job.part(some, session_.pods);
    part.lower_needs();
    const NodeSet feasible = with_nodes_of(session_, feasible_, recorded_);
    ScenarioStates states(session_, part, recorded_batches_, victims_());
    std::optional<Solution> solution;
    const auto try_one = [&](const Scenario& scenario) {
        Scenario::Key key = scenario.key();
        if (failed_.contains(key)) {
            return false;
        }
        if (std::optional<Solution> found = simulate(scenario, feasible)) {
            solution.emplace(std::move(*found));
            return true;
        }
        failed_.insert(std::move(key));
        return false;
    };
    if (generator == Generator::node_by_node) {
        try_node_by_node(session_, states, try_one);
    } else {
        try_several_nodes(session_, states, feasible, try_one);
    }
    return solution;
}

std::optional<VictimSearch::Solution> VictimSearch::simulate(const Scenario& scenario,
                                                             const NodeSet& feasible) {
    const Batch victims = scenario.victims();
    if (victims.empty()) {
        return std::nullopt;
    }
    const NodeSet nodes = with_nodes_of(session_, feasible, victims);
    Statement statement(session_);
    for (const PodIndex pod : victims) {
        statement.evict(pod);
    }
    if (!place(scenario, statement, nodes) || !validate_(scenario)) {
        statement.discard();
        return std::nullopt;
    }
    return solution_of(scenario, std::move(statement));
}

VictimSearch::Solution VictimSearch::solution_of(const Scenario& scenario,
                                                 Statement statement) const {
    Solution solution{std::move(statement), {}, {}};
    for (const Status status : {Status::Releasing, Status::Pipelined}) {
        std::ranges::copy_if(scenario.victims(),
                             std::back_inserter(solution.victims),
                             [&](PodIndex pod) { return session_.pods[pod].status == status; });
    }
    std::vector<std::size_t> batches;
    for (const PodIndex pod : solution.victims) {
        const std::size_t batch = scenario.batch_with(pod);
        if (std::ranges::find(batches, batch) == batches.end()) {
            batches.push_back(batch);
            solution.batches.push_back(scenario.batch(batch));
        }
    }
    std::ranges::stable_sort(
        solution.batches, {}, [&](const Batch& batch) { return session_.pods[batch.front()].job; });
    return solution;
}

/// The victims, the preemptor and all jobs that wait.
void VictimSearch::offer_all(const Scenario& scenario, JobsOrder& order) {
    const auto& victims = scenario.victims_by_job();
    Job& preemptor = scenario.preemptor();
    const bool are_apart = std::ranges::none_of(
        victims, [&](const auto& victim) { return session_.is_pending(victim.first); });
    if (are_apart && !session_.has_phantoms) {
        std::vector<Job*> more{&preemptor};
        for (const auto& [index, pods] : victims) {
            if (index != preemptor.index()) {
                more.push_back(&session_.jobs[index]);
            }
        }
        order.start_with(session_.waiting.leaves(), preemptor.index(), std::move(more));
        return;
    }
    for (Job& job : session_.jobs) {
        const bool is_preemptor = job.index() == preemptor.index();
        if (is_preemptor || victims.contains(job.index()) || session_.is_pending(job.index())) {
            order.offer(is_preemptor ? preemptor : job, {});
        }
    }
}

/// Offers places to the victims and to the preemptor, in the order of all jobs that wait.
bool VictimSearch::place(const Scenario& scenario, Statement& statement, const NodeSet& nodes) {
    const auto& victims = scenario.victims_by_job();
    Job& preemptor = scenario.preemptor();
    JobsOrder order(session_, JobsOrder::Purpose::service);
    offer_all(scenario, order);
    bool is_placed = false;
    // The jobs after the last one that matters are not asked. Only where pods of others are evicted
    // for nothing would it matter that they are compared: then they remember what they would place.
    std::size_t left = victims.size() + 1;
    while (!order.empty() && (left > 0 || session_.has_phantoms)) {
        Job& job = order.pop();
        const bool is_preemptor = job.index() == preemptor.index();
        if (!is_preemptor && !victims.contains(job.index())) {
            continue;
        }
        --left;
        // What it asks is remembered before its pods change their status; the validation reads it.
        (void)job.request(false, session_.pods);
        const bool has_place = place_job(session_, statement, nodes, job, true);
        if (is_preemptor && !has_place) {
            return false;
        }
        is_placed = is_placed || is_preemptor;
        if (!has_place) {
            // KAI remembers these pods until one of them changes its status, which to commit does
            // not do: the next attempt for this job goes by them.
            (void)job.pods_to_place(false, session_.pods);
        }
    }
    return is_placed;
}

}  // namespace berth::core::kai
