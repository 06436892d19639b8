#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "experiments/program/results/scheduler_results.hpp"
#include "experiments/program/results/setup_text.hpp"
#include "schedulers/rounds/tables/training.hpp"

namespace berth::report {

extern constinit const SchedulerTables rounds_tables;
constinit const SchedulerTables rounds_tables{
    .key = "rounds",
    .read = [](const std::filesystem::path& directory,
               std::int64_t /*replications*/,
               std::optional<double> /*end_s*/) -> std::shared_ptr<const SchedulerResults> {
        return read_trained_models(directory);
    },
    .in_words =
        [](const YAML::Node& settings) {
            const std::string policy = text_of(child(settings, "policy"));
            SchedulerWords words;
            words.places = policy.empty() ? "placed as a recorded schedule says"
                                          : fmt::format("placed in rounds by {}", policy);
            words.places_all = true;
            return words;
        }};

}  // namespace berth::report
