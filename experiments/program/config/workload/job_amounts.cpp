#include "experiments/program/config/workload/job_amounts.hpp"

#include <fmt/format.h>

#include "sim/job/asked_together.hpp"

namespace berth::experiments {

void check_amounts(const sim::Job& job,
                   const core::SourceSpan& span,
                   const core::ResourceSchema& schema,
                   core::Diagnostics& diagnostics) {
    if (const auto resource = sim::asks_for_too_much(job)) {
        diagnostics.error(
            span,
            fmt::format("{} asks for {} {} a pod: expected at most {} in all its pods, which is "
                        "what a run can count",
                        job.name,
                        schema.format(*resource, job.demand[*resource]),
                        schema.name(*resource),
                        schema.format(*resource, sim::asked_together_max)));
    }
}

}  // namespace berth::experiments
