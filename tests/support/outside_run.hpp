#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/simulation.hpp"
#include "sim/schedulers/outside/outside_scheduler.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/list_source.hpp"

namespace berth::tests {

/// A run with an outside scheduler; invariants are checked after each event.
class OutsideRun final : public sim::RecordSink {
public:
    OutsideRun(std::shared_ptr<const core::Topology> tree,
               std::vector<sim::Job> jobs,
               const sim::MakePolicy& make,
               const sim::Settings& settings = {}) {
        core::Ledger ledger(std::move(tree));
        ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        const sim::MakeScheduler scheduler = [&](sim::Actions& actions) {
            return std::make_unique<sim::OutsideScheduler>(settings, actions, make);
        };
        result = sim::Simulation(ledger, source, settings, *this, control, scheduler).run();
        left = ledger.allocated(ledger.topology().root(), 0);
    }
    void job(const sim::JobRecord& record) override {
        tests::at_arrival(records, record.arrival) = record;
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::vector<sim::JobRecord> records;
    sim::RunResult result;
    core::Amount left = 0;  ///< Amount of the first resource that is still claimed at the end.
};

/// Calls the steps of a script at their times.
class ScriptedPolicy final : public sim::OutsidePolicy {
public:
    using Step = std::function<void(sim::OutsideActions& act)>;
    using Script = std::map<sim::SimTime, Step>;

    explicit ScriptedPolicy(Script script) : script_(std::move(script)) {}

    void decide(sim::OutsideActions& act) override {
        while (!script_.empty() && script_.begin()->first <= act.now()) {
            const auto step = script_.extract(script_.begin());
            step.mapped()(act);
        }
        if (!script_.empty()) {
            act.wake(script_.begin()->first);
        }
    }

private:
    Script script_;
};

}  // namespace berth::tests
