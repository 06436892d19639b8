#include "experiments/c/stepped_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

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
            fmt::format("{}: error: warmUp: auto cannot be used where the run is stepped, since it "
                        "needs a run beforehand: expected a time",
                        spec.name));
    }
}

}  // namespace

SeenJob::SeenJob(const sim::JobState& state)
    : name_(state.job().name),
      user_(state.job().user),
      quota_(state.job().quota),
      type_(state.job().type),
      demand_(state.job().demand.in_a_vector()) {}

berth_job SeenJob::look(const sim::JobState& state, const core::Topology& tree) {
    if (!places_known_) {
        places_.clear();
        for (const sim::Stint& stint : state.record.stints) {
            if (state.runs() && !stint.finish) {
                places_.push_back({stint.server.index, stint.members});
            }
        }
        places_known_ = true;
    }
    BERTH_ASSERT(demand_.size() == tree.resources().size(), "a job asks in the tree's resources");
    const sim::Job& job = state.job();
    return {.number = static_cast<std::int64_t>(state.record.arrival),
            .name = name_.c_str(),
            .user = user_.c_str(),
            .quota = quota_.c_str(),
            .type = type_.c_str(),
            .priority = job.priority,
            .preemptible = job.preemptible ? 1 : 0,
            .group = job.group ? 1 : 0,
            .size = job.size,
            .min_available = job.min_available,
            .submit = job.submit.count(),
            .estimate = job.estimate ? job.estimate->count() : BERTH_NONE,
            .start = state.runs() ? state.record.start->count() : BERTH_NONE,
            .demand = demand_.data(),
            .places = places_.data(),
            .place_count = places_.size()};
}

void CallerPolicy::submitted(sim::JobId id) {
    const sim::JobState& state = see_.job(id);
    jobs_.try_emplace(number_of(id), Known{id, SeenJob(state)});
}

void CallerPolicy::ended(sim::JobId id) {
    ended_.push_back(jobs_.extract(number_of(id)));
}

std::optional<std::vector<core::PlacedNode>> CallerPolicy::resized(const sim::OutsideActions& see,
                                                                   sim::JobId id,
                                                                   core::Members size) {
    resized(id);
    return OutsidePolicy::resized(see, id, size);
}

void CallerPolicy::list(const sim::JobOrder& order, std::vector<berth_job>& out) {
    out.clear();
    for (const sim::JobId id : order) {
        out.push_back(seen(id).look(see_.job(id), see_.cluster().topology()));
    }
}

berth_view CallerPolicy::look() {
    list(see_.waiting(), waiting_);
    list(see_.running(), running_);
    ended_.clear();
    return {.now = see_.now().count(),
            .free = see_.free().data(),
            .waiting = waiting_.data(),
            .waiting_count = waiting_.size(),
            .running = running_.data(),
            .running_count = running_.size()};
}

sim::JobId CallerPolicy::job(std::int64_t number, const char* verb) const {
    const auto found = jobs_.find(number);
    if (found == jobs_.end()) {
        throw sim::SchedulerError(
            fmt::format("at {} s: job number {} cannot {}: it neither waits nor runs",
                        sim::format_seconds(see_.now()),
                        number,
                        verb));
    }
    return found->second.id;
}

std::vector<core::PlacedNode> CallerTurn::placed(sim::JobId id,
                                                 const berth_place* places,
                                                 std::size_t count) const {
    const core::Topology& tree = act_.cluster().topology();
    std::vector<core::PlacedNode> out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [server, members] = places[i];
        if (server < 0 || server >= tree.server_count()) {
            throw sim::SchedulerError(
                fmt::format("at {} s: job '{}' cannot be on server {}: expected an index from 0 "
                            "to {}",
                            sim::format_seconds(act_.now()),
                            act_.job(id).job().name,
                            server,
                            tree.server_count() - 1));
        }
        out.push_back({tree.node_of(core::ServerId{static_cast<std::uint32_t>(server)}), members});
    }
    return out;
}

void CallerTurn::start(std::int64_t job, const berth_place* places, std::size_t count) {
    const sim::JobId id = policy_.job(job, "start");
    act_.start(id, placed(id, places, count));
    acted();
}

void CallerTurn::evict(std::int64_t job) {
    act_.evict(policy_.job(job, "be evicted"));
    acted();
}

bool CallerTurn::resize(std::int64_t job,
                        std::int64_t size,
                        const berth_place* places,
                        std::size_t count) {
    const sim::JobId id = policy_.job(job, "be resized");
    const bool answers = act_.resize(id, size, placed(id, places, count));
    policy_.resized(id);
    acted();
    return answers;
}

void CallerTurn::reject(std::int64_t job, std::string reason) {
    act_.reject(policy_.job(job, "be rejected"), std::move(reason));
}

void CallerTurn::wake(std::int64_t at) {
    if (at < 0) {
        throw sim::SchedulerError(fmt::format(
            "at {} s: the scheduler asks for a turn at {} ns: expected a time from 0 on",
            sim::format_seconds(act_.now()),
            at));
    }
    act_.wake(sim::SimTime(at));
}

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
