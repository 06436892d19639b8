#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/clock/event_queue.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/job/run_time_model.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/measures.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/job_table.hpp"
#include "sim/run/occupants.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

class Followers;
class Spares;

/// Every change of a job's state happens here, regardless of the caller. Each change is checked,
/// carried out in the cluster and in the record, and told to the meters and to the scheduler, in
/// this order. This class decides nothing.
///
/// Cost: O(members that start or stop) per change, in addition to the claims and the event queue.
class JobLife final : public Actions {
public:
    /// All arguments outlive it.
    JobLife(Cluster& cluster,
            const Settings& settings,
            EventQueue& events,
            Measures& measures,
            RecordSink& sink);
    /// To be called before anything happens. `spares`: in a run that keeps them, or nullptr;
    /// `followers`: in a run in which jobs may depend on others, or nullptr.
    void begin(Scheduler& scheduler, Spares* spares, Followers* followers) {
        scheduler_ = &scheduler;
        spares_ = spares;
        followers_ = followers;
    }

    // Events of jobs that no scheduler decides about.
    void set_now(SimTime now);
    /// A job arrives: it is rejected, or found on its server, or it waits.
    JobId arrive(Job&& job);
    void admit(JobId id);
    /// A job's work, time limit or grace period is over.
    void stop(JobId id);
    /// The run is over for a job that has not arrived, for this reason.
    void end_without_coming(Job&& job, std::string reason);
    /// How many jobs have arrived.
    [[nodiscard]] std::uint64_t arrivals() const { return jobs_.arrivals(); }
    /// A running job ends now. It was not known for how long it would run.
    void end_now(JobId id);
    /// The time of a job's next resize has come.
    void ask_resize(JobId id);
    /// A server comes, or leaves with all that runs there. `cause` is an index into
    /// Settings::failure_causes, or nothing if the cause is not one of them. Returns how many jobs
    /// lost their places. `foreseen`: only because of a drain.
    std::uint64_t change_server(core::ServerId server,
                                bool up,
                                std::optional<std::uint32_t> cause = std::nullopt,
                                bool foreseen = false);
    /// A drain is over; or, if not foreseen, plans that count on the end of a drain are wrong.
    void change_drains(bool foreseen) { scheduler_->drains_changed(foreseen); }
    [[nodiscard]] std::vector<JobId> jobs_on(core::ServerId server) const {
        return occupants_.on(server);
    }
    [[nodiscard]] bool is_empty(core::ServerId server) const { return occupants_.is_empty(server); }
    /// Jobs that lost their places to drains since the last call.
    [[nodiscard]] std::vector<JobId> take_drained() { return std::exchange(drained_, {}); }
    /// A server fails unnoticed: jobs that run there, or start there, no longer do anything. Or
    /// this is over, because the failure is known or the server works again.
    void set_broken(core::ServerId server, bool broken);
    [[nodiscard]] bool is_broken(core::ServerId server) const { return broken_.contains(server); }
    void set_more_arrivals(bool more) { more_arrivals_ = more; }
    /// The run is over: a job that has not ended by now runs or waits at its end.
    void end_the_rest();

    /// Has the processor fetch the state of a job that will probably stop next.
    [[gnu::always_inline]] void fetch(JobId id) const { jobs_.fetch(id); }
    [[gnu::always_inline]] void fetch_place(JobId id) const { jobs_.fetch_place(id); }
    /// Has the processor fetch what the job's state, which has been fetched by now, leads to: what
    /// the ledger says of the server of its first member.
    [[gnu::always_inline]] void fetch_what_it_holds(JobId id) const {
        const Stints& stints = jobs_[id].record.stints;
        if (!stints.empty()) {
            cluster_.ledger().fetch(stints.front().server);
        }
    }
    [[nodiscard]] std::uint64_t ended_jobs() const { return ended_jobs_; }
    [[nodiscard]] Fingerprint& fingerprint() { return fingerprint_; }
    /// Checks afresh how many jobs are in each phase, and what the members of each job hold.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// Checks that every job that arrived is in exactly one phase.
    void check_nobody_is_lost() const;

