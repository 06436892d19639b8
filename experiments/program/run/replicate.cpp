#include "experiments/program/run/replicate.hpp"

#include <fmt/format.h>

#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "sim/clock/random.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/warm_up.hpp"
#include "sim/run/invariants.hpp"
#include "sim/run/simulation.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {

core::Ledger cluster_of(const ExperimentSpec& spec, std::uint32_t replication) {
    core::Ledger ledger(spec.topology);
    occupy_background(spec.workload, sim::replication_seed(spec.seed, replication), ledger);
    return ledger;
}

sim::RunResult replicate(const ExperimentSpec& spec,
                         std::uint32_t replication,
                         core::Ledger& ledger,
                         sim::RecordSink& sink,
                         sim::RunControl& control) {
    const std::uint64_t seed = sim::replication_seed(spec.seed, replication);
    WatchedSource source(make_workload(spec.workload, seed));
    const sim::Settings settings = settings_of(spec, seed);
    const auto failures =
        workloads::make_failures(spec.failures, spec.topology, seed, settings.until);
    try {
        const sim::MakeScheduler scheduler =
            make_scheduler(spec, settings, sink, source, replication, seed);
        return sim::Simulation(ledger, source, settings, sink, control, scheduler, failures.get())
            .run();
    } catch (const sim::SchedulerError& error) {
        throw sim::SchedulerError(
            fmt::format("{}: error: replication {}, {}", spec.name, replication, error.what()));
    } catch (const sim::InvariantError& error) {
        throw sim::InvariantError(
            fmt::format("{}: error: replication {}, {}", spec.name, replication, error.what()));
    }
}

FoundWindow find_window(const ExperimentSpec& spec, unsigned threads, sim::RunControl& control) {
    std::vector<sim::LoadHistory> histories(spec.replications);
    in_threads(threads, spec.replications, [&](std::size_t number) {
        if (control.stop) {
            return;
        }
        const auto replication = static_cast<std::uint32_t>(number);
        core::Ledger ledger = cluster_of(spec, replication);
        sim::NoRecords nothing;
        histories[replication] = replicate(spec, replication, ledger, nothing, control).load;
    });
    FoundWindow found{spec.settings.window, {}};
    if (control.stop) {
        return found;
    }
    const sim::LoadHistory history = sim::average(histories);
    const bool open_end = found.window.to == sim::never && spec.settings.until == sim::never;
    if (open_end && history.last_arrival > sim::SimTime(0)) {
        found.window.to = history.last_arrival;
    }
    if (const auto end = sim::end_of_warm_up(history)) {
        found.window.from = *end;
    } else if (history.means.size() < sim::slices_min) {
        found.warnings.emplace_back(
            "record.warmUp: too little happens before the last arrival to find where "
            "warm-up ends, so the metrics cover the run from its start: set "
            "record.from");
    } else {
        found.window.from = history.last_arrival / 2;
        found.warnings.emplace_back(
            fmt::format("record.warmUp: no warm-up ends in the first half of the arrivals, so "
                        "the run never becomes stationary; the metrics cover the time from {}: "
                        "make the run longer or lower the load",
                        sim::time_text(found.window.from)));
    }
    if (found.window.from >= found.window.to) {
        found.window.from = sim::SimTime(0);
        found.warnings.emplace_back(
            "record.warmUp: the warm-up ends after record.to, so the metrics cover "
            "the run from its start: set record.to to a later time");
    }
    return found;
}

}  // namespace berth::experiments
