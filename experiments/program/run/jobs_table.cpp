#include "experiments/program/run/jobs_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/support/csv_record.hpp"
#include "core/tree/device_names.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/support/sql_names.hpp"
#include "sim/measure/job_metrics.hpp"

namespace berth::experiments {
namespace {

using sim::format_seconds;
using sim::JobRecord;

std::string optional_seconds(const std::optional<sim::SimTime>& time) {
    return time ? format_seconds(*time) : "";
}

/// GPUs that so many pods of a job ask for.
std::string gpus_of(const sim::Job& job, core::Members pods, const core::ResourceSchema& schema) {
    const auto gpu = schema.find(core::device_resource::nvidia_gpu);
    return gpu ? plain_amount(job.demand[*gpu] * pods, *gpu, schema) : "0";
}

/// jct_s, slowdown and bounded_slowdown of a job that finished.
std::string completion_columns(const JobRecord& record) {
    if (!record.finish) {
        return ",,";
    }
    // A job that was evicted ran for longer than its work takes.
    const double run =
        sim::seconds(record.job.duration ? *record.job.duration : *record.finish - *record.start);
    const double total = sim::seconds(*record.finish - record.job.submit);
    return fmt::format("{},{},{}",
                       format_seconds(*record.finish - record.job.submit),
                       run > 0 ? fmt::format("{}", total / run) : "",
                       std::max(total / std::max(run, sim::bounded_slowdown_threshold_s), 1.0));
}

/// What its time went into, and how it writes checkpoints. One that writes none, since nothing
/// interrupts it, has no interval.
std::string gain_columns(const JobRecord& record) {
    const auto& checkpoint = record.job.checkpoint;
    const bool writes = checkpoint && checkpoint->every != sim::never;
    return fmt::format(",{},{},{},{},{}",
                       optional_seconds(record.first_start),
                       format_seconds(record.kept),
                       format_seconds(record.writing),
                       format_seconds(record.restarting),
                       checkpoint ? fmt::format("{},{},{},{}",
                                                writes ? format_seconds(checkpoint->every) : "",
                                                format_seconds(checkpoint->takes),
                                                format_seconds(checkpoint->stall()),
                                                format_seconds(checkpoint->restart))
                                  : ",,,");
}

/// When its quota was reserved the last time.
std::string admission_column(const JobRecord& record) {
    const auto admission = std::find_if(
        record.conditions.rbegin(), record.conditions.rend(), [](const sim::Condition& condition) {
            return condition.type == sim::Condition::Type::admitted;
        });
    return admission == record.conditions.rend() ? "," : "," + format_seconds(admission->at);
}

}  // namespace

std::string plain_amount(core::Amount amount,
                         std::size_t resource,
                         const core::ResourceSchema& schema) {
    const core::Amount per_unit = schema.per_unit(resource);
    if (amount % per_unit == 0) {
        return fmt::to_string(amount / per_unit);
    }
    return fmt::to_string(static_cast<double>(amount) / static_cast<double>(per_unit));
}

bool may_evict(const ExperimentSpec& spec) {
    const sim::Settings& settings = spec.settings;
    return spec.outside || settings.kueue || settings.servers_may_leave() ||
           (settings.quotas &&
            (settings.quotas->recycler || settings.quotas->preemptors() != sim::Preemptors::none));
}

std::string eviction_columns(const ExperimentSpec& spec,
                             const sim::EvictionCounts& evictions,
                             sim::SimTime lost) {
    if (!may_evict(spec)) {
        return "";
    }
    const std::span told(evictions.data(), sim::causes_told(!spec.settings.drains.empty()));
    return fmt::format(",{},{}", fmt::join(told, ","), format_seconds(lost));
}

std::string pod_label_columns(const sim::Job& job, const core::ResourceSchema& schema) {
    return fmt::format(",{},{},{},{}",
                       core::csv_field(job.user),
                       core::csv_field(job.job_class),
                       core::csv_field(job.type),
                       gpus_of(job, 1, schema));
}

std::string jobs_row(const ExperimentSpec& spec,
                     std::uint32_t replication,
                     const JobRecord& record) {
    const sim::Job& job = record.job;
    const core::ResourceSchema& schema = spec.topology->resources();
    std::string demand;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        demand += "," + plain_amount(job.demand[resource], resource, schema);
    }
    return fmt::format(
        "{0},{1},{2},{3},{4},{5},{5},{6},{7},{8},{9},{10},{11},{12},{13},{14},{15},{16}{17},{18},{"
        "19}"
        "{20}{21}{22}{23}{24}\n",
        replication,
        core::csv_field(job.name),
        core::csv_field(job.user),
        core::csv_field(job.job_class),
        core::csv_field(job.type),
        core::csv_field(job.quota),
        job.priority,
        job.size,
        record.placed,
        gpus_of(job, job.size, schema),
        format_seconds(job.submit),
        optional_seconds(record.start),
        optional_seconds(record.finish),
        optional_seconds(job.duration),
        optional_seconds(job.estimate),
        record.start ? format_seconds(record.waited()) : "",
        completion_columns(record),
        demand,
        to_string(record.outcome),
        core::csv_field(record.reason),
        spec.settings.may_drop() ? "," + optional_seconds(record.dropped) : "",
        eviction_columns(spec, record.evictions, record.lost),
        spec.settings.kueue ? admission_column(record) : "",
        spec.settings.tells_gain() ? gain_columns(record) : "",
        spec.settings.detection > sim::SimTime(0) ? "," + format_seconds(record.hung) : "");
}

}  // namespace berth::experiments
