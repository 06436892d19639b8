#include <memory>
#include <optional>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/metered.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {
namespace {

/// What every GPU-second was used for.
class GpuTimeMeter final : public Meter {
public:
    GpuTimeMeter(const Cluster& cluster, const Settings& settings)
        : cluster_(cluster), settings_(settings) {}

    void begin(Scheduler& scheduler) override {
        scheduler_ = &scheduler;
        const GpuTimeUse last = !settings_.tells_gain()             ? GpuTimeUse::failed
                                : settings_.detection == SimTime(0) ? GpuTimeUse::restart
                                                                    : GpuTimeUse::hung;
        const bool spares = settings_.on_failure.spares.has_value();
        ledger_.emplace(cluster_, settings_.window, settings_.left_out(), last, spares);
    }
    void waits(JobId id, const JobState& state) override {
        ledger_->waits(state.entry, state.job(), id);
    }
    void leaves_queue(const JobState& state) override { ledger_->leaves(state.entry, state.job()); }
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch) override {
        ledger_->stint_over(job, stint, stretch);
    }
    void settle(SimTime now) override {
        ledger_->settle(now, [this](JobId id) { return scheduler_->holds_back(id); });
    }
    std::optional<core::Violation> find_violation() const override {
        return ledger_->find_violation();
    }
    void add_to(std::vector<Metric>& out) const override { ledger_->add_to(out); }
    void add_tables(RunResult& result) const override { result.gpu_time = ledger_->result(); }

private:
    const Cluster& cluster_;
    const Settings& settings_;
    Scheduler* scheduler_ = nullptr;
    std::optional<GpuTimeLedger> ledger_;
};

}  // namespace

std::unique_ptr<Meter> make_gpu_time_meter(const Metered& run) {
    return GpuTimeLedger::has_gpus(run.cluster.topology())
               ? std::make_unique<GpuTimeMeter>(run.cluster, run.settings)
               : nullptr;
}

}  // namespace berth::sim
