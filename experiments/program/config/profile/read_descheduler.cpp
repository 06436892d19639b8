#include "experiments/program/config/profile/read_descheduler.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/config/document/fields.hpp"
#include "sim/defrag/descheduler.hpp"

namespace berth::experiments {

std::shared_ptr<const sim::SchedulerSettings> read_descheduler(const core::Value& value,
                                                               const ExperimentSpec& spec,
                                                               core::Diagnostics& diagnostics) {
    auto settings = std::make_shared<sim::DeschedulerSettings>();
    core::MapReader map(value, "descheduler", diagnostics);
    settings->every = read_duration(map, "every").value_or(std::chrono::hours(1));
    const std::vector<std::string> policies{"waiting-jobs", "whole-gpus", "whole-servers"};
    settings->policy = static_cast<sim::DescheduleFor>(map.choice("policy", policies, 0));
    constexpr std::int64_t by_default = 10;
    settings->budget = map.integer("budget", by_default, 1, INT32_MAX);
    map.report_unknown_keys();
    if (settings->every <= sim::SimTime(0)) {
        diagnostics.error(value.span, "a descheduler that never waits: expected every above 0s");
    }
    const sim::InsidePlugins& inside = spec.settings.profile.inside;
    if (spec.outside || spec.settings.scheduler != nullptr || inside.devices || inside.candidates) {
        diagnostics.error(
            value.span,
            "a descheduler moves pods that the scheduler of a profile placed by amounts and "
            "shares of GPUs: expected a profile without device-allocator and "
            "allocation-candidates, or no descheduler");
    }
    return settings;
}

}  // namespace berth::experiments
