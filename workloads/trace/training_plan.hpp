#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/job/training.hpp"
#include "workloads/trace/speed_table.hpp"

namespace berth::workloads {

/// Reads batch sizes and the epochs from which on they hold, such as `20@11 40@21`.
/// Returns: nothing if the text is no such list, with later and later epochs.
[[nodiscard]] std::optional<std::vector<sim::BatchChange>> parse_batch_changes(
    std::string_view text);

/// Why a job cannot train as it states.
struct TrainingFault {
    enum class Of : std::uint8_t { steps, plan, step_time, model };
    Of of{};  ///< What it states wrongly.
    std::string what;
    std::string expected;  ///< Empty if `what` says that, too.
};

/// Gives a plan its speeds: those of `table`, or the job's own if it states how long a step takes.
/// All else of the plan is there.
///
/// Shape:   there is a table, or a time of a step.
/// Returns: why the plan cannot be carried out, or nothing if it can.
[[nodiscard]] std::optional<TrainingFault> complete_plan(sim::TrainingPlan& plan,
                                                         std::optional<sim::SimTime> step_time,
                                                         const SpeedTable* table);

}  // namespace berth::workloads
