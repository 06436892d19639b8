#include "experiments/program/run/jobs_table.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tree/resources.hpp"
#include "experiments/program/run/admissions_table.hpp"
#include "sim/measure/group_shape.hpp"
#include "sim/measure/times.hpp"

namespace berth::experiments {
namespace {

using sim::JobRecord;

/// Writes how many GPUs `pods` pods of a job ask for.
void write_gpus(TableRow& row,
                const sim::Job& job,
                core::Members pods,
                const core::ResourceSchema& schema) {
    core::Amount asked = 0;
    std::optional<std::size_t> gpu;  // GPUs of all vendors count alike
    for (std::size_t resource = 0; resource < schema.size(); ++resource) {
        if (schema.is_gpu(resource)) {
            asked = core::checked_add(asked, job.demand[resource] * pods).value_or(INT64_MAX);
            gpu = resource;
        }
    }
    if (gpu) {
        row.amount(asked, *gpu, schema);
    } else {
        row.integer(0);
    }
}

/// How long a finished job took, and how long it ran.
struct Completion {
    sim::SimTime total{};
    /// The run time in seconds. An evicted job ran for longer than its work takes.
    double run = 0;
    explicit Completion(const JobRecord& record)
        : total(*record.finish - record.job.submit),
          run(sim::seconds(record.job.duration ? *record.job.duration
                                               : *record.finish - *record.start)) {}
};

/// Writes submit_s, start_s and finish_s.
void write_when(TableRow& row, const JobRecord& record) {
    row.seconds(record.job.submit).seconds(record.start).seconds(record.finish);
}

/// Writes duration_s and estimate_s.
void write_expected(TableRow& row, const JobRecord& record) {
    row.seconds(record.job.duration).seconds(record.job.estimate);
}

/// Writes wait_s, jct_s and slowdown.
void write_how_long(TableRow& row, const JobRecord& record) {
    row.seconds(record.start ? std::optional(record.waited()) : std::nullopt);
    if (!record.finish) {
        row.empty(2);
        return;
    }
    const Completion took(record);
    row.seconds(took.total)
        .number(took.run > 0 ? std::optional(sim::seconds(took.total) / took.run) : std::nullopt);
}

void write_bounded_slowdown(TableRow& row, const JobRecord& record) {
    if (!record.finish) {
        row.empty();
        return;
    }
    const Completion took(record);
    row.number(std::max(
        sim::seconds(took.total) / std::max(took.run, sim::bounded_slowdown_threshold_s), 1.0));
}

/// Writes how the job's time was used, and how it writes checkpoints. A job that writes none,
/// because nothing interrupts it, has no interval.
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

/// Writes how far a job came that trains.
void write_training(TableRow& row, const JobRecord& record) {
    const auto& training = record.job.training;
    if (!training) {
        row.empty(7);
        return;
    }
    const auto steps = [](sim::MicroSteps number) {
        return std::optional(static_cast<double>(number) / sim::one_step);
    };
    row.text(training->plan().model)
        .integer(training->batch_size())
        .number(steps(training->total()))
        .number(steps(training->done()))
        .number(steps(training->speed()))
        .integer(training->epoch())
        .integer(training->launches());
}

/// When the job's quota was reserved for the last time.
std::optional<sim::SimTime> admitted_at(const JobRecord& record) {
    const auto admission = std::find_if(
        record.conditions.rbegin(), record.conditions.rend(), [](const sim::Condition& condition) {
            return condition.type == sim::Condition::Type::admitted;
        });
    return admission == record.conditions.rend() ? std::nullopt : std::optional(admission->at);
}

/// Writes the job's owner, its rank and its size.
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

/// Writes what the job asked for, and its outcome.
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
    if (spec.settings.admission) {
        row.seconds(admitted_at(record));
    }
    if (spec.settings.tells_gain()) {
        write_gain(row, record);
    }
    if (spec.settings.training) {
        write_training(row, record);
    }
    if (spec.settings.detection > sim::SimTime(0)) {
        row.seconds(record.hung);
    }
}

}  // namespace

void write_groups_row(std::string& out,
                      const ExperimentSpec& spec,
                      std::uint32_t replication,
                      const sim::JobRecord& record) {
    const core::Topology& tree = *spec.topology;
    const bool started = record.start.has_value();
    TableRow row(out);
    row.integer(replication)
        .text(record.job.name)
        .integer(record.job.size)
        .integer(record.placed)
        .seconds(record.job.submit)
        .seconds(record.start)
        .seconds(record.finish)
        .seconds(started ? std::optional(record.waited()) : std::nullopt)
        .truth(started && sim::satisfied(record, tree));
    const sim::GroupShape shape = sim::shape_of(record.placement, tree);
    for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
        if (started) {
            const auto& at = shape.levels[level];
            row.integer(at.used).integer(at.min).integer(at.max);
        } else {
            row.empty(3);
        }
    }
    row.number(started ? std::optional(shape.mean_distance) : std::nullopt);
    write_demand(row, record.job, tree.resources());
    if (spec.settings.admission) {
        row.text(asked_for(record.job, tree));
    }
    row.end();
}

bool may_evict(const ExperimentSpec& spec) {
    const sim::Settings& settings = spec.settings;
    return spec.outside || settings.admission || settings.scheduler ||
           settings.servers_may_leave() ||
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
            if (!is_first) {
                row.more(" ");
            }
            row.more(schema.name(resource)).more("=").more(amount, resource, schema);
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
                    const JobRecord& record) {
    TableRow row(out);
    row.integer(replication).text(record.job.name);
    write_labels(row, spec, record);
    write_when(row, record);
    write_expected(row, record);
    write_how_long(row, record);
    write_bounded_slowdown(row, record);
    write_outcome(row, spec, record);
    row.end();
}

void write_jobs_row(std::string& out,
                    std::uint32_t replication,
                    const JobRecord& record,
                    const AlikeFields& alike,
                    const SharedTimes& times) {
    TableRow row(out);
    row.integer(replication).text(record.job.name).plain(alike.in_front).plain(times.when);
    write_expected(row, record);
    row.plain(times.how_long);
    write_bounded_slowdown(row, record);
    row.plain(alike.behind).end();
}

void take_times(SharedTimes& times, const JobRecord& record) {
    assign_fields(times.when, [&](TableRow& row) { write_when(row, record); });
    assign_fields(times.how_long, [&](TableRow& row) { write_how_long(row, record); });
}

AlikeFields alike_in_jobs_row(const ExperimentSpec& spec, const JobRecord& record) {
    return {fields_of([&](TableRow& row) { write_labels(row, spec, record); }),
            fields_of([&](TableRow& row) { write_outcome(row, spec, record); })};
}

}  // namespace berth::experiments
