#include "workloads/trace/training_plan.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::workloads {
namespace {

using sim::BatchChange;
using sim::TrainingPlan;
using Of = TrainingFault::Of;

/// Reads a whole number at the beginning of a text, and takes it and `end` behind it away.
std::int64_t take_number(std::string_view& text, char end) {
    std::int64_t number = -1;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto length = static_cast<std::size_t>(rest - text.data());
    const bool ends = length == text.size() ? end == ' ' : text[length] == end;
    if (fault != std::errc() || !ends) {
        return -1;
    }
    text.remove_prefix(std::min(length + 1, text.size()));
    return number;
}

/// A batch size changes after whole passes, and leaves a number of steps that can be counted.
std::optional<TrainingFault> fault_of_changes(const TrainingPlan& plan) {
    if (!plan.changes.empty() && plan.samples == 0) {
        return TrainingFault{Of::plan, "without the length of a pass", "samples beside it"};
    }
    __extension__ using Wide = __int128;
    for (const BatchChange& change : plan.changes) {
        if (Wide{plan.steps} * plan.batch_size / change.batch_size > sim::steps_max) {
            return TrainingFault{
                Of::steps, "too many with a smaller batch size", "at most 10^12 with any"};
        }
    }
    return std::nullopt;
}

/// The speed of a job that says how long a step takes, with every number of GPUs that it has.
std::optional<TrainingFault> take_own_speed(TrainingPlan& plan, sim::SimTime step_time) {
    constexpr std::int64_t in_a_second = 1'000'000'000 * sim::one_step;
    const std::int64_t speed =
        step_time > sim::SimTime(0) ? (in_a_second + step_time.count() / 2) / step_time.count() : 0;
    if (speed == 0) {
        return TrainingFault{
            Of::step_time, "no time of a step", "seconds above 0 and at most 2 000 000"};
    }
    if (!plan.changes.empty()) {
        return TrainingFault{
            Of::step_time, "one time for several batch sizes", "a table of speeds, or no plan"};
    }
    auto speeds = std::make_shared<sim::ModelSpeeds>();
    speeds->add({plan.batch_size, plan.gpus, "", true}, speed);
    plan.speeds = std::move(speeds);
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<BatchChange>> parse_batch_changes(std::string_view text) {
    std::vector<BatchChange> changes;
    while (!text.empty()) {
        BatchChange change;
        change.batch_size = take_number(text, '@');
        change.epoch = change.batch_size > 0 ? take_number(text, ' ') : -1;
        const std::int64_t before = changes.empty() ? 0 : changes.back().epoch;
        if (change.epoch <= before || change.batch_size > sim::steps_max) {
            return std::nullopt;
        }
        changes.push_back(change);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    return changes;
}

std::optional<TrainingFault> complete_plan(TrainingPlan& plan,
                                           std::optional<sim::SimTime> step_time,
                                           const SpeedTable* table) {
    if (auto fault = fault_of_changes(plan)) {
        return fault;
    }
    if (step_time) {
        return take_own_speed(plan, *step_time);
    }
    BERTH_ASSERT(table != nullptr, "a job without a speed of its own has one in a table");
    std::vector<std::int64_t> sizes{plan.batch_size};
    std::ranges::transform(plan.changes, std::back_inserter(sizes), &BatchChange::batch_size);
    std::string lack;
    plan.speeds = table->speeds_of(plan.model, plan.gpus, sizes, lack);
    plan.usual_machine_type = table->machine_types.front();
    return plan.speeds == nullptr ? std::optional(TrainingFault{Of::model, lack, ""})
                                  : std::nullopt;
}

}  // namespace berth::workloads
