#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/program/results/quotas.hpp"
#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

enum class QueueKind : std::uint8_t {
    all,  ///< The node above several trees.
    cohort,
    cluster_queue,
    local_queue,
};

/// An object of cluster_queues.csv, in its state from `time_s` on.
struct QueueObject {
    struct Limits {
        std::string flavor;
        std::string resource;
        double nominal = 0;
        std::optional<double> borrowing;
        std::optional<double> lending;
    };
    double time_s = 0;
    QueueKind kind = QueueKind::cohort;
    std::string name;
    std::string parent;
    std::string stop_policy;
    std::optional<double> weight;
    std::vector<Limits> limits;
};

/// A row of admissions.csv.
struct QueueStay {
    struct Held {
        std::string flavor;
        std::string resource;
        double amount = 0;
    };
    std::string job;
    std::string cluster_queue;
    std::string local_queue;
    double queued_s = 0;
    std::optional<double> admitted_s;
    std::optional<double> from_s;
    std::optional<double> told_s;
    std::optional<double> until_s;
    std::string end;
    std::vector<Held> amounts;
    std::string preemptor;
    std::string preemptor_queue;
    std::string reason;

    /// Whether the stay begins with a wait. It does not if some of the job's pods were done before.
    [[nodiscard]] bool waits() const { return !admitted_s || from_s == admitted_s; }
    /// Whether it ended because other jobs needed the quota. A job told so may still end by itself
    /// in its grace period.
    [[nodiscard]] bool is_preempted() const { return !preemptor.empty() && end != "reduced"; }
};

/// A value that holds until the next step.
struct ValueStep {
    double time_s = 0;
    double value = 0;
};

/// Counts of what happened to the jobs of a queue.
struct QueueCounts {
    std::int64_t admitted = 0;
    std::int64_t preempted = 0;
    std::int64_t not_ready = 0;
    std::int64_t waiting = 0;  ///< Jobs that waited for quota when the run ended.
};

/// The counts of all replications.
struct QueueTally {
    std::size_t replications = 0;
    QueueCounts all;
    std::map<std::string, QueueCounts> by_cluster_queue;
    std::map<std::string, QueueCounts> by_local_queue;
    /// Preempted jobs by the ClusterQueue of the preemptor, that of the preempted job, and Kueue's
    /// reason.
    std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> preempted;
    /// Jobs that got no quota, by ClusterQueue and message. They still waited when the run ended,
    /// or were given up.
    std::map<std::pair<std::string, std::string>, std::int64_t> in_vain;

    [[nodiscard]] std::map<std::string, std::int64_t> preempted_by_reason() const;
};

/// What happened in Kueue's queues. Everything but `tally` is about replication 0.
struct Queues final : SchedulerResults {
    /// The nodes of the tree as quotas: min is the nominal quota, max is the most that a
    /// ClusterQueue could use if no other queue used any, used is the quota that is held. A Cohort
    /// has the sums over everything in and below it. `request` is the part of its own quota that a
    /// queue uses or does not lend.
    Quotas quotas;
    std::vector<QueueKind> kinds;  ///< The kind of each node, by quota.
    /// The stop policy at the end, by quota; empty for cohorts.
    std::vector<std::string> stop_policies;
    std::vector<std::optional<double>> weights;  ///< The weight at the end, by quota.
    /// The limits at the end, by quota and resource.
    std::vector<std::vector<std::optional<double>>> borrowing_limits;
    /// The limits at the end, by quota and resource.
    std::vector<std::vector<std::optional<double>>> lending_limits;
    /// The number of jobs that wait for quota, by quota.
    std::vector<std::vector<ValueStep>> waiting;
    /// The dominant share divided by the weight, by quota, where fair sharing is on; infinity where
    /// a quota borrows with a weight of 0. Empty: it has no share.
    std::vector<std::vector<ValueStep>> shares;
    /// The preempted jobs, ordered by the time at which they were told.
    std::vector<QueueStay> preempted;
    QueueTally tally;
};

/// Reads cluster_queues.csv and admissions.csv; nothing if one of them is missing. `end_s`: the end
/// of replication 0; without it, the last time in its rows is taken.
///
/// Errors: core::InputError with the file, the line and the column.
/// Cost:   O(rows * depth of the tree * resources of flavors).
[[nodiscard]] std::optional<Queues> read_queues(const std::filesystem::path& directory,
                                                std::optional<double> end_s);

/// Replays what happened in the queues, from their objects, ascending in time, and from what the
/// jobs of one replication held. The objects include the ClusterQueue of each stay. The tally is
/// empty.
[[nodiscard]] Queues replay_queues(const std::vector<QueueObject>& objects,
                                   const std::vector<QueueStay>& stays,
                                   std::optional<double> end_s);

}  // namespace berth::report
