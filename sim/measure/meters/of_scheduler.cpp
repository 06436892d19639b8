#include <memory>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {
namespace {

/// What the scheduler itself measures: the scheduler tells its own meter what happens, and this
/// meter asks that one at the end.
class SchedulerMeter final : public Meter {
public:
    void begin(Scheduler& scheduler) override { own_ = scheduler.meter(); }
    void finish(SimTime now) override {
        if (own_ != nullptr) {
            own_->finish(now);
        }
    }
    void add_to(std::vector<Metric>& out) const override {
        if (own_ != nullptr) {
            own_->add_to(out);
        }
    }

private:
    Meter* own_ = nullptr;
};

}  // namespace

std::unique_ptr<Meter> make_of_scheduler_meter(const Metered& /*run*/) {
    return std::make_unique<SchedulerMeter>();
}

}  // namespace berth::sim
