#include <memory>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/meter/sum_by_arrival.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How much longer pods ran than their work takes, where that depends on their places.
class RunTimeMeter final : public Meter {
public:
    explicit RunTimeMeter(Window window) : window_(window) {}

    void recorded(const JobRecord& record, SimTime /*now*/) override {
        if (!window_.counts(record.job.submit)) {
            return;
        }
        for_each_member(record, [&](const Member& member) {
            if (member.stint != nullptr) {
                started_ += 1;
                factor_.add(record.arrival,
                            static_cast<double>(member.stint->run_time_factor) / slow_down_unit);
            }
        });
    }
    void add_to(std::vector<Metric>& out) const override {
        out.push_back({"run_time_factor_mean", ratio(factor_.total(), started_)});
    }

private:
    Window window_;
    double started_ = 0;  ///< Pods that started.
    SumByArrival factor_;
};

}  // namespace

std::unique_ptr<Meter> make_run_time_meter(const Metered& run) {
    return run.settings.run_time.empty() ? nullptr
                                         : std::make_unique<RunTimeMeter>(run.settings.window);
}

}  // namespace berth::sim
