#include "experiments/program/defrag/state_at.hpp"

#include <memory>
#include <utility>

#include "experiments/program/run/replicate.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "sim/clock/random.hpp"
#include "sim/job/records.hpp"
#include "sim/run/simulation.hpp"
#include "sim/scheduler/passing_scheduler.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {
namespace {

using Show = std::function<void(const sim::Actions&)>;

/// Ends the run at an instant, before its scheduler decides anything then.
class Stopping final : public sim::PassingScheduler {
public:
    Stopping(std::unique_ptr<sim::Scheduler> inner,
             sim::Actions& actions,
             sim::SimTime at,
             Show show)
        : PassingScheduler(std::move(inner)), actions_(actions), at_(at), show_(std::move(show)) {
        actions_.wake(at_, sim::Timer::first);
    }
    void woken(sim::Timer timer) override {
        if (timer != sim::Timer::first || actions_.now() != at_) {
            PassingScheduler::woken(timer);
        } else if (show_) {
            std::exchange(show_, nullptr)(actions_);
        }
    }

private:
    sim::Actions& actions_;
    sim::SimTime at_;
    Show show_;  ///< Empty once it was called.
};

}  // namespace

bool show_state_at(const ExperimentSpec& spec,
                   std::uint32_t replication,
                   sim::SimTime at,
                   sim::RunControl& control,
                   const std::function<void(const sim::Actions&, const sim::Settings&)>& show) {
    const std::uint64_t seed = sim::replication_seed(spec.seed, replication);
    core::Ledger ledger = cluster_of(spec, replication);
    const auto source = make_workload(spec.workload, seed);
    const sim::Settings settings = settings_of(spec, seed);
    const auto failures =
        workloads::make_failures(spec.failures, spec.topology, seed, settings.until);
    sim::NoRecords nothing;
    bool shown = false;
    const auto make = [&](sim::Actions& actions) {
        return std::make_unique<Stopping>(sim::scheduler_of(settings, nothing, actions),
                                          actions,
                                          at,
                                          [&](const sim::Actions& state) {
                                              show(state, settings);
                                              shown = true;
                                              control.stop = true;
                                          });
    };
    (void)sim::Simulation(ledger, *source, settings, nothing, control, make, failures.get()).run();
    return shown;
}

}  // namespace berth::experiments
