#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/schedulers/outside/outside_actions.hpp"

namespace berth::python {

/// How large the arrays of an environment are.
struct EnvironmentShape {
    std::size_t slots = 0;  ///< How many of the waiting jobs are seen.
    std::size_t servers = 0;
    std::size_t resources = 0;
    std::vector<double> scale;  ///< By resource, what the largest server has.
};

/// Arrays that an environment writes, row by row. Their owner keeps them as long as it lives.
struct QueueArrays {
    float* free = nullptr;        ///< servers x resources, as shares of the scale.
    float* demand = nullptr;      ///< slots x resources, of one pod.
    float* size = nullptr;        ///< slots
    float* wait = nullptr;        ///< slots, in hours
    float* estimate = nullptr;    ///< slots, in hours
    float* waiting = nullptr;     ///< One: how many jobs wait.
    std::int8_t* mask = nullptr;  ///< By action, whether it can be carried out.
};

/// The first waiting jobs of a run and the servers, as the actions of an environment name them:
/// action slot * servers + server starts the job in that slot on that server, and what members of
/// a group it has no room for on the servers behind it. The last action starts nothing.
class ShownQueue {
public:
    ShownQueue(EnvironmentShape shape, QueueArrays arrays);

    /// Shows the run as it is now.
    /// Cost: O(slots x servers x resources + waiting jobs).
    void look(const sim::OutsideActions& see);
    /// Shows a run that is over.
    void show_nothing();

    [[nodiscard]] std::int64_t action_count() const;
    /// Whether the job of some slot can be started, as of the last look.
    [[nodiscard]] bool can_start() const { return can_start_; }
    /// How many pods the waiting jobs have, as of the last look.
    [[nodiscard]] std::int64_t pods_waiting() const { return pods_waiting_; }
    /// The job that an action starts, and where; nothing: it starts none, or cannot be carried out.
    [[nodiscard]] std::optional<std::pair<sim::JobId, std::vector<core::PlacedNode>>> start_of(
        const sim::OutsideActions& see, std::int64_t action);

private:
    void show_free(const sim::OutsideActions& see);
    bool find_rooms(const sim::OutsideActions& see, const sim::Job& job);
    void show_job(const sim::OutsideActions& see, std::size_t slot, const sim::Job& job);

    EnvironmentShape shape_;
    QueueArrays arrays_;
    std::vector<sim::JobId> jobs_;      ///< By slot.
    std::vector<core::Members> rooms_;  ///< By server, for the members of the job looked at last.
    std::vector<core::Amount> most_free_;  ///< By resource, on any server.
    bool can_start_ = false;
    std::int64_t pods_waiting_ = 0;
};

}  // namespace berth::python
