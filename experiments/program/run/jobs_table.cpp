#include "experiments/program/run/jobs_table.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "core/tree/device_names.hpp"
#include "sim/measure/times.hpp"

namespace berth::experiments {
namespace {

using sim::JobRecord;

/// GPUs that so many pods of a job ask for.
void write_gpus(TableRow& row,
                const sim::Job& job,
                core::Members pods,
                const core::ResourceSchema& schema) {
    if (const auto gpu = schema.find(core::device_resource::nvidia_gpu)) {
        row.amount(job.demand[*gpu] * pods, *gpu, schema);
    } else {
        row.integer(0);
    }
}

/// jct_s, slowdown and bounded_slowdown of a job that finished.
void write_completion(TableRow& row, const JobRecord& record) {
    if (!record.finish) {
        row.empty(3);
        return;
    }
    // A job that was evicted ran for longer than its work takes.
    const double run =
        sim::seconds(record.job.duration ? *record.job.duration : *record.finish - *record.start);
    const double total = sim::seconds(*record.finish - record.job.submit);
    row.seconds(*record.finish - record.job.submit)
        .number(run > 0 ? std::optional(total / run) : std::nullopt)
        .number(std::max(total / std::max(run, sim::bounded_slowdown_threshold_s), 1.0));
}

/// What its time went into, and how it writes checkpoints. One that writes none, since nothing
/// interrupts it, has no interval.
void write_gain(TableRow& row, const JobRecord& record) {
    row.seconds(record.first_start)
        .seconds(record.kept)
        .seconds(record.writing)
        .seconds(record.restarting);
    const auto& checkpoint = record.job.checkpoint;
    if (!checkpoint) {
        row.empty(4);
        return;
    }
    const bool writes = checkpoint->every != sim::never;
    row.seconds(writes ? std::optional(checkpoint->every) : std::nullopt)
        .seconds(checkpoint->takes)
        .seconds(checkpoint->stall())
        .seconds(checkpoint->restart);
}

/// When its quota was reserved the last time.
std::optional<sim::SimTime> admitted_at(const JobRecord& record) {
    const auto admission = std::find_if(
        record.conditions.rbegin(), record.conditions.rend(), [](const sim::Condition& condition) {
            return condition.type == sim::Condition::Type::admitted;
        });
    return admission == record.conditions.rend() ? std::nullopt : std::optional(admission->at);
}

/// Whose it is, how it ranks and how large it is.
void write_labels(TableRow& row, const ExperimentSpec& spec, const JobRecord& record) {
    const sim::Job& job = record.job;
    row.text(job.user)
        .text(job.job_class)
        .text(job.type)
        .text(job.quota)
        .text(job.quota)
        .integer(job.priority)
        .integer(job.size)
        .integer(record.placed);
    write_gpus(row, job, job.size, spec.topology->resources());
}

/// When it was submitted, ran and was to run, and what that makes.
void write_times(TableRow& row, const JobRecord& record) {
    row.seconds(record.job.submit)
        .seconds(record.start)
        .seconds(record.finish)
        .seconds(record.job.duration)
        .seconds(record.job.estimate)
        .seconds(record.start ? std::optional(record.waited()) : std::nullopt);
    write_completion(row, record);
}

/// What it asked for, and what became of it.
void write_outcome(TableRow& row, const ExperimentSpec& spec, const JobRecord& record) {
    const core::ResourceSchema& schema = spec.topology->resources();
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        row.amount(record.job.demand[resource], resource, schema);
    }
    row.plain(to_string(record.outcome)).text(record.reason);
    if (spec.settings.may_drop()) {
        row.seconds(record.dropped);
    }
    write_evictions(row, spec, record.evictions, record.lost);
    if (spec.settings.kueue) {
        row.seconds(admitted_at(record));
    }
    if (spec.settings.tells_gain()) {
        write_gain(row, record);
    }
    if (spec.settings.detection > sim::SimTime(0)) {
        row.seconds(record.hung);
    }
}

}  // namespace

bool may_evict(const ExperimentSpec& spec) {
    const sim::Settings& settings = spec.settings;
    return spec.outside || settings.kueue || settings.servers_may_leave() ||
           (settings.quotas &&
            (settings.quotas->recycler || settings.quotas->preemptors() != sim::Preemptors::none));
}

void write_evictions(TableRow& row,
                     const ExperimentSpec& spec,
                     const sim::EvictionCounts& evictions,
                     sim::SimTime lost) {
    if (!may_evict(spec)) {
        return;
    }
    for (const auto count :
         std::span(evictions.data(), sim::causes_told(!spec.settings.drains.empty()))) {
        row.integer(count);
    }
    row.seconds(lost);
}

void write_demand(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema) {
    row.empty();
    bool is_first = true;
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        if (const core::Amount amount = job.demand[resource]; amount > 0) {
            row.more(is_first ? "" : " ").more(schema.name(resource)).more("=");
            row.more(amount, resource, schema);
            is_first = false;
        }
    }
}

void write_pod_labels(TableRow& row, const sim::Job& job, const core::ResourceSchema& schema) {
    row.text(job.user).text(job.job_class).text(job.type);
    write_gpus(row, job, 1, schema);
}

void write_jobs_row(std::string& out,
                    const ExperimentSpec& spec,
                    std::uint32_t replication,
                    const JobRecord& record,
                    const AlikeFields* alike) {
    TableRow row(out);
    row.integer(replication).text(record.job.name);
    if (alike != nullptr) {
        row.plain(alike->in_front);
        write_times(row, record);
        row.plain(alike->behind);
    } else {
        write_labels(row, spec, record);
        write_times(row, record);
        write_outcome(row, spec, record);
    }
    row.end();
}

AlikeFields alike_in_jobs_row(const ExperimentSpec& spec, const JobRecord& record) {
    return {fields_of([&](TableRow& row) { write_labels(row, spec, record); }),
            fields_of([&](TableRow& row) { write_outcome(row, spec, record); })};
}

}  // namespace berth::experiments
