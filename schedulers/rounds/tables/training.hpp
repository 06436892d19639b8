#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

/// What the jobs did that trained one model, over all replications.
struct TrainedModel {
    std::string model;
    std::int64_t jobs = 0;
    std::int64_t finished = 0;
    double steps = 0;       ///< The work of all jobs, each with its batch size at the end.
    double steps_done = 0;  ///< The part of that work that was done.
    double trained_s = 0;   ///< The time of training whose steps were kept.
    double launching_s = 0;
    double lost_s = 0;  ///< The time of training that was lost and done again.
    std::int64_t launches = 0;
};

/// The jobs of a run that trained, whatever scheduler decided it.
struct TrainedModels final : SchedulerResults {
    std::vector<TrainedModel> models;  ///< The models, sorted by name.
};

/// Returns: nullptr if no job of the run trained.
/// Errors: core::InputError with the file, the line and the column.
[[nodiscard]] std::shared_ptr<const TrainedModels> read_trained_models(
    const std::filesystem::path& directory);

}  // namespace berth::report
