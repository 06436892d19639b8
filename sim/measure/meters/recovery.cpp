#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How long it takes from the interruption of a job until the job has done as much work again.
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
            BERTH_ASSERT(interruption.recovered || !record.finish || record.stopped_at_limit,
                         "who has finished its work has done all of it again");
            const SimTime end = interruption.recovered.value_or(now);
            const Time::State state = interruption.recovered ? Time::State::ended
                                      : goes_on              ? Time::State::going_on
                                                             : Time::State::never;
            times_.push_back({record.arrival, seconds(end - interruption.at), state});
            unrecovered_ += interruption.recovered ? 0 : 1;
        }
    }
    void add_to(std::vector<Metric>& out) const override {
        const CensoredSample times_s = by_arrival();
        out.push_back(times_s.mean("recovery_s_mean"));
        times_s.add_percentiles(out, "recovery_s", {950});
        out.push_back({"interruptions_unrecovered", static_cast<double>(unrecovered_)});
    }

private:
    struct Time {
        enum class State : std::uint8_t { ended, going_on, never };
        std::uint64_t arrival = 0;  ///< The arrival number of the job.
        double value_s = 0;
        State state = State::ended;
    };
    [[nodiscard]] CensoredSample by_arrival() const {
        std::vector<Time> times = times_;
        std::ranges::stable_sort(times, {}, &Time::arrival);
        CensoredSample sample;
        for (const Time& time : times) {
            if (time.state == Time::State::ended) {
                sample.ended(time.value_s);
            } else if (time.state == Time::State::going_on) {
                sample.going_on(time.value_s);
            } else {
                sample.never();
            }
        }
        return sample;
    }

    Window window_;
    std::vector<Time> times_;  ///< Times in the order in which their jobs ended.
    std::uint64_t unrecovered_ = 0;
};

}  // namespace

std::unique_ptr<Meter> make_recovery_meter(const Metered& run) {
    return run.settings.failure_causes.empty()
               ? nullptr
               : std::make_unique<RecoveryMeter>(run.settings.window);
}

}  // namespace berth::sim
