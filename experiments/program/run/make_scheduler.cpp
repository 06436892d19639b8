#include "experiments/program/run/make_scheduler.hpp"

#include <memory>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "sim/schedulers/outside/outside_scheduler.hpp"

namespace berth::experiments {

sim::MakeScheduler make_scheduler(const ExperimentSpec& spec,
                                  const sim::Settings& settings,
                                  std::uint32_t replication,
                                  std::uint64_t seed) {
    if (!spec.outside) {
        return nullptr;
    }
    BERTH_ASSERT(spec.outside->make, "who makes the scheduler was asked for before");
    return [&settings, policy = spec.outside->make(replication, seed)](sim::Actions& actions) {
        return std::make_unique<sim::OutsideScheduler>(settings, actions, policy);
    };
}

void check_scheduler(const ExperimentSpec& spec) {
    if (spec.outside && !spec.outside->make) {
        throw core::InputError(spec.outside->span,
                               "a scheduler in Python, which this program cannot call: run the "
                               "experiment from Python: import berth; berth.run(FILE)");
    }
}

}  // namespace berth::experiments
