#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "core/defrag/move_problem.hpp"

// Small problems of moves, and a plain search that tries every sequence of moves.

namespace berth::tests {

using namespace core;

inline constexpr Amount gpus_of_server = 8;
inline constexpr Amount cpus_of_server = 16;

/// Servers with 8 GPUs and 16 CPUs each, all free.
inline MoveProblem cluster(std::uint32_t servers) {
    MoveProblem problem;
    problem.resources = 2;
    for (std::uint32_t i = 0; i < servers; ++i) {
        problem.free.push_back(cpus_of_server);
        problem.free.push_back(gpus_of_server);
    }
    problem.allowed = {std::vector<bool>(servers, true)};
    problem.goal.resource = 1;
    problem.goal.servers.assign(servers, true);
    problem.goal.domain.assign(servers, 0);
    problem.goal.whole_amount.assign(servers, gpus_of_server);
    return problem;
}

/// A pod of a job of its own, if there is room for it.
inline bool put(
    MoveProblem& problem, std::uint32_t server, Amount cpus, Amount gpus, std::int64_t loses) {
    Amount* const free = problem.free.data() + std::size_t{server} * 2;
    if (free[0] < cpus || free[1] < gpus) {
        return false;
    }
    free[0] -= cpus;
    free[1] -= gpus;
    MovablePod pod;
    pod.shape.demand = {cpus, gpus};
    pod.server = server;
    pod.job = static_cast<std::uint32_t>(problem.jobs.size());
    problem.jobs.push_back({loses, 0, 1});
    problem.pods.push_back(pod);
    return true;
}

inline void ask_for(
    MoveProblem& problem, RoomGoal::Kind kind, std::int64_t count, Amount cpus, Amount gpus) {
    problem.goal.kind = kind;
    problem.goal.count = count;
    problem.goal.shape.demand = {cpus, gpus};
}

/// Each server is a domain of its own.
inline void by_server(MoveProblem& problem) {
    problem.goal.domains = problem.servers();
    for (std::uint32_t i = 0; i < problem.servers(); ++i) {
        problem.goal.domain[i] = i;
    }
}

/// Tries every sequence of moves, the cheapest first, with its own arithmetic: the state of a pod
/// is its server, or the number of servers as long as it has not moved.
class BruteForce {
public:
    explicit BruteForce(const MoveProblem& problem)
        : problem_(problem), base_(problem.servers() + 1) {
        std::size_t codes = 1;
        for (std::size_t i = 0; i < problem.pods.size(); ++i) {
            codes *= base_;
        }
        costs_.resize(codes);
    }

    /// For `copies` and `whole`: the least cost, or nothing. For `most`: what it makes room for,
    /// and then the cost.
    struct Result {
        std::optional<MoveCost> cost;
        std::int64_t value = 0;
    };
    Result run() {
        std::vector<std::uint32_t> at(problem_.pods.size(), problem_.servers());
        reach(at, {0, 0});
        Result best;
        best.value = value_of(at);
        while (!open_.empty()) {
            const auto [cost, code] = open_.top();
            open_.pop();
            if (cost > *costs_[code]) {
                continue;
            }
            decode(code, at);
            const std::int64_t value = value_of(at);
            if (problem_.goal.kind == RoomGoal::Kind::most) {
                if (value > best.value || !best.cost) {
                    best = {cost, value};
                }
                if (cost.first == problem_.goal.moves_max) {
                    continue;
                }
            } else if (value >= problem_.goal.count) {
                return {cost, value};
            }
            expand(at, cost);
        }
        return best;
    }

private:
    using Entry = std::pair<MoveCost, std::size_t>;

    std::uint32_t server(const std::vector<std::uint32_t>& at, std::size_t pod) const {
        return at[pod] == problem_.servers() ? problem_.pods[pod].server : at[pod];
    }
    std::vector<Amount> free_of(const std::vector<std::uint32_t>& at) const {
        std::vector<Amount> free = problem_.free;
        for (std::size_t pod = 0; pod < at.size(); ++pod) {
            for (std::size_t r = 0; r < 2; ++r) {
                const Amount amount = problem_.pods[pod].shape.demand[r];
                free[problem_.pods[pod].server * std::size_t{2} + r] += amount;
                free[server(at, pod) * std::size_t{2} + r] -= amount;
            }
        }
        return free;
    }
    std::int64_t value_of(const std::vector<std::uint32_t>& at) const {
        const RoomGoal& goal = problem_.goal;
        const std::vector<Amount> free = free_of(at);
        std::vector<std::int64_t> room(goal.domains, goal.kind == RoomGoal::Kind::whole ? 1 : 0);
        for (std::uint32_t i = 0; i < problem_.servers(); ++i) {
            const Amount* here = free.data() + std::size_t{i} * 2;
            if (goal.kind == RoomGoal::Kind::whole) {
                room[goal.domain[i]] &= here[1] == gpus_of_server ? 1 : 0;
            } else if (goal.servers[i]) {
                room[goal.domain[i]] +=
                    std::min(here[0] / goal.shape.demand[0], here[1] / goal.shape.demand[1]);
            }
        }
        std::int64_t sum = 0;
        for (const std::int64_t one : room) {
            sum = goal.kind == RoomGoal::Kind::copies ? std::max(sum, one) : sum + one;
        }
        return sum;
    }
    void expand(std::vector<std::uint32_t>& at, MoveCost cost) {
        const std::vector<Amount> free = free_of(at);
        for (std::size_t pod = 0; pod < at.size(); ++pod) {
            const MovablePod& one = problem_.pods[pod];
            for (std::uint32_t to = 0; one.movable && to < problem_.servers(); ++to) {
                if (to == server(at, pod) || !problem_.allowed[one.allowed][to] ||
                    free[to * std::size_t{2}] < one.shape.demand[0] ||
                    free[to * std::size_t{2} + 1] < one.shape.demand[1]) {
                    continue;
                }
                const std::int64_t lost = has_moved(at, one.job) ? 0 : problem_.jobs[one.job].loses;
                const MoveCost price = problem_.goal.kind == RoomGoal::Kind::most
                                           ? MoveCost{1, lost}
                                           : MoveCost{lost, 1};
                const std::uint32_t before = std::exchange(at[pod], to);
                reach(at, cost + price);
                at[pod] = before;
            }
        }
    }
    bool has_moved(const std::vector<std::uint32_t>& at, std::uint32_t job) const {
        for (std::size_t pod = 0; pod < at.size(); ++pod) {
            if (problem_.pods[pod].job == job && at[pod] != problem_.servers()) {
                return true;
            }
        }
        return false;
    }
    void reach(const std::vector<std::uint32_t>& at, MoveCost cost) {
        std::size_t code = 0;
        for (const std::uint32_t one : at) {
            code = code * base_ + one;
        }
        if (!costs_[code] || cost < *costs_[code]) {
            costs_[code] = cost;
            open_.emplace(cost, code);
        }
    }
    void decode(std::size_t code, std::vector<std::uint32_t>& at) const {
        for (std::size_t i = at.size(); i-- > 0; code /= base_) {
            at[i] = static_cast<std::uint32_t>(code % base_);
        }
    }

    const MoveProblem& problem_;
    std::size_t base_;
    std::vector<std::optional<MoveCost>> costs_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

}  // namespace berth::tests