    [[nodiscard]] SimTime now() const override { return now_; }
    [[nodiscard]] const JobState& job(JobId id) const override { return jobs_[id]; }
    [[nodiscard]] const Cluster& cluster() const override { return cluster_; }
    void each_job(const std::function<void(JobId)>& visit) const override;
    [[nodiscard]] bool more_to_come() const override;
    void start(JobId id, Placement placement) override;
    void hold(JobId id, const Placement& placement) override;
    void let_go(JobId id) override;
    void offer_spares(JobId id, const std::vector<core::ServerId>& lost) override;
    void set_aside(JobId id) override;
    void put_back(JobId id) override;
    [[nodiscard]] SimTime would_lose(JobId id) const override;
    void evict(JobId id, EvictionCause cause, SimTime grace) override;
    void suspend(JobId id) override;
    void resume(JobId id, Placement placement) override;
    void move(JobId id, Placement placement) override;
    void resize(JobId id, core::Members size, const std::vector<core::PlacedNode>& after) override;
    void refuse_resize(JobId id) override;
    void reject(JobId id, std::string reason) override;
    void drop(JobId id) override;
    void note_attempt(JobId id,
                      core::Members placed,
                      std::optional<core::LogicalTree> attainable) override;
    void select_nodes(JobId id, std::shared_ptr<const NodeSelector> nodes) override;
    void set_condition(JobId id, Condition::Type type, std::string message) override;
    void wake(SimTime at, Timer timer) override;
    void call_off(Timer timer) override;
    /// Rings a timer whose time has come.
    void ring(Timer timer);
    [[nodiscard]] bool will_ring(Timer timer) const {
        return rings_[static_cast<std::size_t>(timer)].has_value();
    }
    /// When the first of the timers that are set rings; nothing if none is set.
    [[nodiscard]] std::optional<SimTime> next_ring() const;
    [[nodiscard]] std::uint64_t waiting_jobs() const { return waiting_jobs_; }

private:
    struct Ring {
        SimTime at{};
        EventHandle event;
    };
    struct Held {
        std::vector<core::PlacedNode> servers;
        std::vector<std::vector<Grant>> grants;
    };
    [[nodiscard]] std::optional<core::Violation> find_wrong_count() const;
    [[nodiscard]] std::optional<core::Violation> find_overdue(const JobState& state) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_hang(const JobState& state) const;
    void set_phase(JobState& state, JobPhase phase);
    [[nodiscard]] std::optional<Placement> place_from_the_start(const Job& job) const;
    void come_to_wait(JobId id, bool at_its_old_place = false);
    void leave_queue(JobState& state);
    void take_places(JobId id, Placement placement);
    void begin_work(JobId id);
    void begin_lease(JobState& state) const;
    void settle_training(JobState& state, SimTime kept) const;
    [[nodiscard]] bool goes_on_training(JobId id);
    void relocate(JobId id, Placement placement, bool keeps_work);
    void hang(JobId id);
    [[nodiscard]] bool stands_on_broken(const JobState& state) const;
    [[nodiscard]] SimTime run_time_left(const JobState& state) const;
    [[nodiscard]] SimTime time_for_work(const JobState& state) const;
    [[nodiscard]] bool has_limit(const JobState& state) const;
    [[nodiscard]] bool is_at_limit(const JobState& state) const;
    [[nodiscard]] Stretch stretch_of(const JobState& state) const;
    [[nodiscard]] Stretch end_work(JobState& state);
    [[nodiscard]] Stay give_up_places(JobId id, bool keeps_work);
    void settle_work(JobState& state, const Stretch& stretch, Stay& stay) const;
    [[nodiscard]] SimTime lost_of(SimTime done) const;
    [[nodiscard]] SimTime lost_in(const Stretch& stretch) const;
    /// Whether it matters what members of a job did if the job does not lose its places.
    [[nodiscard]] bool asks_for_account(const JobState& state) const {
        return settings_.tells_gain() || state.job().checkpoint || state.job().training;
    }
    void account(const JobState& state, Stint& stint, const Stretch& stretch) const;
    void account_running(JobState& state) const;
    void account_left(JobState& state) const;
    void evict_now(JobId id, EvictionCause cause);
    void schedule_next_resize(JobId id);
    void tell_followers(const JobRecord& record);
    void end(JobId id, Outcome outcome);

    Cluster& cluster_;
    const Settings& settings_;
    EventQueue& events_;
    Measures& measures_;
    RecordSink& sink_;
    Scheduler* scheduler_ = nullptr;
    Spares* spares_ = nullptr;
    Followers* followers_ = nullptr;
    Fingerprint fingerprint_;
    SimTime now_{};
    JobTable jobs_;
    Occupants occupants_;
    std::map<JobId, Held> held_;                ///< Places that waiting jobs hold in this event.
    std::set<JobId> aside_;                     ///< Running jobs that are set aside in this event.
    std::vector<JobId> drained_;                ///< See take_drained().
    std::set<core::ServerId> broken_;           ///< Servers that have failed unnoticed.
    std::array<std::optional<Ring>, 3> rings_;  ///< The next ring of each timer that is set.
    std::uint64_t entries_ = 0;                 ///< Number of entries into the queue.
    std::uint64_t waiting_jobs_ = 0;
    std::uint64_t running_jobs_ = 0;
    std::uint64_t suspended_jobs_ = 0;
    std::uint64_t ended_jobs_ = 0;
    bool more_arrivals_ = false;
};

}  // namespace berth::sim
