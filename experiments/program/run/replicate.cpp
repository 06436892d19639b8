#include "experiments/program/run/replicate.hpp"

#include <fmt/format.h>

#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "sim/clock/random.hpp"
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

}  // namespace berth::experiments
