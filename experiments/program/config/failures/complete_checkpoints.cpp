#include "experiments/program/config/failures/complete_checkpoints.hpp"

#include <memory>
#include <variant>

#include "workloads/failures/optimal_interval.hpp"

namespace berth::experiments {

bool has_random_failures(const core::Value* failures) {
    const core::Value* random =
        failures != nullptr && failures->is_map() ? failures->find("random") : nullptr;
    return random != nullptr && random->is_list() && !random->items.empty();
}

void complete_checkpoints(ExperimentSpec& spec) {
    const auto rates =
        std::make_shared<const workloads::InterruptionRates>(spec.failures, spec.topology);
    const auto complete = [&](sim::Job& job) {
        set_optimal_interval(job, *rates);
        spec.settings.checkpoints = spec.settings.checkpoints || job.checkpoint.has_value();
    };
    for (WorkloadSource& source : spec.workload) {
        if (auto* list = std::get_if<JobList>(&source.what)) {
            for (sim::Job& job : list->jobs) {
                complete(job);
            }
        } else if (auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
            for (workloads::Renewal::Template& entry : renewal->mix) {
                complete(entry.job);
            }
        } else if (auto* file = std::get_if<TraceFile>(&source.what)) {
            file->trace.rates = rates;
            const bool writes = file->trace.plan.checkpoint.has_value();
            spec.settings.checkpoints = spec.settings.checkpoints || writes;
        }
    }
}

}  // namespace berth::experiments
