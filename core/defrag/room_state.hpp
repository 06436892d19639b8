#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/defrag/move_problem.hpp"

namespace berth::core {

/// Where the pods of a MoveProblem stand after some moves, and what is free then.
///
/// Cost: O(resources + devices of a server) for each question and each move.
class RoomState {
public:
    explicit RoomState(const MoveProblem& problem);

    [[nodiscard]] const MoveProblem& problem() const { return *problem_; }
    [[nodiscard]] std::span<const Amount> free(std::uint32_t server) const {
        return {free_.data() + std::size_t{server} * problem_->resources, problem_->resources};
    }
    [[nodiscard]] std::uint32_t server_of(std::uint32_t pod) const { return at_[pod].server; }
    [[nodiscard]] const std::vector<std::uint32_t>& pods_on(std::uint32_t server) const {
        return on_[server];
    }
    [[nodiscard]] const std::vector<PodMove>& moves() const { return moves_; }
    [[nodiscard]] MoveCost cost() const { return cost_; }
    /// A number of this state: it is different after each move, and the same again once the move is
    /// taken back.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    /// How often fits() was asked: most of what a search costs.
    [[nodiscard]] std::uint64_t questions() const { return questions_; }

    /// Whether the pod may move at all now: it is movable, and its disruption budgets allow it.
    [[nodiscard]] bool may_move(std::uint32_t pod) const;
    /// Whether the pod may run on a server other than its own, and that server has room for it.
    [[nodiscard]] bool fits(std::uint32_t pod, std::uint32_t server) const;
    /// What the next move of the pod costs.
    [[nodiscard]] MoveCost price(std::uint32_t pod) const;
    /// A part of the price such that the parts of all pods of a job together are at most what the
    /// job loses: a lower bound if several pods of a job move.
    [[nodiscard]] MoveCost least_price(std::uint32_t pod) const;
    /// Errors: a move that is not possible is a bug of the caller and aborts.
    void move(std::uint32_t pod, std::uint32_t server);
    /// Takes back the last move; or moves, until so many are left.
    void undo();
    void undo_to(std::size_t moves);

    /// How many pods of the goal's shape fit on a server, at most `count` of the goal.
    [[nodiscard]] std::int64_t copies(std::uint32_t server) const {
        return copies_without(server, {});
    }
    /// The same if these pods had left the server.
    [[nodiscard]] std::int64_t copies_without(std::uint32_t server,
                                              std::span<const std::uint32_t> pods) const;
    /// Whether nothing of the goal's resource is in use on a server; the same without these pods.
    [[nodiscard]] bool is_whole(std::uint32_t server,
                                std::span<const std::uint32_t> without = {}) const;
    /// Whether a pod keeps its server from being whole.
    [[nodiscard]] bool is_in_the_way(std::uint32_t pod) const;
    /// What counts for the goal: the pods that fit, or the domains that are whole.
    /// Cost: O(servers x resources).
    [[nodiscard]] std::int64_t value() const;
    [[nodiscard]] bool reached() const;
    /// Appends what decides about moves from here, apart from the cost so far: there are finitely
    /// many such keys. Of the pods, it has those that have moved.
    void append_key(std::vector<std::uint64_t>& key) const;

private:
    struct At {
        std::uint32_t server = 0;
        GpuGrant gpus{};
    };
    struct Done {
        At before;
        MoveCost cost;
        std::uint64_t version = 0;
    };
    [[nodiscard]] std::optional<GpuGrant> gpus_for(const PodShape& shape,
                                                   std::uint32_t server) const;
    void take(std::uint32_t pod, const At& place, int sign);
    void change_server(std::uint32_t pod, const At& place);
    [[nodiscard]] std::vector<std::int64_t> by_domain() const;

    const MoveProblem* problem_;
    std::vector<Amount> free_;
    std::vector<std::vector<GpuMilli>> gpus_;
    std::vector<At> at_;
    std::vector<std::vector<std::uint32_t>> on_;  ///< The pods on each server, in order.
    std::vector<std::uint32_t> job_moves_;
    std::vector<std::int64_t> budgets_;
    std::vector<PodMove> moves_;
    std::vector<Done> done_;
    MoveCost cost_;
    std::uint64_t version_ = 0;
    std::uint64_t last_version_ = 0;
    mutable std::uint64_t questions_ = 0;
};

}  // namespace berth::core
