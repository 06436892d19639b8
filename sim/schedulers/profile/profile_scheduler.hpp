#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/backfill/backfilling.hpp"
#include "sim/profile/admission.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/profile_hooks.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "sim/scheduler/follower.hpp"
#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/profile/recovery.hpp"
#include "sim/schedulers/profile/turn_watch.hpp"
#include "sim/schedulers/profile/usage_follower.hpp"

namespace berth::sim {

/// The scheduler that a profile's plug-ins compose: in cycles, it tries waiting jobs in the order
/// of the queue (queueSort), asks whether they are admitted (preFilter), seeks a place (filter,
/// score, placementGroup), and may preempt where there is none (postFilter).
///
/// Order: waiting jobs are tried in the order of the profile's queueSort, then of arrival.
/// Cost:  a cycle tries each kind of waiting job once, and each job that starts; backfilling looks
///        at every waiting job.
class ProfileScheduler final : public Scheduler, private PlaceQueue {
public:
    /// All arguments outlive it.
    ProfileScheduler(const Settings& settings, RecordSink& sink, Actions& actions);

    /// From now on, these hooks decide instead of the profile's plug-ins. If they order the queue,
    /// the queue policy must not.
    void decide_by(ProfileHooks hooks);

    /// A waiting job is not to start any more: it is rejected.
    void withdraw(JobId id);

    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void submitted(JobId id) override;
    void started(JobId id, bool fresh) override;
    /// A job goes on elsewhere; or where it was, for another time, because its batch size has
    /// changed.
    void moved(JobId id, const Stay& stay) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void resize_asked(JobId id, core::Members size) override;
    void ended(JobId id) override;
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override;
    void drains_changed(bool foreseen) override;
    void change_quotas(std::uint32_t change) override;
    void woken(Timer timer) override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;

    [[nodiscard]] Refusal why_waiting(JobId id) override;
    [[nodiscard]] bool holds_back(JobId id) override;
    [[nodiscard]] const std::string& quota_of(JobId id) override;
    [[nodiscard]] QuotaManager* quotas() override { return admission_->quotas(); }
    [[nodiscard]] Meter* meter() override { return admission_->meter(); }
    [[nodiscard]] std::uint64_t decisions() const override { return placer_.decisions(); }
    void watch(std::uint64_t arrival, JobObserver& observer) override {
        watch_.watch(arrival, observer);
    }

private:
    [[nodiscard]] const Job& job(JobId id) const { return actions_.job(id).job(); }
    [[nodiscard]] std::unique_ptr<Admission> make_admission(RecordSink& sink);
    [[nodiscard]] std::unique_ptr<Backfilling> make_backfilling();
    template <class Part>
    [[nodiscard]] Part* follow(std::unique_ptr<Part> part);
    void request_cycle(SimTime from);
    void request_cycle_if_any_waits();
    void cycle();
    void cycle_of_everybody();
    void enqueue(JobId id);
    void let_in(JobId id) override;
    void take_out(JobId id) override;
    void start_at(JobId id, Placement placement) override;
    void go_on(Recovery::Interrupted&& interrupted);
    [[nodiscard]] bool try_to_start(JobId id);
    [[nodiscard]] bool refuse(JobId id, bool by_quota, bool for_its_shape);
    void backfill();
    void start(JobId id, Attempt attempt);
    void start_planned(JobId id, core::Members members, Attempt attempt);
    void note_runs(JobId id);
    void note_stops(JobId id, const Stints& stints, core::Members pods);
    void resize_waiting(JobId id, core::Members size);
    [[nodiscard]] Job as_it_would_go_on(JobId id) const;
    void resize_running(JobId id, core::Members size);
    [[nodiscard]] bool is_given_up(JobId id) const;
    void rank_owners();
    void sort_queue();
    void put_behind(JobId before, JobId id);
    [[nodiscard]] std::int64_t service_of(JobId id, const Stay& stay) const;

    const Settings& settings_;
    Actions& actions_;
    Placer placer_;
    WaitingQueue queue_;
    OwnJobs jobs_;
    std::unique_ptr<Admission> admission_;
    TurnWatch watch_;
    Recovery recovery_;
    std::unique_ptr<QueueSorter> sorter_;  ///< nullptr: the queue's policy orders.
    Overtaking overtaking_;
    std::vector<std::unique_ptr<Follower>> followers_;
    UsageFollower* usage_ = nullptr;      ///< One of the followers, if the queue is ordered by
                                          ///< usage; else nullptr.
    Backfilling* backfilling_ = nullptr;  ///< One of the followers; always set.
    std::size_t service_resource_;
    std::uint64_t releases_ = 0;
    std::optional<SimTime> cycle_at_;
};

}  // namespace berth::sim
