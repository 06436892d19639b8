#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/support/source.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

/// The jobs of a list, with the lifetimes that are drawn for one replication.
std::vector<sim::Job> jobs_of(const JobList& list, std::uint64_t seed, const std::string& name) {
    std::vector<sim::Job> jobs = list.jobs;
    if (list.drawn.empty()) {
        return jobs;
    }
    const sim::RandomSeries series(seed, fmt::format("running/{}/lifetime", name));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto known = list.drawn.find(jobs[i].name);
        if (known == list.drawn.end()) {
            continue;
        }
        const DrawnLifetime& drawn = known->second;
        const std::size_t count = drawn.run_times->size() - drawn.first;
        const auto at = static_cast<std::size_t>(series.uniform(i) * static_cast<double>(count));
        const sim::SimTime left =
            (*drawn.run_times)[drawn.first + std::min(at, count - 1)] - drawn.ran;
        jobs[i].duration = std::min(left, drawn.most.value_or(left));
    }
    return jobs;
}

}  // namespace

std::unique_ptr<sim::PodSource> make_workload(const std::vector<WorkloadSource>& workload,
                                              std::uint64_t seed) {
    std::vector<std::unique_ptr<sim::PodSource>> sources;
    for (const WorkloadSource& source : workload) {
        if (const auto* list = std::get_if<JobList>(&source.what)) {
            sources.push_back(workloads::make_job_list(jobs_of(*list, seed, source.name)));
        } else if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
            sources.push_back(workloads::make_renewal(*renewal, seed));
        } else if (const auto* file = std::get_if<TraceFile>(&source.what)) {
            sources.push_back(workloads::make_trace_source(file->trace, seed, source.name));
        }
    }
    return workloads::merge(std::move(sources));
}

std::optional<std::uint64_t> trace_rows_skipped(const std::vector<WorkloadSource>& workload) {
    std::optional<std::uint64_t> skipped;
    for (const WorkloadSource& source : workload) {
        if (const auto* file = std::get_if<TraceFile>(&source.what); file && file->lenient) {
            skipped = skipped.value_or(0) + file->trace.scan.skipped.count;
        }
    }
    return skipped;
}

namespace {

void occupy(const WorkloadSource& source, std::uint64_t seed, core::Ledger& ledger) {
    if (const auto* load = std::get_if<workloads::BackgroundLoad>(&source.what)) {
        workloads::apply_background(ledger, *load, seed, source.name);
    } else if (const auto* given = std::get_if<GivenBackground>(&source.what)) {
        for (const GivenBackground::Row& row : given->rows) {
            ledger.occupy(row.server, row.amounts);
        }
    }
}

}  // namespace

void occupy_background(const std::vector<WorkloadSource>& workload,
                       std::uint64_t seed,
                       core::Ledger& ledger) {
    for (const WorkloadSource& source : workload) {
        try {
            occupy(source, seed, ledger);
        } catch (const core::InputError& error) {
            throw core::InputError(
                fmt::format("spec.workload: error: {}: {}", source.name, error.what()));
        }
    }
}

sim::Settings settings_of(const ExperimentSpec& spec, std::uint64_t seed) {
    sim::Settings settings = spec.settings;
    if (settings.profile.inside.gpus) {
        settings.profile.inside.gpus->seed = seed;
    }
    return settings;
}

}  // namespace berth::experiments
