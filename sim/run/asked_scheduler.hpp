#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/clock/event_queue.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/measures.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/noted_scheduler.hpp"

namespace berth::sim {

/// A profile's scheduler that somebody else asks, who keeps the time and says what happens: which
/// jobs come and end, which servers leave and come. It simulates nothing. Jobs are known by their
/// number, counted from 0 as they are submitted.
///
/// Order: what is told happens at the next decide(), in the order of EventKind as in a Simulation:
///        ends, servers, submissions, each as they were told. So whoever tells what a run has
///        happen gets the decisions of that run.
/// Cost:  as Simulation, an event.
class AskedScheduler {
public:
    /// The ledger holds what is in use from outside; it outlives this. Of the settings counts what
    /// the scheduler goes by: they have nothing happen by itself.
    AskedScheduler(core::Ledger& ledger, const Settings& settings);
    ~AskedScheduler();
    AskedScheduler(const AskedScheduler&) = delete;
    AskedScheduler& operator=(const AskedScheduler&) = delete;

    /// A job comes; its submit time is that of the next decide(), and its duration is not known.
    /// Returns its number.
    std::uint64_t submit(Job job);
    /// Why an end cannot be told of a job; nothing: it can.
    [[nodiscard]] std::optional<std::string> why_no_end(std::uint64_t job) const;
    /// A running job has ended, or a waiting one has been withdrawn. Nobody told so before.
    void end(std::uint64_t job);
    /// Whether a server is there, after what was told of it.
    [[nodiscard]] bool is_up(core::ServerId server) const;
    /// A server leaves with all that runs there, which waits again, or comes.
    void change_server(core::ServerId server, bool up);

    /// The time goes on to `now`, and the scheduler has its turns until then; it knows what was
    /// told only at `now`.
    /// Shape:   `now` is no earlier than at the last call.
    /// Returns: what it decided, in that order.
    [[nodiscard]] std::vector<Decision> decide(SimTime now);
    /// When the scheduler has a turn next if nothing happens until then; nothing: never.
    [[nodiscard]] std::optional<SimTime> next_turn() const { return jobs_.next_ring(); }
    [[nodiscard]] SimTime now() const { return jobs_.now(); }
    /// Computes its books afresh.
    [[nodiscard]] std::optional<core::Violation> find_violation();

private:
    class NoSink;
    struct ServerChange {
        core::ServerId server;
        bool up = false;
    };
    void go_to(SimTime now);
    void ring();
    void settle_event();
    void carry_out_what_was_told();

    Settings settings_;
    std::unique_ptr<RecordSink> sink_;
    EventQueue events_;
    Cluster cluster_;
    Measures measures_;
    JobLife jobs_;
    NotedScheduler scheduler_;
    std::unordered_map<std::uint64_t, JobId> ids_;  ///< Of jobs that have not ended, by number.
    std::uint64_t numbers_ = 0;
    // What was told since the last decide(), in that order.
    std::vector<std::uint64_t> ended_;
    std::vector<ServerChange> servers_;
    std::vector<Job> submitted_;
};

}  // namespace berth::sim
