#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"
#include "experiments/program/calibrate/recorded_jobs.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/demand.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// By what jobs are grouped when recorded and simulated waits are compared.
enum class CalibrationTrait : std::uint8_t { day, size, user, partition, quota };
inline constexpr std::array<std::string_view, 5> calibration_traits{
    "day", "size", "user", "partition", "quota"};

/// A job in the recording and in the run. Times are on the run's clock.
struct PairedJob {
    std::string name;
    /// Its label for each trait; empty where the job has none.
    std::array<std::string, calibration_traits.size()> labels;
    std::int64_t day = 0;  ///< Days of 24 hours from the beginning of the run to its arrival.
    core::Members size = 1;
    sim::Demand demand;  ///< What each member asks for.
    sim::SimTime recorded_submit{};
    sim::SimTime recorded_start{};
    std::optional<sim::SimTime> recorded_finish;
    sim::SimTime submit{};              ///< When it arrives in the run.
    std::optional<sim::SimTime> start;  ///< Its first start in the run.
    std::optional<sim::SimTime> finish;

    [[nodiscard]] sim::SimTime recorded_wait() const { return recorded_start - recorded_submit; }
    /// The job has started in the run.
    [[nodiscard]] sim::SimTime simulated_wait() const { return *start - submit; }
    /// How much later the run starts it than the recording.
    [[nodiscard]] sim::SimTime late() const { return *start - recorded_start; }
};

/// The jobs of the run's first replication that have a recorded start, in the order of arrival.
struct PairedJobs {
    std::vector<PairedJob> jobs;
    std::uint64_t outside = 0;  ///< Jobs that arrive outside of the metrics' window.
    std::uint64_t without = 0;  ///< Jobs without a recorded submit time and start.
    std::uint64_t before = 0;   ///< Jobs that the recording starts before they were submitted.
    std::uint64_t others = 0;   ///< Jobs of the run that no trace has.
    bool interrupted = false;
};

/// Runs the first replication and finds each job in the recording by its name. Of several jobs of
/// one name, the first to arrive is the first that was recorded.
[[nodiscard]] PairedJobs pair_jobs(const ExperimentSpec& spec,
                                   const std::vector<RecordedJob>& recorded,
                                   unsigned threads,
                                   sim::RunControl& control);

}  // namespace berth::experiments
