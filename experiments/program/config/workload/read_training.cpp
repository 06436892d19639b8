#include "experiments/program/config/workload/read_training.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "core/tree/gpu_resource.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/trace_pods.hpp"
#include "workloads/trace/training_plan.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using workloads::TrainingFault;

constexpr std::int64_t gpus_max = 1'000'000;

/// Reads all of a plan but its speeds.
sim::TrainingPlan read_plan(MapReader& map, Diagnostics& diagnostics) {
    sim::TrainingPlan plan;
    for (const char* key : {"model", "batchSize", "steps"}) {
        (void)map.need(key);
    }
    plan.model = map.text("model", "");
    plan.gpus = map.integer("gpus", 1, 1, gpus_max);
    plan.batch_size = map.integer("batchSize", 1, 1, sim::steps_max);
    plan.steps = map.integer("steps", 1, 1, sim::steps_max);
    plan.samples = map.integer("samples", 0, 1, sim::steps_max);
    plan.limit = read_duration(map, "limit");
    if (const Value* changes = map.take("plan")) {
        auto parsed = workloads::parse_batch_changes(changes->text);
        if (!parsed || parsed->empty()) {
            expected(*changes,
                     "BATCH_SIZE@EPOCH with later and later epochs, such as 20@11 40@21",
                     diagnostics);
        }
        plan.changes = std::move(parsed).value_or(std::vector<sim::BatchChange>());
    }
    return plan;
}

/// Tells why a plan cannot be carried out, where the job states what is wrong.
void refuse(const Value& training, const TrainingFault& fault, Diagnostics& diagnostics) {
    using Of = TrainingFault::Of;
    const char* key = fault.of == Of::steps       ? "steps"
                      : fault.of == Of::plan      ? "plan"
                      : fault.of == Of::step_time ? "stepTime"
                                                  : "model";
    const Value* stated = training.find(key);
    diagnostics.error(stated != nullptr ? stated->span : training.span,
                      fault.expected.empty()
                          ? fault.what
                          : fmt::format("{}: {}: expected {}", key, fault.what, fault.expected));
}

}  // namespace

std::shared_ptr<const workloads::SpeedTable> read_speeds(const Value& value,
                                                         Diagnostics& diagnostics) {
    MapReader map(value, "speeds", diagnostics);
    (void)map.take("file");  // was replaced by its content when the experiment was resolved
    const Value* csv = map.take("csv");
    const bool interpolates = map.boolean("interpolate", false);
    map.report_unknown_keys();
    if (csv == nullptr) {
        expected(value, "a table such as {file: speeds.csv}", diagnostics);
        return nullptr;
    }
    workloads::SpeedTable table = workloads::read_speed_table(csv->text, csv->span.source->name);
    table.interpolates = interpolates;
    return std::make_shared<const workloads::SpeedTable>(std::move(table));
}

std::shared_ptr<const workloads::SpeedTable> speeds_on(workloads::SpeedTable table,
                                                       const core::Topology& tree) {
    const auto tells_types = [](const auto& model) {
        return std::ranges::any_of(model.second->rows(),
                                   [](const auto& row) { return !row.first.machine_type.empty(); });
    };
    if (std::ranges::any_of(table.models, tells_types)) {
        const auto gpu = core::gpu_resource(tree);
        table.machine_types.clear();
        for (const core::MachineType& type : tree.machine_types()) {
            if (gpu && type.capacity(static_cast<Eigen::Index>(*gpu)) > 0) {
                table.machine_types.push_back(type.name);
            }
        }
        if (table.machine_types.empty()) {
            table.machine_types = {""};  // another message says that there are no GPUs
        }
    }
    return std::make_shared<const workloads::SpeedTable>(std::move(table));
}

sim::Job read_training(const Value& value, const core::Topology& tree, Diagnostics& diagnostics) {
    MapReader map(value, "training", diagnostics);
    const std::size_t errors = diagnostics.error_count();
    auto plan = std::make_shared<sim::TrainingPlan>(read_plan(map, diagnostics));
    const auto step_time = read_duration(map, "stepTime");
    std::shared_ptr<const workloads::SpeedTable> table;
    if (const Value* speeds = map.take("speeds")) {
        table = read_speeds(*speeds, diagnostics);
        table = table != nullptr ? speeds_on(*table, tree) : nullptr;
    }
    map.report_unknown_keys();
    workloads::TraceJob asked;
    asked.members = plan->gpus;
    asked.gpus.count = 1;
    asked.gpus.milli = core::gpu_whole_milli;
    sim::Job job =
        workloads::TracePods(tree.resources(), workloads::TraceQuota::none).job_of(asked);
    if (diagnostics.error_count() != errors) {
        return job;
    }
    if ((table != nullptr) == step_time.has_value()) {
        expected(value, "stepTime, or speeds: {file: FILE}, in training", diagnostics);
        return job;
    }
    if (const auto fault = workloads::complete_plan(*plan, step_time, table.get())) {
        refuse(value, *fault, diagnostics);
        return job;
    }
    job.training.emplace(std::move(plan));
    job.duration = job.training->time_left();
    if (*job.duration > workloads::time_max) {
        expected(value, "training of at most 146 years", diagnostics);
    }
    return job;
}

}  // namespace berth::experiments
