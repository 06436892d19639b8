#include "experiments/program/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/run/metric_names.hpp"
#include "experiments/program/run/never_start.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/size_estimate.hpp"

namespace berth::experiments {
namespace {

/// For each dimension, the first point with each of its positions.
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

AxisSizes::Size size_of(std::size_t point,
                        PointExperiments& experiments,
                        const TableForm& tables,
                        std::vector<std::string>& warnings) {
    core::Diagnostics diagnostics;
    const core::Value resolved = experiments.resolved(point);
    const auto spec = read_experiment(resolved, diagnostics);
    diagnostics.throw_if_failed();
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
    out.first = size_of(0, experiments, tables, out.warnings);
    for (const auto& dimension : samples(sweep, points)) {
        out.ratios.emplace_back(dimension.size());
        for (std::size_t i = 0; i < dimension.size() && !control.stop; ++i) {
            if (dimension[i] && *dimension[i] != 0) {
                const AxisSizes::Size size =
                    size_of(*dimension[i], experiments, tables, out.warnings);
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
