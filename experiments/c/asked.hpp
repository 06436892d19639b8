#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "experiments/c/berth.h"
#include "experiments/c/job_reader.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "sim/run/asked_scheduler.hpp"

namespace berth::c {

/// The scheduler of an experiment, asked by a caller who keeps the time.
///
/// Errors: what is told or asked and cannot be is a core::InputError, and nothing has happened.
class Asked {
public:
    /// Both outlive it.
    /// Errors: core::InputError where the experiment names no scheduler of berth's, or has things
    ///         happen by itself.
    Asked(const experiments::ResolvedExperiment& resolved, const experiments::ExperimentSpec& spec);

    [[nodiscard]] std::uint64_t submit(const berth_request& request);
    void ended(std::int64_t job);
    void server_changed(std::int64_t server, bool up);
    /// Stays until the next call.
    [[nodiscard]] std::span<const berth_decision> decide(std::int64_t now);
    /// BERTH_NONE: never.
    [[nodiscard]] std::int64_t next_turn() const;

private:
    core::Ledger ledger_;
    sim::AskedScheduler scheduler_;
    JobReader jobs_;
    std::uint64_t submitted_ = 0;
    std::vector<sim::Decision> decided_;
    std::vector<std::vector<berth_place>> places_;  ///< Of each decision.
    std::vector<berth_decision> decisions_;
};

}  // namespace berth::c
