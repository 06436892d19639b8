#include "experiments/c/stepped_run.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"

namespace berth::c {
namespace {

void check_steppable(const experiments::ExperimentSpec& spec) {
    using Kind = experiments::OutsideScheduler::Kind;
    if (!spec.outside || spec.outside->kind == Kind::batsim) {
        throw core::InputError(
            fmt::format("{}: error: the experiment names a scheduler that decides itself: expected "
                        "spec.scheduler: {{caller: NAME}} where the run is stepped",
                        spec.name));
    }
    if (spec.replications != 1) {
        throw core::InputError(fmt::format(
            "{}: error: {} replications: expected spec.replications: 1 where the run is stepped",
            spec.name,
            spec.replications));
    }
    if (spec.find_warm_up) {
        throw core::InputError(
            fmt::format("{}: error: warmUp: auto, for which a run goes before: expected a time "
                        "where the run is stepped",
                        spec.name));
    }
}

}  // namespace

/// Hands each turn to the caller's thread.
class SteppedRun::Policy final : public CallerPolicy {
public:
    Policy(SteppedRun& run, const sim::OutsideActions& see) : CallerPolicy(see), run_(run) {}

    void decide(sim::OutsideActions& act) override {
        CallerTurn turn(*this, act);
        run_.hand_over(turn);
    }

private:
    SteppedRun& run_;
};

SteppedRun::SteppedRun(const experiments::ExperimentSpec& spec,
                       const core::Value& document,
                       std::optional<std::filesystem::path> folder)
    : spec_(spec), document_(document), folder_(std::move(folder)) {
    check_steppable(spec_);
    spec_.outside->make = [this](std::uint32_t /*replication*/, std::uint64_t /*seed*/) {
        return [this](const sim::OutsideActions& see) -> std::unique_ptr<sim::OutsidePolicy> {
            return std::make_unique<Policy>(*this, see);
        };
    };
}

SteppedRun::~SteppedRun() {
    if (thread_.joinable()) {
        abandoned_ = true;
        goes_on_.release();
        thread_.join();
    }
}

bool SteppedRun::next() {
    BERTH_ASSERT(!finished_ && !failed_, "a run that is over does not go on");
    turn_ = nullptr;
    if (thread_.joinable()) {
        goes_on_.release();
    } else {
        thread_ = std::thread([this] { run(); });
    }
    stands_.acquire();
    if (turn_ != nullptr) {
        return true;
    }
    thread_.join();
    if (failed_) {
        std::rethrow_exception(failed_);
    }
    return false;
}

void SteppedRun::run() {
    try {
        finished_ = run_to_its_end(spec_, document_, folder_, 1, control_);
    } catch (...) {
        failed_ = std::current_exception();
    }
    stands_.release();
}

void SteppedRun::hand_over(CallerTurn& turn) {
    turn_ = &turn;
    stands_.release();
    goes_on_.acquire();
    if (abandoned_) {
        throw Abandoned();
    }
}

}  // namespace berth::c
