#include "workloads/trace/trace_checkpoints.hpp"

#include <utility>

namespace berth::workloads {

TraceCheckpoints::TraceCheckpoints(std::optional<sim::Checkpoint> stated,
                                   std::shared_ptr<const InterruptionRates> rates)
    : stated_(stated), rates_(std::move(rates)) {}

void TraceCheckpoints::put_in(sim::Job& job) {
    job.checkpoint = stated_;
    if (!stated_ || rates_ == nullptr || stated_->every > sim::SimTime(0)) {
        return;
    }
    const auto [known, fresh] = optimal_.try_emplace({job.size, job.per_server_max, job.demand});
    if (fresh) {
        set_optimal_interval(job, *rates_);
        known->second = job.checkpoint->every;
    }
    job.checkpoint->every = known->second;
}

}  // namespace berth::workloads
