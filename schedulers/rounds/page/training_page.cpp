#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/report/scheduler_page.hpp"
#include "experiments/program/support/typed_json.hpp"
#include "schedulers/rounds/tables/training.hpp"

namespace berth::report {
namespace {

Is<"TrainedModel"> model_data(const TrainedModel& model) {
    return object<"TrainedModel">(field<"model">(model.model),
                                  field<"jobs">(model.jobs),
                                  field<"finished">(model.finished),
                                  field<"steps">(rounded(model.steps)),
                                  field<"done">(rounded(model.steps_done)),
                                  field<"trained">(rounded(model.trained_s)),
                                  field<"launching">(rounded(model.launching_s)),
                                  field<"lost">(rounded(model.lost_s)),
                                  field<"launches">(model.launches));
}

}  // namespace

extern constinit const SchedulerPage rounds_page;
constinit const SchedulerPage rounds_page{
    .key = "training",
    .data = [](const SchedulerResults& results,
               const QuotaPageLimits& /*limits*/) -> nlohmann::ordered_json {
        const auto* trained = dynamic_cast<const TrainedModels*>(&results);
        if (trained == nullptr) {
            return {};
        }
        return object<"Training">(field<"models">(list_of(trained->models, model_data)));
    },
    .limits = [](const RunDirectory& /*run*/,
                 const SchedulerResults& /*results*/) { return std::vector<std::string>(); },
    .says_why_jobs_wait = [](const SchedulerResults& /*results*/) { return false; }};

}  // namespace berth::report
