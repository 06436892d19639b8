#include <cstdint>
#include <memory>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How long it takes from when something interrupts a job until it has done as much work again.
class RecoveryMeter final : public Meter {
public:
    explicit RecoveryMeter(Window window) : window_(window) {}

    void recorded(const JobRecord& record, SimTime now) override {
        if (!window_.counts(record.job.submit)) {
            return;
        }
        const bool goes_on =
            record.outcome == Outcome::waiting || record.outcome == Outcome::running;
        for (const Interruption& interruption : record.interruptions) {
            BERTH_ASSERT(interruption.recovered || !record.finish,
                         "who has finished has done all its work again");
            if (interruption.recovered) {
                times_s_.ended(seconds(*interruption.recovered - interruption.at));
                continue;
            }
            ++unrecovered_;
            if (goes_on) {
                times_s_.going_on(seconds(now - interruption.at));
            } else {
                times_s_.never();
            }
        }
    }
    void add_to(std::vector<Metric>& out) const override {
        out.push_back(times_s_.mean("recovery_s_mean"));
        times_s_.add_percentiles(out, "recovery_s", {950});
        out.push_back({"interruptions_unrecovered", static_cast<double>(unrecovered_)});
    }

private:
    Window window_;
    CensoredSample times_s_;
    std::uint64_t unrecovered_ = 0;
};

}  // namespace

std::unique_ptr<Meter> make_recovery_meter(Cluster& /*cluster*/, const Settings& settings) {
    return settings.failure_causes.empty() ? nullptr
                                           : std::make_unique<RecoveryMeter>(settings.window);
}

}  // namespace berth::sim
