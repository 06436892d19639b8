#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/program/run/scheduler_files.hpp"
#include "tests/schedulers/toy/run/toy_settings.hpp"

namespace berth::experiments {

std::vector<SchedulerFile> toy_files(const sim::Settings& settings);
std::vector<SchedulerFile> toy_files(const sim::Settings& settings) {
    if (sim::ToySettings::of(settings) == nullptr) {
        return {};
    }
    return {{"tickets.csv", [](const sim::Settings& of_run) {
                 return fmt::format("count\n{}\n", sim::ToySettings::of(of_run)->tickets);
             }}};
}

}  // namespace berth::experiments
