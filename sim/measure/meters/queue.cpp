#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// The length of the queue, which is the number of waiting pods, over time. The sum over time is
/// exact, so that it does not depend on how often it is sampled.
class QueueMeter final : public Meter {
public:
    explicit QueueMeter(Window window) : window_(window) {}

    void waits(JobId /*id*/, const JobState& state) override { waiting_ += state.job().size; }
    void leaves_queue(const JobState& state) override { waiting_ -= state.job().size; }
    void settle(SimTime now) override {
        if (const SimTime passed = window_.part_of(settled_, now); passed > SimTime(0)) {
            sum_ += static_cast<Wide>(held_) * passed.count();
            most_ = std::max(most_, held_);
        }
        settled_ = now;
        held_ = waiting_;
    }
    void add_to(std::vector<Metric>& out) const override {
        const auto time = static_cast<double>(window_.measured(settled_).count());
        out.push_back({"queue_length_mean", ratio(static_cast<double>(sum_), time)});
        out.push_back({"queue_length_max",
                       time > 0 ? std::optional(static_cast<double>(most_)) : std::nullopt});
    }

private:
    __extension__ using Wide = __int128;

    Window window_;
    core::Members waiting_ = 0;
    core::Members held_ = 0;  ///< Waiting pods since `settled_`.
    core::Members most_ = 0;  ///< Most pods that waited at any time in the window, for longer than
                              ///< an instant.
    SimTime settled_{};
    Wide sum_ = 0;  ///< Pods x nanoseconds in the window.
};

}  // namespace

std::unique_ptr<Meter> make_queue_meter(const Metered& run) {
    return std::make_unique<QueueMeter>(run.settings.window);
}

}  // namespace berth::sim
