#include <memory>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/meter/sum_by_arrival.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How much of the time since their first start jobs turned into lasting work.
class EffectiveTimeMeter final : public Meter {
public:
    explicit EffectiveTimeMeter(Window window) : window_(window) {}

    void recorded(const JobRecord& record, SimTime /*now*/) override {
        if (!record.first_start || !window_.counts(record.job.submit)) {
            return;
        }
        if (record.finish) {
            count(record.arrival, record.kept, *record.finish - *record.first_start);
        } else {
            unfinished_.push_back({record.arrival, record.kept, *record.first_start});
        }
    }
    void finish(SimTime now) override {
        for (const Unfinished& job : unfinished_) {
            count(SumByArrival::behind(job.arrival), job.kept, now - job.first_start);
        }
    }
    void add_to(std::vector<Metric>& out) const override {
        out.push_back({"ettr_mean", ratio(sum_.total(), jobs_)});
    }

private:
    struct Unfinished {
        std::uint64_t arrival = 0;
        SimTime kept{};
        SimTime first_start{};
    };
    void count(std::uint64_t place, SimTime kept, SimTime time) {
        if (time > SimTime(0)) {
            sum_.add(place, seconds(kept) / seconds(time));
            jobs_ += 1;
        }
    }

    Window window_;
    std::vector<Unfinished> unfinished_;  ///< Jobs whose time goes on to the end of the run.
    SumByArrival sum_;
    double jobs_ = 0;
};

}  // namespace

std::unique_ptr<Meter> make_effective_time_meter(const Metered& run) {
    return run.settings.tells_gain() ? std::make_unique<EffectiveTimeMeter>(run.settings.window)
                                     : nullptr;
}

}  // namespace berth::sim
