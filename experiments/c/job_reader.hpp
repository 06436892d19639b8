#pragma once

#include <cstdint>
#include <optional>

#include "experiments/c/berth.h"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/config/workload/pod_types.hpp"
#include "sim/job/job.hpp"
#include "workloads/trace/trace_pods.hpp"

namespace berth::c {

/// Makes jobs of what a caller says of them, as an experiment's workload would have them.
class JobReader {
public:
    /// Both outlive it. The experiment was read without an error.
    JobReader(const experiments::ResolvedExperiment& resolved,
              const experiments::ExperimentSpec& spec);

    /// Errors: core::InputError at the name of the field.
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

}  // namespace berth::c
