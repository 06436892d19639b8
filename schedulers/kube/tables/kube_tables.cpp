#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

extern constinit const SchedulerTables kube_tables;
constinit const SchedulerTables kube_tables{
    .key = "kube",
    .read = [](const std::filesystem::path& /*directory*/,
               std::int64_t /*replications*/,
               std::optional<double> /*end_s*/) -> std::shared_ptr<const SchedulerResults> {
        return nullptr;  // no page shows the devices
    },
    .in_words =
        [](const YAML::Node& /*settings*/) {
            SchedulerWords words;
            words.places = "placed by kube-scheduler";
            words.places_all = true;
            return words;
        }};

}  // namespace berth::report
