#include "experiments/program/run/make_scheduler.hpp"

#include <fmt/format.h>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "experiments/program/batsim/batsim_policy.hpp"
#include "sim/schedulers/outside/outside_scheduler.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::experiments {
namespace {

sim::MakePolicy make_policy(const OutsideScheduler& outside,
                            const WatchedSource& source,
                            std::uint32_t replication,
                            std::uint64_t seed) {
    if (outside.kind == OutsideScheduler::Kind::batsim) {
        BERTH_ASSERT(outside.allowed, "no library is loaded that nobody allowed");
        return [&outside, &source](const sim::OutsideActions& see) {
            return std::make_unique<BatsimPolicy>(
                see,
                std::make_unique<BatsimLibrary>(outside.file, outside.timeout),
                outside.init,
                [&source] { return source.has_more(); });
        };
    }
    BERTH_ASSERT(outside.make, "who makes the scheduler was asked for before");
    return outside.make(replication, seed);
}

}  // namespace

sim::MakeScheduler make_scheduler(const ExperimentSpec& spec,
                                  const sim::Settings& settings,
                                  sim::RecordSink& sink,
                                  const WatchedSource& source,
                                  std::uint32_t replication,
                                  std::uint64_t seed) {
    if (!spec.outside) {
        return nullptr;
    }
    if (spec.outside->make_hooks) {
        return [&settings, &sink, hooks = spec.outside->make_hooks(replication, seed)](
                   sim::Actions& actions) {
            auto scheduler = std::make_unique<sim::ProfileScheduler>(settings, sink, actions);
            scheduler->decide_by(hooks(actions));
            return scheduler;
        };
    }
    return [&settings,
            policy = make_policy(*spec.outside, source, replication, seed)](sim::Actions& actions) {
        return std::make_unique<sim::OutsideScheduler>(settings, actions, policy);
    };
}

void allow_code(ExperimentSpec& spec, bool allowed) {
    if (spec.outside) {
        spec.outside->allowed = allowed;
    }
}

void check_code(const ExperimentSpec& spec, bool runs_python) {
    const auto is_code = [&](const OutsideScheduler& outside) {
        return outside.kind == OutsideScheduler::Kind::batsim ||
               (runs_python && outside.kind == OutsideScheduler::Kind::python &&
                !outside.file.empty());
    };
    if (spec.outside && is_code(*spec.outside) && !spec.outside->allowed) {
        throw core::InputError(
            spec.outside->span,
            fmt::format("the experiment runs the code of {}: expected --allow-code, if you trust "
                        "who wrote it; in Python, allow_code=True; in C, berth_allow_code()",
                        spec.outside->file));
    }
}

std::string only_runner(const ExperimentSpec& spec) {
    if (!spec.outside || spec.outside->kind == OutsideScheduler::Kind::batsim) {
        return "";
    }
    if (spec.outside->kind == OutsideScheduler::Kind::caller) {
        return "a program in C";
    }
    return spec.outside->file.empty()
               ? "Python"
               : fmt::format("Python, with the code of {}", spec.outside->file);
}

void check_scheduler(const ExperimentSpec& spec) {
    check_code(spec);
    if (spec.outside && spec.outside->make && spec.outside->profile) {
        throw core::InputError(
            *spec.outside->profile,
            "a key of a profile has no effect with a scheduler that decides everything: expected "
            "no such key, or a scheduler with order(), select() or score() alone");
    }
    if (!spec.outside || spec.outside->make || spec.outside->make_hooks) {
        return;
    }
    if (spec.outside->kind == OutsideScheduler::Kind::caller) {
        throw core::InputError(spec.outside->span,
                               "this experiment is stepped from C (berth_begin, berth_step): berth "
                               "run cannot drive it");
    }
    if (spec.outside->kind == OutsideScheduler::Kind::python) {
        throw core::InputError(spec.outside->span,
                               "this program cannot call a scheduler in Python: run the experiment "
                               "from Python: import berth; berth.run(FILE, allow_code=True)");
    }
}

}  // namespace berth::experiments
