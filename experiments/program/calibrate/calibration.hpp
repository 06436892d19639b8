#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/calibrate/agreement.hpp"
#include "experiments/program/calibrate/causes.hpp"
#include "experiments/program/calibrate/paired_jobs.hpp"
#include "experiments/program/calibrate/use_curves.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/support/typed_json.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// A job that the run starts far from when the recording does.
struct Disagreement {
    const PairedJob* job = nullptr;
    std::string why;  ///< Why it waited in the run, in a sentence or two.
};

/// What is known of how near an experiment comes to what its traces recorded.
struct Calibration {
    PairedJobs pairs;
    Agreement all;
    /// By trait, in the order of CalibrationTrait; empty for a trait that tells nothing apart.
    std::vector<std::vector<Agreement>> groups;
    UseCurves curves;
    std::vector<CalibrationCause> causes;
    std::vector<Disagreement> largest;  ///< The jobs that differ most, the farthest first.
};

/// Runs the experiment's first replication and compares the starts of its jobs with the recorded
/// ones; then asks of the `explained` jobs that differ most why they waited in the run.
///
/// Cost:   a run, and up to two more for each explained job, in threads.
/// Errors: core::InputError as of read_recorded_jobs(), and if no job can be compared.
/// Returns: an incomplete result if it was interrupted; the control then says so.
[[nodiscard]] Calibration calibrate(const std::string& file,
                                    const ExperimentSpec& spec,
                                    std::size_t explained,
                                    unsigned threads,
                                    sim::RunControl& control);

/// The number that one can quote: `mean wait 12 % too short; 81 % of jobs start within 10 min of
/// the recorded start`.
[[nodiscard]] std::string headline_text(const Calibration& calibration);
/// The result for people. It ends in a line break.
[[nodiscard]] std::string calibration_text(const ExperimentSpec& spec,
                                           const Calibration& calibration);
/// The result for programs: docs/reference/calibrate.md.
[[nodiscard]] report::Is<"Calibration"> calibration_json(const ExperimentSpec& spec,
                                                         const Calibration& calibration);
/// A page of it, which is complete in itself.
[[nodiscard]] std::string calibration_page(const ExperimentSpec& spec,
                                           const Calibration& calibration);
/// Mean waits by day and use over time, as SVG.
/// Errors: std::runtime_error if Node.js, which draws it, is missing or fails.
[[nodiscard]] std::string calibration_picture(const ExperimentSpec& spec,
                                              const Calibration& calibration);
/// A table with a row for each compared job, in the order of arrival.
[[nodiscard]] std::string calibration_csv(const Calibration& calibration);

}  // namespace berth::experiments
