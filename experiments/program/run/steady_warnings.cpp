#include "experiments/program/run/steady_warnings.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "core/tree/device_names.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/warm_up.hpp"

namespace berth::experiments {
namespace {

/// Three digits, or all of a larger whole part.
std::string three_digits(double value) {
    constexpr double thousand = 1000;
    return value < thousand ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// With fewer jobs a mean says little in any case.
constexpr std::uint64_t jobs_min = 100;
/// How much higher a mean must be without the part that bends it.
constexpr double clearly_higher = 1.05;
constexpr double drained = 1.1;
/// How much longer the queue must be in the last quarter of the arrivals than in the second.
constexpr double grown = 2;

/// A duration to write into a document, in the largest unit of which it has a hundred.
std::string duration_value(sim::SimTime time) {
    for (const auto& [unit, suffix] : {std::pair<sim::SimTime, char>{std::chrono::hours(1), 'h'},
                                       {std::chrono::minutes(1), 'm'},
                                       {std::chrono::seconds(1), 's'}}) {
        if (time >= 100 * unit) {
            return fmt::format("{}{}", time / unit, suffix);
        }
    }
    return sim::format_seconds(time) + "s";
}

/// About the queue, if each quarter of the arrivals has a longer one than the quarter before.
std::string growing_queue(const sim::LoadHistory& history) {
    std::array<double, 4> waiting{};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const auto part = static_cast<std::int64_t>(i);
        waiting[i] =
            sim::mean_load(
                history, history.last_arrival / 4 * part, history.last_arrival / 4 * (part + 1))
                .waiting;
        if (i > 0 && waiting[i] <= waiting[i - 1]) {
            return "";
        }
    }
    if (waiting[3] < grown * waiting[1] || waiting[3] < 1) {
        return "";
    }
    return fmt::format(
        "not stationary: the queue grows from the first arrival to the last (on average {}, "
        "{}, {} and {} pods wait in the quarters of that time), so every mean depends "
        "on how long the run is: lower the load, add servers, or compare only runs of equal length",
        three_digits(waiting[0]),
        three_digits(waiting[1]),
        three_digits(waiting[2]),
        three_digits(waiting[3]));
}

std::string empty_beginning(const sim::LoadHistory& history) {
    const auto end = sim::end_of_warm_up(history);
    if (!end || end->count() == 0) {
        return "";
    }
    const double before = sim::mean_load(history, sim::SimTime(0), *end).in_system;
    const double after = sim::mean_load(history, *end).in_system;
    if (after < clearly_higher * sim::mean_load(history, sim::SimTime(0)).in_system) {
        return "";
    }
    return fmt::format(
        "warm-up: jobs that arrive in the first {} meet an emptier cluster than those after them "
        "({:.3g} pods in it on average, later {:.3g}), so mean waits and utilization are too low: "
        "set record.warmUp to auto, or record.from",
        sim::time_text(*end),
        before,
        after);
}

std::string emptying_end(const sim::LoadHistory& history,
                         const sim::Window& window,
                         const std::string& resource,
                         double utilization) {
    const double arriving = sim::mean_load(history, window.from).allocated;
    if (arriving < drained * utilization || utilization <= 0) {
        return "";
    }
    return fmt::format(
        "drain: utilization of {} is {:.2g} until the last arrival and {:.2g} on average, because "
        "the last jobs run out in an emptying cluster: set record.to to {}, the last arrival",
        resource,
        arriving,
        utilization,
        duration_value(history.last_arrival));
}

}  // namespace

std::string steady_resource(const core::Topology& tree) {
    const core::ResourceSchema& resources = tree.resources();
    if (sim::GpuTimeLedger::has_gpus(tree)) {
        return std::string(core::device_resource::nvidia_gpu);
    }
    return resources.find("cpu") || resources.size() == 0 ? "cpu" : resources.name(0);
}

std::vector<std::string> steady_warnings(const ExperimentSpec& spec,
                                         std::span<const sim::LoadHistory> histories,
                                         double utilization) {
    const sim::LoadHistory history = sim::average(histories);
    if (history.jobs < jobs_min || 2 * history.ended < history.jobs ||
        history.means.size() < sim::slices_min) {
        return {};
    }
    const sim::Window& window = spec.settings.window;
    std::vector<std::string> warnings;
    std::string growing = growing_queue(history);
    if (growing.empty() && window.from.count() == 0 && !spec.find_warm_up) {
        warnings.push_back(empty_beginning(history));
    }
    warnings.push_back(std::move(growing));
    if (window.to == sim::never) {
        warnings.push_back(
            emptying_end(history, window, steady_resource(*spec.topology), utilization));
    }
    std::erase(warnings, "");
    return warnings;
}

}  // namespace berth::experiments
