#include "experiments/program/config/workload/read_checkpoint.hpp"

#include <memory>
#include <variant>

#include "experiments/program/config/document/fields.hpp"
#include "workloads/failures/optimal_interval.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using sim::SimTime;

void read_optimal(const Value& every,
                  const sim::Checkpoint& checkpoint,
                  bool random_failures,
                  Diagnostics& diagnostics) {
    if (!random_failures) {
        diagnostics.error(every.span,
                          "every: optimal without random failures: expected failures: {random: "
                          "[...]}, or a duration such as 1h");
    } else if (checkpoint.stall() == SimTime(0)) {
        diagnostics.error(every.span,
                          "every: optimal of a checkpoint that takes no time: expected takes, and "
                          "stall if it is said, above 0, or a duration such as 1h");
    }
}

}  // namespace

sim::Checkpoint read_checkpoint(const Value& value,
                                bool random_failures,
                                Diagnostics& diagnostics) {
    sim::Checkpoint checkpoint;
    if (!value.is_map()) {
        expected(value, "a map such as {every: 1h, takes: 2m, restart: 10m}", diagnostics);
        return checkpoint;
    }
    MapReader map(value, "a checkpoint", diagnostics);
    const Value* every = map.need("every");
    const Value* takes = map.take("takes");
    checkpoint.takes = read_duration(map, "takes").value_or(SimTime(0));
    const Value* stall = map.take("stall");
    const auto stops = read_duration(map, "stall");
    if (stops && *stops > checkpoint.takes) {
        expected(*stall, "at most takes, of which it is a part", diagnostics);
    } else if (stops) {
        checkpoint.beside = checkpoint.takes - *stops;
    }
    checkpoint.restart = read_duration(map, "restart").value_or(SimTime(0));
    map.report_unknown_keys();
    if (every == nullptr) {
        return checkpoint;
    }
    if (every->text == "optimal") {
        read_optimal(*every, checkpoint, random_failures, diagnostics);
        return checkpoint;
    }
    const auto interval = read_duration(*every, diagnostics, "optimal, or ");
    if (interval && *interval == SimTime(0)) {
        expected(*every, "optimal, or a duration above 0, such as 1h", diagnostics);
    } else if (interval && checkpoint.takes > *interval) {
        diagnostics.error(takes->span,
                          "a checkpoint that takes longer than its interval: expected takes of at "
                          "most every");
    }
    checkpoint.every = interval.value_or(SimTime(0));
    return checkpoint;
}

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
        spec.settings.training = spec.settings.training || job.training.has_value();
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
            spec.settings.training = spec.settings.training || file->trace.scan.trains;
        }
    }
}

}  // namespace berth::experiments
