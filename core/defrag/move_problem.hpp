#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// The price of moves: what a plan makes as small as possible, in this order.
struct MoveCost {
    std::int64_t first = 0;
    std::int64_t second = 0;

    MoveCost& operator+=(const MoveCost& other) {
        first += other.first;
        second += other.second;
        return *this;
    }
    friend MoveCost operator+(MoveCost a, const MoveCost& b) { return a += b; }
    friend MoveCost operator-(MoveCost a, const MoveCost& b) {
        return {a.first - b.first, a.second - b.second};
    }
    friend auto operator<=>(const MoveCost&, const MoveCost&) = default;
};

/// What one pod asks of a server: amounts by resource, and a share of one GPU or whole GPUs where
/// GPUs are shared.
struct PodShape {
    std::vector<Amount> demand;
    GpuMilli gpu_milli = 0;
    std::int64_t gpu_count = 0;
};

/// A pod on its server.
struct MovablePod {
    PodShape shape;
    std::uint32_t server = 0;
    GpuGrant gpus{};            ///< The devices that it holds, where GPUs are shared.
    std::uint32_t job = 0;      ///< Pods of one job lose their work together.
    std::uint32_t allowed = 0;  ///< The index of the servers where it may run.
    bool movable = true;
    std::vector<std::uint32_t> budgets{};  ///< Indexes of the disruption budgets that count it.
};

/// What moves of a job's pods cost. The first move of any of its pods costs `loses`, and each move
/// `restarts` in addition.
struct JobOfPods {
    std::int64_t loses = 0;
    std::int64_t restarts = 0;
    std::int64_t pods = 1;  ///< How many pods the job has in all.
};

/// What moves are to make room for.
struct RoomGoal {
    enum class Kind : std::uint8_t {
        copies,  ///< `count` pods of `shape` fit together below one domain, at the least cost.
        whole,   ///< `count` domains are whole, at the least cost.
        most,    ///< As many pods of `shape` as possible fit, with at most `moves_max` moves.
    };
    Kind kind = Kind::copies;
    PodShape shape;  ///< The pods that shall fit; without meaning for `whole`.
    std::vector<bool>
        servers;  ///< Whether pods of the shape may run on each server; empty for `whole`.
    std::int64_t count = 1;
    /// For each server, its domain, or `no_domain`.
    std::vector<std::uint32_t> domain;
    std::uint32_t domains = 1;
    /// For `whole`: a domain is whole if at least these amounts of one resource are free on each of
    /// its servers, and no pod that moves holds some of it.
    std::size_t resource = 0;
    std::vector<Amount> whole_amount;
    std::int64_t moves_max = 0;  ///< The most moves; 0 allows any number.

    static constexpr std::uint32_t no_domain = UINT32_MAX;
};

/// Running pods that may be moved one after the other, each to a server that has room for it at
/// that moment, while its old place is still taken.
///
/// Shape: `free` has a row of `resources` amounts for each server, which may be negative; `gpus`
///        has what is free on each device of each server where GPUs are shared, or is empty.
struct MoveProblem {
    std::size_t resources = 0;
    std::vector<Amount> free;
    std::vector<std::vector<GpuMilli>> gpus;
    std::vector<MovablePod> pods;
    std::vector<JobOfPods> jobs;
    std::vector<std::vector<bool>> allowed;
    std::vector<std::int64_t> budgets;  ///< How many moves each disruption budget lets happen.
    RoomGoal goal;

    [[nodiscard]] std::uint32_t servers() const {
        return static_cast<std::uint32_t>(free.size() / resources);
    }
};

/// One move. Its pod leaves `from` when it stands on `to`.
struct PodMove {
    std::uint32_t pod = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    GpuGrant gpus{};  ///< The devices that it gets there, where GPUs are shared.
};

/// A plan of moves, in the order in which they are possible.
struct MovePlan {
    std::vector<PodMove> moves;
    MoveCost cost;
    bool reached = false;  ///< Whether the goal is met; for `most`, whether one more pod fits.
    std::int64_t had = 0;  ///< Pods that fitted, or whole domains, before the moves.
    std::int64_t has = 0;  ///< Pods that fit, or whole domains, after the moves.
    /// No plan costs less, or, for `most`, has more than `bound_has`. Nothing: no plan reaches the
    /// goal.
    std::optional<MoveCost> bound;
    std::int64_t bound_has = 0;
    bool best = false;         ///< Whether it is known that no plan is better.
    std::uint64_t states = 0;  ///< How many states the exact search looked at.
};

}  // namespace berth::core
