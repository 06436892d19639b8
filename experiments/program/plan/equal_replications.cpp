#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/plan/measure.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "sim/job/records.hpp"

namespace berth::experiments {
namespace {

/// What a replication did, and what it measured.
struct Course {
    std::uint64_t fingerprint = 0;
    std::vector<std::pair<std::string, std::optional<double>>> metrics;
    bool operator==(const Course&) const = default;
};

Course course_of(const ExperimentSpec& spec, std::uint32_t replication, sim::RunControl& control) {
    core::Ledger ledger = cluster_of(spec, replication);
    sim::NoRecords nowhere;
    const sim::RunResult result = replicate(spec, replication, ledger, nowhere, control);
    Course out{result.fingerprint, {}};
    for (const sim::Metric& metric : result.metrics) {
        out.metrics.emplace_back(metric.name, metric.value);
    }
    return out;
}

bool is_drawn(const workloads::Distribution& times) {
    return times.kind != workloads::DistributionKind::constant;
}

/// Whether replications are known to differ, without running them.
bool draws_times(const ExperimentSpec& spec) {
    return std::ranges::any_of(spec.workload, [](const WorkloadSource& source) {
        const auto* renewal = std::get_if<workloads::Renewal>(&source.what);
        return renewal != nullptr &&
               (is_drawn(renewal->arrivals) || (renewal->service && is_drawn(*renewal->service)));
    });
}

/// The points of the first look and of the last one, which has another seed, for the first choice
/// of each combination of values that are no numbers.
std::vector<std::array<std::size_t, 2>> points_to_compare(const PlanSpec& plan,
                                                          const SweepPoints& points) {
    std::set<std::vector<std::size_t>> seen;
    std::vector<std::array<std::size_t, 2>> out;
    for (std::size_t point = 0; point < points.size(); point += plan.looks.size()) {
        std::vector<std::size_t> kind = points.values(point);
        for (std::size_t axis = 0; axis < plan.monotone.size(); ++axis) {
            kind[axis] = has_numbers(plan.sweep.axes[axis]) ? 0 : kind[axis];
        }
        if (seen.insert(kind).second) {
            out.push_back({point, point + plan.looks.size() - 1});
        }
    }
    return out;
}

}  // namespace

bool replications_are_equal(const PlanSpec& plan,
                            unsigned threads,
                            ProgressView* progress,
                            sim::RunControl& control) {
    const Progress shown(progress, [&] {
        return HowFar{fmt::format("{}: looking whether replications differ", plan.sweep.name)};
    });
    const SweepPoints points(plan.sweep);
    PointExperiments experiments(plan.sweep, points);
    for (const auto& compared : points_to_compare(plan, points)) {
        std::vector<ExperimentSpec> specs;
        for (const std::size_t point : compared) {
            core::Diagnostics diagnostics;
            auto spec = read_experiment(experiments.resolved(point), diagnostics);
            diagnostics.throw_if_failed();
            specs.push_back(*std::move(spec));
        }
        if (specs.front().outside || draws_times(specs.front())) {
            return false;
        }
        std::array<Course, 2> courses;  // of different replications, and seeds if there are several
        in_threads(threads, courses.size(), [&](std::size_t i) {
            courses.at(i) = course_of(specs[i], static_cast<std::uint32_t>(i), control);
        });
        if (control.stop || courses[0] != courses[1]) {
            return false;
        }
    }
    return true;
}

}  // namespace berth::experiments
