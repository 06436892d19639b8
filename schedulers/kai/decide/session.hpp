#pragma once

#include <string>
#include <vector>

#include "schedulers/kai/decide/job.hpp"
#include "schedulers/kai/decide/nodes.hpp"
#include "schedulers/kai/decide/queues.hpp"
#include "schedulers/kai/decide/topology.hpp"
#include "schedulers/kai/decide/waiting_jobs.hpp"

namespace berth::core::kai {

struct CycleSettings {
    /// Whether a job is skipped that is not easier to place than an equal one that failed.
    bool uses_signatures = true;
    std::int64_t max_consolidation = -1;  ///< Jobs that one consolidation may move; -1: no limit.
    /// Whether victims that are placed elsewhere do not count as lost.
    bool allows_consolidating_reclaim = true;
    double reclaim_multiplier = 1;
    bool spreads = false;
    double k = 1;
    double grace = 60;  ///< Of gangs that lack pods, in seconds; below 0: for ever.
    double now = 0;     ///< In seconds of the clock of the jobs' times.
};

/// What a session is made of. Queues, nodes, jobs and the pods of each job are sorted by name.
struct SessionSpec {
    struct StartedJob {
        JobSpec spec;
        std::optional<double> last_start;
        std::optional<double> stale_since;
    };
    CycleSettings settings;
    Queues queues;
    std::vector<NodeSpec> nodes;
    std::vector<TopologySpec> topologies;
    std::vector<StartedJob> jobs;
    std::vector<Pod> pods;
};

/// What was done, for good.
struct Event {
    enum class Kind : std::uint8_t { bind, evict, pipeline };
    Kind kind = Kind::bind;
    PodIndex pod = 0;
    NodeIndex node = no_node;
};

/// The state of a cluster during one cycle. Fair shares are computed at its start.
class Session {
public:
    explicit Session(SessionSpec spec);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void set_status(PodIndex pod, Status status);
    /// Adds a pod to what its queues have allocated, or with -1 takes it from there.
    void charge(PodIndex pod, double sign);
    void update_node(NodeIndex node, PodIndex pod) { nodes[node].update(node, pods[pod]); }
    /// Whether a job has pods that wait.
    [[nodiscard]] bool is_pending(JobIndex job) const { return pending_[job] > 0; }
    [[nodiscard]] const NodeSet& all_nodes() const { return all_nodes_; }
    [[nodiscard]] Vector sum_of(const std::vector<PodIndex>& some) const;
    /// Whether the queue or an ancestor would exceed its limit, or with a job that must not be
    /// preempted its quota.
    [[nodiscard]] bool is_over_limit(const JobSpec& job, const Amounts& more) const;
    [[nodiscard]] bool is_over_quota(const JobSpec& job, const Amounts& more) const;

    CycleSettings settings;
    Queues queues;
    std::vector<NodeSpec> node_specs;
    std::vector<Node> nodes;
    std::vector<Topology> topologies;
    std::vector<JobSpec> specs;
    std::vector<Pod> pods;
    std::vector<Job> jobs;
    Amounts total{};
    std::vector<Event> events;
    WaitingJobs waiting;
    /// Whether evictions that were only tried stay in force.
    bool has_phantoms = false;

private:
    NodeSet all_nodes_;
    std::vector<std::int64_t> pending_;  ///< Pods that wait, by job.
};

}  // namespace berth::core::kai
