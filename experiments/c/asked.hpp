#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "experiments/c/berth.h"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/config/workload/pod_types.hpp"
#include "sim/job/job.hpp"
#include "sim/run/asked_scheduler.hpp"
#include "workloads/trace/trace_pods.hpp"

namespace berth::c {

/// Makes jobs from a caller's requests, as an experiment's workload would make them.
class JobReader {
public:
    /// Both arguments outlive the reader. The experiment has been read without an error.
    JobReader(const experiments::ResolvedExperiment& resolved,
              const experiments::ExperimentSpec& spec);

    /// Errors: core::InputError at the name of the wrong field.
    [[nodiscard]] sim::Job read(const berth_request& request, std::uint64_t number);

private:
    [[nodiscard]] sim::Job group(const berth_request& request,
                                 core::Diagnostics& diagnostics) const;
    void ask(const berth_request& request, sim::Job& job, core::Diagnostics& diagnostics);
    void ask_for_amounts(const berth_request& request,
                         sim::Job& job,
                         core::Diagnostics& diagnostics);
    void label(const berth_request& request, sim::Job& job, core::Diagnostics& diagnostics) const;

    const experiments::ExperimentSpec& spec_;
    experiments::PodTypes types_;
    workloads::TracePods pods_;
    std::optional<experiments::ReadQuotaSettings> quotas_;
    bool unknown_quotas_allowed_ = false;
};

/// The scheduler of an experiment, asked by a caller that keeps the time itself.
///
/// Errors: an impossible report or question is a core::InputError, and nothing has happened.
class Asked {
public:
    /// Both arguments outlive the object.
    /// Errors: core::InputError where the experiment does not name one of berth's schedulers, or
    ///         makes things happen by itself.
    Asked(const experiments::ResolvedExperiment& resolved, const experiments::ExperimentSpec& spec);

    [[nodiscard]] std::uint64_t submit(const berth_request& request);
    void ended(std::int64_t job);
    void server_changed(std::int64_t server, bool up);
    /// The decisions stay valid until the next call.
    [[nodiscard]] std::span<const berth_decision> decide(std::int64_t now);
    /// The time of the next turn; BERTH_NONE: never.
    [[nodiscard]] std::int64_t next_turn() const;

private:
    core::Ledger ledger_;
    sim::AskedScheduler scheduler_;
    JobReader jobs_;
    std::uint64_t submitted_ = 0;
    std::vector<sim::Decision> decided_;
    /// The places of each decision, by its index in decided_.
    std::vector<std::vector<berth_place>> places_;
    std::vector<berth_decision> decisions_;
};

}  // namespace berth::c
