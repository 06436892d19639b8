#include "experiments/program/config/experiment/equal_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "sim/profile/admission.hpp"
#include "sim/quota/quota_settings.hpp"

namespace berth::experiments {
namespace {

bool any_preempts(const sim::QuotaSettings& quotas) {
    return quotas.recycler || quotas.preemptors() != sim::Preemptors::none;
}

std::size_t count_running(const ExperimentSpec& spec) {
    std::size_t running = 0;
    for (const WorkloadSource& source : spec.workload) {
        if (const auto* list = std::get_if<JobList>(&source.what)) {
            running += static_cast<std::size_t>(std::ranges::count_if(
                list->jobs, [](const sim::Job& job) { return job.servers.has_value(); }));
        }
    }
    return running;
}

}  // namespace

void warn_of_equal_starts(const ExperimentSpec& spec,
                          const core::Value& workload,
                          core::Diagnostics& diagnostics) {
    const bool preempts = (spec.settings.admission && spec.settings.admission->may_preempt()) ||
                          (spec.settings.quotas && any_preempts(*spec.settings.quotas));
    const std::size_t running = preempts ? count_running(spec) : 0;
    if (running > 1) {
        diagnostics.warning(
            workload.span,
            fmt::format("{} pods run at the beginning, and count as started at 0 s: among equals, "
                        "their order in the file decides which is preempted first, and not when "
                        "they started; give them different priorities where that matters",
                        running));
    }
}

}  // namespace berth::experiments
