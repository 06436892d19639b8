#include <memory>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How often jobs that train were launched.
class TrainingMeter final : public Meter {
public:
    explicit TrainingMeter(Window window) : window_(window) {}

    void recorded(const JobRecord& record, SimTime /*now*/) override {
        if (record.job.training && window_.counts(record.job.submit)) {
            jobs_ += 1;
            launches_ += record.job.training->launches();
        }
    }
    void add_to(std::vector<Metric>& out) const override {
        out.push_back({"launches", launches_});
        out.push_back({"launches_mean", ratio(launches_, jobs_)});
    }

private:
    Window window_;
    double jobs_ = 0;  ///< Jobs that train.
    double launches_ = 0;
};

}  // namespace

std::unique_ptr<Meter> make_training_meter(const Metered& run) {
    return run.settings.training ? std::make_unique<TrainingMeter>(run.settings.window) : nullptr;
}

}  // namespace berth::sim
