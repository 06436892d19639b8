#include "experiments/program/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <variant>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/metric_names.hpp"
#include "experiments/program/run/never_start.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "sim/clock/time.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

/// The jobs and pods that arrive in a run.
struct Arrivals {
    double jobs = 0;
    double pods = 0;
};

Arrivals arrivals_of(const JobList& list) {
    Arrivals all{.jobs = static_cast<double>(list.jobs.size())};
    for (const sim::Job& job : list.jobs) {
        all.pods += static_cast<double>(job.size);
    }
    return all;
}

Arrivals arrivals_of(const workloads::Renewal& renewal, sim::SimTime until) {
    double pods = 0;
    double weight = 0;
    for (const auto& entry : renewal.mix) {
        pods += entry.weight * static_cast<double>(entry.job.size);
        weight += entry.weight;
    }
    const double each = weight > 0 ? pods / weight : 1;
    const sim::SimTime end = std::min(renewal.until, until);
    const double seconds = end > renewal.start ? sim::seconds(end - renewal.start) : 0;
    const double jobs = renewal.count > 0 ? static_cast<double>(renewal.count)
                                          : seconds / std::max(renewal.arrivals.mean(), 1e-9);
    return {jobs, each * jobs};
}

Arrivals arrivals_of(const WorkloadSource& source, sim::SimTime until) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        return arrivals_of(*list);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        return arrivals_of(*renewal, until);
    }
    if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
        const auto jobs = static_cast<double>(trace->trace.scan.jobs);
        return {jobs, jobs};
    }
    return {};  // a background takes no time
}

Arrivals arrivals_of(const ExperimentSpec& spec) {
    Arrivals all;
    for (const WorkloadSource& source : spec.workload) {
        const Arrivals own = arrivals_of(source, spec.settings.until);
        all.jobs += own.jobs;
        all.pods += own.pods;
    }
    return all;
}

/// Seconds until the last arrival of a source; 0 if that is not known before the run.
double span_of(const WorkloadSource& source, sim::SimTime until) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        sim::SimTime last{};
        for (const sim::Job& job : list->jobs) {
            last = std::max(last, job.submit);
        }
        return sim::seconds(last);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        const sim::SimTime end = std::min(renewal->until, until);
        return renewal->count > 0 ? static_cast<double>(renewal->count) * renewal->arrivals.mean()
                                  : sim::seconds(end - renewal->start);
    }
    if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
        const workloads::TraceScan& scan = trace->trace.scan;
        return scan.first_arrival && scan.last_finish
                   ? sim::seconds(*scan.last_finish - *scan.first_arrival)
                   : 0;
    }
    return 0;
}

/// Number of rows in timeseries.csv of one replication.
double samples_of(const ExperimentSpec& spec, double jobs) {
    const sim::Settings& settings = spec.settings;
    double samples = settings.sample_arrivals ? jobs : 0;
    if (settings.sample_every > sim::SimTime(0)) {
        double span = settings.until == sim::never ? 0 : sim::seconds(settings.until);
        for (const WorkloadSource& source : spec.workload) {
            span = std::max(span, span_of(source, settings.until));
        }
        samples += span / sim::seconds(settings.sample_every);
    }
    return samples;
}

/// Typical bytes that a run writes for each of its items, over runs of all kinds. Rows of a run
/// with large values are up to twice as long.
struct RowBytes {
    double job = 0;
    double pod = 0;
    double sample = 0;            ///< Bytes of a sample without its values.
    double value = 0;             ///< Per value, if samples are far apart: few values then change.
    double value_at_arrival = 0;  ///< Per value, if samples are at arrivals: most values then
                                  ///< change.
    double quota = 0;
    double files = 0;  ///< Written in any case: in Arrow files, the schemas of the columns.
};
/// For text and for Arrow files, each uncompressed and with zstd.
constexpr std::array<std::array<RowBytes, 2>, 2> bytes_by_form{
    {{{{120, 120, 20, 9, 17, 85, 8'000}, {32, 28, 5, 2, 3.5, 7, 7'000}}},
     {{{190, 145, 18, 8.2, 8.2, 77, 40'000}, {35, 32, 3, 1.3, 1.6, 4, 45'000}}}}};

/// How long an experiment may run, without a unit: the number of pods that are expected to arrive
/// in all replications, plus the servers. It serves to tell which of two experiments runs longer.
double size_estimate(const ExperimentSpec& spec) {
    return spec.replications *
           (1 + arrivals_of(spec).pods + static_cast<double>(spec.topology->server_count()));
}

/// The approximate number of bytes that an experiment writes with its tables in this form, from the
/// expected pods, samples and servers; right within a factor of about two. What a backlog adds is
/// not known before the run.
double bytes_estimate(const ExperimentSpec& spec, const TableForm& form) {
    const RowBytes& bytes = bytes_by_form[form.arrow ? 1 : 0][form.zstd ? 1 : 0];
    constexpr double node_row = 80;
    const Arrivals arrivals = arrivals_of(spec);
    const auto columns =
        static_cast<double>(sim::sampled_metrics(*spec.topology, spec.settings.profile).size());
    constexpr double own_quotas = 2;  // the quotas that every run with quotas has in addition
    const auto resources = static_cast<double>(spec.topology->resources().size());
    const double quota_rows =
        spec.settings.quotas
            ? (static_cast<double>(spec.settings.quotas->quotas.size()) + own_quotas) * resources
            : 0;
    const double value = spec.settings.sample_arrivals ? bytes.value_at_arrival : bytes.value;
    const double sample = bytes.sample + value * columns + bytes.quota * quota_rows;
    const double replication = arrivals.jobs * bytes.job +
                               (spec.record_placements ? arrivals.pods * bytes.pod : 0) +
                               samples_of(spec, arrivals.jobs) * sample;
    return spec.replications * replication +
           node_row * static_cast<double>(spec.topology->server_count()) + bytes.files;
}

