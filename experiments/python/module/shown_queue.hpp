#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/schedulers/outside/outside_actions.hpp"

namespace berth::python {

/// The sizes of an environment's arrays.
struct EnvironmentShape {
    std::size_t slots = 0;  ///< How many of the waiting jobs are visible.
    std::size_t servers = 0;
    std::size_t resources = 0;
    std::vector<double> scale;  ///< The amounts of the largest server, by resource.
};

/// The arrays that an environment writes, row by row. Their owner keeps them alive as long as the
/// environment lives.
struct QueueArrays {
    float* free = nullptr;        ///< servers x resources, as shares of the scale.
    float* demand = nullptr;      ///< slots x resources: the demand of one pod.
    float* size = nullptr;        ///< The number of members, by slot.
    float* wait = nullptr;        ///< How long the job has waited, in hours, by slot.
    float* estimate = nullptr;    ///< The job's estimate in hours, by slot.
    float* waiting = nullptr;     ///< A single number: how many jobs wait.
    std::int8_t* mask = nullptr;  ///< Whether each action can be carried out, by action.
};

/// The first waiting jobs of a run and the servers, as the actions of an environment name them.
/// Action slot * servers + server starts the job in that slot on that server; members of a group
/// that do not fit there go to the servers behind it. The last action starts nothing.
class ShownQueue {
public:
    ShownQueue(EnvironmentShape shape, QueueArrays arrays);

    /// Shows the run as it is now.
    /// Cost: O(slots x servers x resources + waiting jobs).
    void look(const sim::OutsideActions& see);
    /// Shows that the run is over.
    void show_nothing();

    [[nodiscard]] std::int64_t action_count() const;
    /// Whether any visible job can be started, as of the last look.
    [[nodiscard]] bool can_start() const { return can_start_; }
    /// How many pods the waiting jobs have, as of the last look.
    [[nodiscard]] std::int64_t pods_waiting() const { return pods_waiting_; }
    /// The job that an action starts, and where; nothing: it starts no job or cannot be carried
    /// out.
    [[nodiscard]] std::optional<std::pair<sim::JobId, std::vector<core::PlacedNode>>> start_of(
        const sim::OutsideActions& see, std::int64_t action);

private:
    void show_free(const sim::OutsideActions& see);
    bool find_rooms(const sim::OutsideActions& see, const sim::Job& job);
    void show_job(const sim::OutsideActions& see, std::size_t slot, const sim::Job& job);

    EnvironmentShape shape_;
    QueueArrays arrays_;
    std::vector<sim::JobId> jobs_;  ///< The visible jobs, by slot.
    /// How many members of the last job looked at fit on each server, by server index.
    std::vector<core::Members> rooms_;
    std::vector<core::Amount> most_free_;  ///< The most that is free on any server, by resource.
    bool can_start_ = false;
    std::int64_t pods_waiting_ = 0;
};

}  // namespace berth::python
