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

namespace berth::report {

enum class QueueKind : std::uint8_t {
    all,  ///< Above several trees.
    cohort,
    cluster_queue,
    local_queue,
};

/// An object of cluster_queues.csv, as it is from `time_s` on.
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

    /// Whether it begins with a wait: it does not where some of a job's pods were done.
    [[nodiscard]] bool waits() const { return !admitted_s || from_s == admitted_s; }
    /// Whether it ended once others had needed the quota: a job may end in its grace by itself.
    [[nodiscard]] bool is_preempted() const { return !preemptor.empty() && end != "reduced"; }
};

/// A value that holds until the next step.
struct ValueStep {
    double time_s = 0;
    double value = 0;
};

/// What happened to jobs of a queue.
struct QueueCounts {
    std::int64_t admitted = 0;
    std::int64_t preempted = 0;
    std::int64_t not_ready = 0;
    std::int64_t waiting = 0;  ///< For quota, when the run ended.
};

/// Counts of all replications.
struct QueueTally {
    std::size_t replications = 0;
    QueueCounts all;
    std::map<std::string, QueueCounts> by_cluster_queue;
    std::map<std::string, QueueCounts> by_local_queue;
    /// By the ClusterQueues of preemptor and preempted, and Kueue's reason.
    std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> preempted;
    /// Jobs that got no quota, by ClusterQueue and message: they wait when the run ends, or were
    /// given up.
    std::map<std::pair<std::string, std::string>, std::int64_t> in_vain;

    [[nodiscard]] std::map<std::string, std::int64_t> preempted_by_reason() const;
};

/// What Kueue's queues did. All but `tally` is of replication 0.
struct Queues {
    /// Nodes of the tree as quotas: min is the nominal quota, max the most that a ClusterQueue
    /// could use if nobody else did, used the quota that is held. Of a Cohort all are sums of what
    /// is in it and below it. `request` is what of its quota a queue uses or does not lend.
    Quotas quotas;
    std::vector<QueueKind> kinds;                ///< By quota.
    std::vector<std::string> stop_policies;      ///< By quota, at the end; empty of cohorts.
    std::vector<std::optional<double>> weights;  ///< By quota, at the end.
    std::vector<std::vector<std::optional<double>>> borrowing_limits;  ///< By quota and resource,
    std::vector<std::vector<std::optional<double>>> lending_limits;    ///< at the end.
    std::vector<std::vector<ValueStep>> waiting;  ///< By quota: jobs that wait for quota.
    /// By quota, where fair sharing is on: its dominant share by its weight; infinity where it
    /// borrows with a weight of 0. Empty: no share.
    std::vector<std::vector<ValueStep>> shares;
    std::vector<QueueStay> preempted;  ///< Who was preempted, by the time it was told so.
    QueueTally tally;
};

/// Reads cluster_queues.csv and admissions.csv; nothing where one of them is missing. `end_s`: of
/// replication 0; without it the last time in its rows is taken.
///
/// Errors: core::InputError with the file, the line and the column.
/// Cost:   O(rows * depth of the tree * resources of flavors).
[[nodiscard]] std::optional<Queues> read_queues(const std::filesystem::path& directory,
                                                std::optional<double> end_s);

/// What the queues did, by their objects, ascending in time, and by what jobs of one replication
/// held. Each stay is of a ClusterQueue among the objects. The tally is empty.
[[nodiscard]] Queues replay_queues(const std::vector<QueueObject>& objects,
                                   const std::vector<QueueStay>& stays,
                                   std::optional<double> end_s);

}  // namespace berth::report