/// For each dimension, the first point at each of its positions.
std::vector<std::vector<std::optional<std::size_t>>> samples(const SweepSpec& sweep,
                                                             const SweepPoints& points) {
    std::vector<std::vector<std::optional<std::size_t>>> out;
    std::size_t missing = 0;
    for (const ZippedAxes& dimension : sweep.dimensions) {
        out.emplace_back(dimension.length);
        missing += dimension.length;
    }
    for (std::size_t point = 0; point < points.size() && missing > 0; ++point) {
        const std::vector<std::size_t> values = points.values(point);
        for (std::size_t d = 0; d < out.size(); ++d) {
            auto& sample = out[d][values[sweep.dimensions[d].axes.front()]];
            missing -= sample ? 0 : 1;
            sample = sample ? sample : point;
        }
    }
    return out;
}

/// The size of a point. Warnings about it are added to `found`.
AxisSizes::Size size_of(std::size_t point,
                        const SweepSpec& sweep,
                        PointExperiments& experiments,
                        const TableForm& tables,
                        AxisSizes& found) {
    std::vector<std::string>& warnings = found.warnings;
    core::Diagnostics diagnostics;
    const core::Value resolved = experiments.resolved(point);
    auto spec = read_experiment(resolved, diagnostics);
    diagnostics.throw_if_failed();
    allow_code(*spec, sweep.allow_code);
    check_code(*spec, sweep.runs_python);
    if (std::string runner = only_runner(*spec); !runner.empty()) {
        found.only_runner = std::move(runner);
    }
    check_metric_names(*spec, diagnostics);
    diagnostics.throw_if_failed();
    for (const std::string& warning : diagnostics.warnings()) {
        if (std::ranges::find(warnings, warning) == warnings.end()) {
            warnings.push_back(warning);
        }
    }
    for (const std::string& line : jobs_that_never_start(*spec)) {
        const std::string warning = fmt::format("{}: warning: {}", spec->name, line);
        if (std::ranges::find(warnings, warning) == warnings.end()) {
            warnings.push_back(warning);
        }
    }
    return {size_estimate(*spec), bytes_estimate(*spec, tables)};
}

}  // namespace

AxisSizes read_axis_sizes(const SweepSpec& sweep,
                          const SweepPoints& points,
                          PointExperiments& experiments,
                          const TableForm& tables,
                          const sim::RunControl& control) {
    AxisSizes out;
    if (points.size() == 0) {
        throw core::InputError(
            sweep.resolved.span,
            "exclude leaves no point: expected at least one combination that it does not name");
    }
    out.first = size_of(0, sweep, experiments, tables, out);
    for (const auto& dimension : samples(sweep, points)) {
        out.ratios.emplace_back(dimension.size());
        for (std::size_t i = 0; i < dimension.size() && !control.stop; ++i) {
            if (dimension[i] && *dimension[i] != 0) {
                const AxisSizes::Size size =
                    size_of(*dimension[i], sweep, experiments, tables, out);
                out.ratios.back()[i] = {size.work / out.first.work, size.bytes / out.first.bytes};
            }
        }
    }
    return out;
}

SweepPlan plan_sweep(const SweepSpec& sweep,
                     const SweepPoints& points,
                     PointExperiments& experiments,
                     const TableForm& tables,
                     unsigned threads,
                     ProgressView* progress,
                     const sim::RunControl& control) {
    SweepPlan plan;
    std::atomic<std::size_t> resolved = 0;
    const Progress shown(progress, [&] {
        return HowFar{fmt::format(
            "{}: looking at {} of {} points", sweep.name, resolved.load(), points.size())};
    });
    const AxisSizes sizes = read_axis_sizes(sweep, points, experiments, tables, control);
    plan.warnings = sizes.warnings;
    plan.keys.resize(points.size());
    plan.sizes.resize(points.size(), sizes.first.work);
    plan.bytes.resize(points.size(), sizes.first.bytes);
    in_threads(threads, points.size(), [&](std::size_t point) {
        if (control.stop) {
            return;
        }
        plan.keys[point] = key_of(experiments.resolved(point));
        const std::vector<std::size_t> values = points.values(point);
        for (std::size_t d = 0; d < sizes.ratios.size(); ++d) {
            const std::size_t value = values[sweep.dimensions[d].axes.front()];
            plan.sizes[point] *= sizes.ratios[d][value].work;
            plan.bytes[point] *= sizes.ratios[d][value].bytes;
        }
        ++resolved;
    });
    if (control.stop) {
        plan.keys.clear();
    }
    return plan;
}

}  // namespace berth::experiments
