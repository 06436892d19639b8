#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/clock/optional_time.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// Steps, and steps a second, in millionths, so that sums are exact.
using MicroSteps = std::int64_t;
inline constexpr MicroSteps one_step = 1'000'000;
/// Most steps of a job, with any batch size that it comes to.
inline constexpr std::int64_t steps_max = 1'000'000'000'000;

/// How long steps take: `steps` at `speed` millionths of a step a second, rounded up to a
/// nanosecond; `never` if that does not fit. `speed` is above 0.
[[nodiscard]] SimTime time_for_steps(MicroSteps steps, MicroSteps speed);
/// What is done in `time`, rounded down.
[[nodiscard]] MicroSteps steps_in(SimTime time, MicroSteps speed);

/// How fast a job trains: a row of a table of speeds.
struct SpeedKey {
    std::int64_t batch_size = 0;
    std::int64_t gpus = 0;  ///< Of the whole job.
    std::string machine_type;
    bool together = true;  ///< All of its pods are on one server.
    friend auto operator<=>(const SpeedKey&, const SpeedKey&) = default;
};

/// The speeds of one model, in millionths of a step a second. Rows without a machine type hold for
/// every type; a job whose pods are apart has the row of those that are together if there is no
/// other.
class ModelSpeeds {
public:
    void add(SpeedKey key, MicroSteps speed) { rows_[std::move(key)] = speed; }
    /// Returns: the speed, or 0 if no row says it. Cost: O(log rows).
    [[nodiscard]] MicroSteps find(const SpeedKey& key) const;
    [[nodiscard]] const std::map<SpeedKey, MicroSteps>& rows() const { return rows_; }

private:
    std::map<SpeedKey, MicroSteps> rows_;
};

/// From this epoch of its script on, a job trains with this batch size.
struct BatchChange {
    std::int64_t epoch = 0;
    std::int64_t batch_size = 0;
};

/// What a job states that trains a model: its work is a number of steps.
struct TrainingPlan {
    std::string model;
    std::int64_t steps = 0;  ///< With the batch size at the start.
    std::int64_t batch_size = 0;
    std::int64_t gpus = 0;     ///< Of the whole job.
    std::int64_t samples = 0;  ///< In one pass over the data; 0: its batch size never changes.
    std::vector<BatchChange> changes;  ///< In order of their epochs, which are above 0.
    OptionalTime limit;  ///< It ends once it has trained for this long, even if steps are left.
    std::shared_ptr<const ModelSpeeds> speeds;
    /// The row that counts before the job has a place: its machine type.
    std::string usual_machine_type;
};

/// A job that trains a model, and how far it is. It trains in leases: in one lease, it passes over
/// its data again and again, at one speed. A pass that is cut begins anew in the next lease, though
/// its steps count. After a whole pass, the batch size may change, which ends the lease; steps done
/// and left are then converted.
///
/// Cost:   O(log rows) to begin a lease and O(changes) to predict, or O(1).
/// Source: Zheng et al., "Shockwave: Fair and Efficient Cluster Scheduling for Dynamic Adaptation
///         in Machine Learning" (NSDI 2023), section 5 and its published artifact.
class Training {
public:
    /// The plan is complete: each batch size that comes has a speed.
    explicit Training(std::shared_ptr<const TrainingPlan> plan);

    [[nodiscard]] const TrainingPlan& plan() const { return *plan_; }
    [[nodiscard]] std::int64_t batch_size() const { return batch_size_; }
    /// How many whole passes its script has seen; it decides about the batch size.
    [[nodiscard]] std::int64_t epoch() const { return epoch_; }
    [[nodiscard]] MicroSteps done() const { return done_; }    ///< At the present batch size.
    [[nodiscard]] MicroSteps total() const { return total_; }  ///< At the present batch size.
    [[nodiscard]] MicroSteps left() const { return total_ - done_; }
    [[nodiscard]] std::uint32_t launches() const { return launches_; }
    /// The speed in the present lease, or in the last one.
    [[nodiscard]] MicroSteps speed() const { return speed_; }
    [[nodiscard]] bool is_done() const { return done_ >= total_; }
    [[nodiscard]] bool is_at_limit() const { return plan_->limit && trained_ >= *plan_->limit; }
    /// The speed that the table states for a batch size of the plan, together on the usual type.
    [[nodiscard]] MicroSteps usual_speed(std::int64_t batch_size) const;
    /// The speed that the table states for the present batch size, at a place.
    [[nodiscard]] MicroSteps speed_on(const std::string& machine_type, bool together) const {
        return plan_->speeds->find({batch_size_, plan_->gpus, machine_type, together});
    }

    /// The job starts at its places, or starts there anew, and trains there at this speed.
    void begin_lease(MicroSteps speed);
    /// How long it trains until the lease ends by itself: since all is done, at its limit, or since
    /// the batch size changes.
    [[nodiscard]] SimTime time_of_lease() const;
    /// The lease is over, after training for `time` that counts. A nanosecond may be missing at its
    /// own end, since times are rounded where a job runs longer than its work takes.
    void end_lease(SimTime time);
    /// How long all that is left takes from now on if nothing interrupts it: the present batch size
    /// at the present speed, later ones at the usual ones; `never` if that is too long.
    [[nodiscard]] SimTime time_left() const;

private:
    /// The next change that alters the batch size; plan().changes.size() if there is none.
    [[nodiscard]] std::size_t next_change() const;
    [[nodiscard]] MicroSteps pass() const;  ///< Steps of one pass, in millionths.
    void change_batch_size(std::int64_t batch_size);

    std::shared_ptr<const TrainingPlan> plan_;
    MicroSteps total_ = 0;
    MicroSteps done_ = 0;
    std::int64_t batch_size_ = 0;
    std::int64_t epoch_ = 0;
    MicroSteps speed_ = 0;
    SimTime trained_{};
    std::uint32_t launches_ = 0;
};

}  // namespace berth::sim
