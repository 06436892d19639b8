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

/// A profile's scheduler that is asked from outside: the caller keeps the time and says what
/// happens, that is, which jobs come and end, and which servers leave and come. It simulates
/// nothing. Jobs are known by their number, counted from 0 in the order of submission.
///
/// Order: what is told happens at the next decide(), in the order of EventKind as in a Simulation:
///        ends, servers, submissions, each in the order in which they were told. So a caller that
///        tells what happens in a run gets the decisions of that run.
/// Cost:  per event the same as for Simulation.
class AskedScheduler {
public:
    /// `ledger` holds what is in use from outside, and outlives this object. Only those settings
    /// count that the scheduler goes by; they must not make anything happen by itself.
    AskedScheduler(core::Ledger& ledger, const Settings& settings);
    ~AskedScheduler();
    AskedScheduler(const AskedScheduler&) = delete;
    AskedScheduler& operator=(const AskedScheduler&) = delete;

    /// A job comes; its submit time is that of the next decide(), and its duration is not known.
    /// Returns its number.
    std::uint64_t submit(Job job);
    /// Why the end of a job cannot be told; nothing if it can.
    [[nodiscard]] std::optional<std::string> why_no_end(std::uint64_t job) const;
    /// A running job has ended, or a waiting one has been withdrawn. This was not told before.
    void end(std::uint64_t job);
    /// Whether a server is there, after what was told about it.
    [[nodiscard]] bool is_up(core::ServerId server) const;
    /// A server comes, or leaves with all jobs that run there, which then wait again.
    void change_server(core::ServerId server, bool up);

    /// The time goes on to `now`, and the scheduler has its turns until then; it knows what was
    /// told only at `now`.
    /// Shape:   `now` is no earlier than in the last call.
    /// Returns: what the scheduler decided, in that order.
    [[nodiscard]] std::vector<Decision> decide(SimTime now);
    /// When the scheduler next has a turn if nothing happens until then; nothing: never.
    [[nodiscard]] std::optional<SimTime> next_turn() const { return jobs_.next_ring(); }
    [[nodiscard]] SimTime now() const { return jobs_.now(); }
    /// Compares its books with a fresh computation.
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
    std::unordered_map<std::uint64_t, JobId> ids_;  ///< Ids of jobs that have not ended, by number.
    std::uint64_t numbers_ = 0;
    // What was told since the last decide(), in the order in which it was told.
    std::vector<std::uint64_t> ended_;
    std::vector<ServerChange> servers_;
    std::vector<Job> submitted_;
};

}  // namespace berth::sim
