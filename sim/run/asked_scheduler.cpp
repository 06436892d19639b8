#include "sim/run/asked_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::ServerId;

namespace {

/// The settings of a scheduler that is told from outside what fails. Nothing is measured: no job
/// arrives in the window that metrics are about.
Settings asked_settings(Settings settings) {
    BERTH_ASSERT(settings.node_changes.empty() && settings.drains.empty() &&
                     settings.failure_causes.empty() && !settings.on_failure.spares &&
                     settings.run_time.empty() && settings.until == never &&
                     settings.quota_changes().empty(),
                 "what happens is told by whoever asks");
    settings.failure_causes = {"told"};
    settings.window.from = never;
    settings.sample_every = SimTime(0);
    settings.sample_arrivals = false;
    settings.limit_grace.reset();  // the caller stops jobs, too
    return settings;
}

constexpr std::uint32_t told_cause = 0;

}  // namespace

/// A sink that ignores the records.
class AskedScheduler::NoSink final : public RecordSink {
public:
    void job(const JobRecord& /*record*/) override {}
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
};

AskedScheduler::AskedScheduler(core::Ledger& ledger, const Settings& settings)
    : settings_(asked_settings(settings)),
      sink_(std::make_unique<NoSink>()),
      cluster_(ledger, settings_.profile.inside, settings_.drains),
      measures_(cluster_, settings_),
      jobs_(cluster_, settings_, events_, measures_, *sink_),
      scheduler_(settings_, *sink_, jobs_) {
    for (const ServerId server : settings_.absent) {
        (void)cluster_.take_down(server);
    }
    measures_.begin(scheduler_);
    jobs_.begin(scheduler_, nullptr, nullptr);
    jobs_.set_more_arrivals(true);
}

AskedScheduler::~AskedScheduler() = default;

std::uint64_t AskedScheduler::submit(Job job) {
    BERTH_ASSERT(!job.duration && !job.servers && !job.checkpoint && job.resizes.empty(),
                 "whoever asks says when a job ends");
    submitted_.push_back(std::move(job));
    return numbers_++;
}

std::optional<std::string> AskedScheduler::why_no_end(std::uint64_t job) const {
    if (job >= numbers_) {
        return "it was not submitted";
    }
    if (job >= numbers_ - submitted_.size()) {
        return "it comes at the next turn: expected an end after that";
    }
    if (!ids_.contains(job) || std::ranges::find(ended_, job) != ended_.end()) {
        return "it has ended already";
    }
    return std::nullopt;
}

void AskedScheduler::end(std::uint64_t job) {
    BERTH_ASSERT(!why_no_end(job), "a job that came ends once");
    ended_.push_back(job);
}

bool AskedScheduler::is_up(ServerId server) const {
    for (auto told = servers_.rbegin(); told != servers_.rend(); ++told) {
        if (told->server == server) {
            return told->up;
        }
    }
    return cluster_.ledger().is_up(server);
}

void AskedScheduler::change_server(ServerId server, bool up) {
    BERTH_ASSERT(is_up(server) != up, "a server that is there leaves, and one that is not comes");
    servers_.push_back({server, up});
}

void AskedScheduler::go_to(SimTime now) {
    if (now != jobs_.now()) {
        measures_.settle(jobs_.now());
        jobs_.set_now(now);
        cluster_.go_to(now);
    }
}

void AskedScheduler::settle_event() {
    scheduler_.event_handled();
    jobs_.check_nobody_is_lost();
    for (const std::uint64_t job : scheduler_.take_ended()) {
        ids_.erase(job);
    }
}

/// Rings the next timer of the scheduler.
void AskedScheduler::ring() {
    const auto event = events_.pop();
    BERTH_ASSERT(
        event && event->kind >= EventKind::first_timer && event->kind <= EventKind::third_timer,
        "nothing but the scheduler's timers comes by itself");
    go_to(event->at);
    const auto first = static_cast<std::uint8_t>(EventKind::first_timer);
    jobs_.ring(static_cast<Timer>(static_cast<std::uint8_t>(event->kind) - first));
    settle_event();
}

void AskedScheduler::carry_out_what_was_told() {
    for (const std::uint64_t job : std::exchange(ended_, {})) {
        const auto found = ids_.find(job);
        if (found == ids_.end()) {
            continue;  // the scheduler has refused it since its end was told
        }
        if (jobs_.job(found->second).runs()) {
            jobs_.end_now(found->second);
        } else {
            scheduler_.withdraw(found->second);
        }
        settle_event();
    }
    for (const ServerChange& change : std::exchange(servers_, {})) {
        (void)jobs_.change_server(change.server, change.up, told_cause);
        settle_event();
    }
    for (Job& job : std::exchange(submitted_, {})) {
        job.submit = jobs_.now();
        const JobId id = jobs_.arrive(std::move(job));
        ids_.emplace(jobs_.job(id).record.arrival, id);
        jobs_.admit(id);
        settle_event();
    }
}

std::vector<Decision> AskedScheduler::decide(SimTime now) {
    BERTH_ASSERT(now >= jobs_.now() && now < never, "time never goes back");
    constexpr EventKind first = EventKind::finish;
    while (events_.has_before(now, first)) {
        ring();
    }
    go_to(now);
    carry_out_what_was_told();
    while (events_.has_before(now + SimTime(1), first)) {
        ring();
    }
    return scheduler_.take();
}

std::optional<core::Violation> AskedScheduler::find_violation() {
    if (auto violation = jobs_.find_violation()) {
        return violation;
    }
    return scheduler_.find_violation();
}

}  // namespace berth::sim
