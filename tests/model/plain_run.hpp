#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/plain_case.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_gangs.hpp"
#include "tests/model/plain_job.hpp"
#include "tests/model/plain_quota_book.hpp"

namespace berth::tests {

struct PlainEviction {
    std::string job;
    sim::SimTime at{};
    sim::EvictionCause cause = sim::EvictionCause::node_failed;
    sim::SimTime ran{};
    sim::SimTime lost{};
    friend bool operator==(const PlainEviction&, const PlainEviction&) = default;
};

/// A place that is kept for a waiting job.
struct PlainPromise {
    std::size_t job = 0;
    sim::SimTime from{};
    sim::SimTime to{};
    PlainPlaces places;
};

/// What is left of a group's places when a server is gone.
struct PlainLeft {
    std::size_t job = 0;
    core::Members ran = 0;
    PlainPlaces places;
};

/// A second implementation of the run, as docs/reference describes it: lists that are searched from
/// end to end, sums that are computed anew, and nothing stored that can be computed. It shares
/// types with `sim`, but no code.
class PlainRun {
public:
    explicit PlainRun(const PlainCase& of);
    void run();

    std::vector<PlainJobState> jobs;  ///< Jobs by arrival.
    std::vector<PlainEviction> evictions;
    std::vector<bool> quota_changes_accepted;
    sim::SimTime end{};
    /// Whether two users had the same usage, as far as doubles can tell: then only the run knows
    /// which comes first.
    bool any_tie = false;
    /// Time integral of free GPUs in thousandths, if GPUs are shared.
    double idle_seconds = 0;
    /// The same integral for the GPUs that count as fragmented.
    double fragment_seconds = 0;
    /// Names of jobs that could have preempted but were not tried.
    std::string overlooked;
    /// The cluster in its final state.
    [[nodiscard]] const PlainCluster& cluster() const { return cluster_; }

private:
    /// Kinds of events, in their order within an instant.
    enum class What : std::uint8_t {
        finish,
        node_change,
        quota_change,
        resize,
        submit,
        refresh,
        recycle,
        cycle
    };
    struct Event {
        sim::SimTime at{};
        What what = What::finish;
        std::uint64_t number = 0;  ///< Counts pushes.
        std::size_t subject = 0;
    };
    void push(sim::SimTime at, What what, std::size_t subject);
    void drop_event(What what, std::size_t subject);
    std::optional<Event> next_event();
    void handle(const Event& event);
    void measure_until(sim::SimTime time);

    void submit(std::size_t id);
    void finish(std::size_t id);
    void leaves_early(const PlainJobState& job);
    void change_node(const sim::NodeChange& change);
    void evict(std::size_t id, sim::EvictionCause cause);

    // plain_resizes.cpp
    void schedule_next_resize(std::size_t id);
    void resize(std::size_t id);
    [[nodiscard]] std::optional<PlainCounts> find_resized(const sim::Job& job,
                                                          core::Members size,
                                                          const PlainCounts& running) const;
    void resize_running(std::size_t id, core::Members size);
    void leave(PlainJobState& job, std::uint32_t server, core::Members count);
    void join(PlainJobState& job, std::uint32_t server, core::Members count);

    // plain_recovery.cpp
    [[nodiscard]] PlainLeft left_without(std::uint32_t server, std::size_t id) const;
    void go_on(std::vector<PlainLeft> interrupted);
    [[nodiscard]] bool go_on(const PlainLeft& left);
    [[nodiscard]] std::optional<PlainPlaces> with_others(const PlainLeft& left) const;
    [[nodiscard]] bool keeps_hard_constraints(const sim::Job& job, const PlainCounts& counts) const;
    void hold(const PlainLeft& left, core::Members sign);
    [[nodiscard]] bool serves(const sim::Job& job, const PlainPlaces& places) const;

    // plain_cycle.cpp
    void ask_for_cycle(sim::SimTime from);
    void ask_for_cycle_if_any_waits();
    void cycle();
    [[nodiscard]] std::vector<std::size_t> queue();
    [[nodiscard]] bool may_be_tried(const sim::Job& job) const;
    [[nodiscard]] bool is_held_back(const sim::Job& job) const;
    [[nodiscard]] bool of_one_class(const sim::Job& a, const sim::Job& b) const;
    [[nodiscard]] core::Members admitted(const sim::Job& job) const;
    [[nodiscard]] bool try_to_start(std::size_t id);
    [[nodiscard]] bool refuse(std::size_t id, bool by_quota, bool whole_kind);
    void something_is_free();
    void forget_refused_without(std::size_t id);
    [[nodiscard]] std::optional<PlainPlaces> find_place(const PlainCluster& cluster,
                                                        const sim::Job& job,
                                                        core::Members members) const;
    void start(std::size_t id, const PlainPlaces& places);
    [[nodiscard]] std::size_t service_resource() const;
    [[nodiscard]] std::int64_t rank(const PlainJobState& job) const;
    void look_for_ties(const std::vector<double>& ranks);
    [[nodiscard]] double owner_rank(const PlainJobState& job) const;
    [[nodiscard]] double usage_of(const std::string& owner) const;
    [[nodiscard]] std::int64_t run_time_factor(const sim::Job& job, const PlainPlaces& on) const;

