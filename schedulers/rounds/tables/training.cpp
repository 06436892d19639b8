#include "schedulers/rounds/tables/training.hpp"

#include <map>

#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {

std::shared_ptr<const TrainedModels> read_trained_models(const std::filesystem::path& directory) {
    const std::filesystem::path file = directory / "jobs.csv";
    if (!has_table(file)) {
        return nullptr;
    }
    CsvReader csv(file);
    const auto model = csv.find_column("model");
    const auto launches = csv.find_column("launches");
    if (!model || !launches) {
        return nullptr;
    }
    const auto [outcome, steps, done, work, launching] =
        csv.columns("outcome", "steps", "steps_done", "work_s", "restart_s");
    const auto lost = csv.find_column("lost_s");  // only if pods may be evicted
    std::map<std::string, TrainedModel> models;
    while (csv.next()) {
        if (csv.field(*model).empty()) {
            continue;  // it trains nothing
        }
        TrainedModel& sum = models[csv.field(*model)];
        ++sum.jobs;
        sum.finished += csv.field(outcome) == "finished" ? 1 : 0;
        sum.steps += csv.required_number(steps);
        sum.steps_done += csv.required_number(done);
        sum.trained_s += csv.number(work).value_or(0);
        sum.launching_s += csv.number(launching).value_or(0);
        sum.lost_s += lost ? csv.number(*lost).value_or(0) : 0;
        sum.launches += csv.whole(*launches, 0);
    }
    if (models.empty()) {
        return nullptr;
    }
    auto out = std::make_shared<TrainedModels>();
    for (auto& [name, sum] : models) {
        sum.model = name;
        out->models.push_back(sum);
    }
    return out;
}

}  // namespace berth::report