    // plain_quotas.cpp
    [[nodiscard]] PlainQuotaBook book() const;
    [[nodiscard]] std::vector<core::Amount> cluster_total(bool less_outside) const;
    void quota_changed(const std::string& quota);
    void wake(const std::string& quota);
    void ask_for_refresh();
    void refresh();

    // plain_quota_changes.cpp
    [[nodiscard]] std::string owner_of(const PlainJobState& job) const;
    void belongs_to(PlainJobState& job, const std::string& quota);
    void change_quotas(const sim::QuotaChange& change);

    // plain_recycler.cpp
    void look_at_quotas();
    void take_back(const std::string& quota);
    [[nodiscard]] std::map<std::size_t, core::Amount> use_of(const std::string& quota) const;

    // plain_preemption.cpp
    struct Preemption {
        std::uint32_t server = 0;
        std::vector<std::size_t> victims;
    };
    [[nodiscard]] std::optional<std::vector<std::size_t>> victims_on(std::uint32_t server,
                                                                     std::size_t id) const;
    [[nodiscard]] std::optional<Preemption> find_preemption(std::size_t id) const;
    bool preempt_for(std::size_t id);
    void something_left(std::uint32_t server);
    [[nodiscard]] bool may_look_for_victims(const sim::Job& job) const;
    void look_for_overlooked();

    // plain_plans.cpp
    void fill_holes();
    void cycle_of_promises();
    [[nodiscard]] core::Members select(std::size_t id);
    [[nodiscard]] std::vector<std::size_t> admitted_queue();
    void plan_anew(std::size_t promises_max);
    void keep_promises(std::size_t promises_max);
    void settle(std::size_t id, std::size_t promises_max);
    [[nodiscard]] PlainPromise* promise_of(std::size_t id);
    void take_promise_back(std::size_t id);
    [[nodiscard]] bool is_there(const PlainPromise& promise) const;
    [[nodiscard]] sim::SimTime expected_run(const PlainJobState& job) const;
    [[nodiscard]] sim::SimTime expected_end(const PlainJobState& job) const;
    [[nodiscard]] PlainCluster free_at(sim::SimTime time) const;
    [[nodiscard]] std::set<sim::SimTime> changes_of_plan() const;
    [[nodiscard]] std::optional<PlainPlaces> place_from(std::size_t id,
                                                        core::Members members,
                                                        sim::SimTime from) const;
    [[nodiscard]] std::optional<PlainPromise> earliest(std::size_t id, core::Members members) const;

    PlainCase case_;
    std::shared_ptr<const core::Topology> tree_;
    PlainSharing sharing_;
    PlainCluster cluster_;
    std::vector<Event> events_;
    std::uint64_t pushed_ = 0;
    std::uint64_t entries_ = 0;
    std::uint64_t starts_ = 0;
    sim::SimTime now_{};
    std::optional<sim::SimTime> cycle_at_;
    std::vector<PlainPromise> promises_;
    sim::SimTime planned_at_{-1};  ///< The time of the last plan.
    bool given_back_ = false;      ///< Whether something was given back earlier than planned.
    /// One job of each kind that found no place, or that its quota does not admit.
    struct Refused {
        sim::Job kind;
        bool whole_kind = true;  ///< Whether the refusal holds for all quotas.
    };
    std::vector<Refused> refused_;
    std::vector<sim::Job> held_back_;
    std::vector<sim::Job> looked_for_victims_;  ///< Jobs that looked in vain.
    std::vector<core::ElasticQuota> quotas_;    ///< The existing quotas, as they were written.
    bool refresh_asked_ = false;
    bool any_quota_changed_ = false;
    bool servers_changed_ = false;
    sim::SimTime next_refresh_{};  ///< The earliest next refresh.
    /// The last time at which the recycler saw each quota not over its runtime, by name.
    std::map<std::string, sim::SimTime> last_under_;
};

/// The members of a group that were not there before.
[[nodiscard]] PlainPlaces more_than(const PlainCounts& before, const PlainCounts& after);

/// Whether one of them finds no place whenever the other finds none.
[[nodiscard]] bool ask_the_same(const sim::Job& a, const sim::Job& b);

}  // namespace berth::tests
