#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "schedulers/slurm/decide/backfill_plan.hpp"
#include "schedulers/slurm/decide/node_choice.hpp"
#include "schedulers/slurm/decide/priorities.hpp"

namespace berth::core::slurm {

enum class JobState : std::uint8_t { waiting, running, completing, ended };

/// A job that was submitted, and where it runs.
struct HeldJob {
    Job job;
    std::int64_t priority = 0;
    JobState state = JobState::waiting;
    bool returns = false;    ///< It was evicted, and goes back into the queue.
    Seconds not_before = 0;  ///< The job is not eligible earlier, as after a requeue.
    Seconds started = 0;
    Seconds expected_end = 0;
    std::vector<Share> shares;
    NodeSet nodes;          ///< Empty unless the job runs.
    std::size_t shape = 0;  ///< Of KeptOffers.
};

/// Jobs that a pass starts, and that it evicts for others.
struct PassResult {
    std::vector<JobIndex> started;
    std::vector<JobIndex> evicted;
};

/// What slurmctld decides. It is driven: it is told what happened, and when to pass.
///
/// Units:  seconds of the controller's clock, which never goes back.
/// Order:  jobs by tier of the partition, priority, submit second, order, task.
/// Source: docs/reference/slurm-decisions.md.
class Controller {
public:
    /// The cluster must outlive it.
    Controller(const Cluster& cluster, Seconds start);

    /// Whether the job fits into its empty partition: no job has been submitted yet.
    [[nodiscard]] bool could_ever_run(const Job& job);
    JobIndex submit(Job job);
    /// Submits a job that runs already, since `started`, with `cpus` on each of these nodes.
    /// Returns: nothing if a node lacks what the job asks for there.
    [[nodiscard]] std::optional<JobIndex> submit_running(Job job,
                                                         const std::vector<ChosenNode>& nodes,
                                                         Seconds started);
    /// A node leaves or comes back. Jobs on it must have failed before.
    void set_down(std::size_t node, bool is_down);
    /// The processes of a job have ended because a node failed: it goes back into the queue.
    void fail(JobIndex job);
    /// A job that waits, or would wait again, is given up.
    void cancel(JobIndex job);
    /// A job's processes have ended: its resources are free, but its nodes wait for the epilog.
    void end(JobIndex job);
    /// The epilog of a job has ended on all of its nodes.
    void release(JobIndex job);
    /// Whether a job that is evicted goes back into the queue, as PreemptMode says.
    [[nodiscard]] bool is_requeued(JobIndex job) const;
    /// Puts a job that ended back into the queue, from which it starts no earlier than `eligible`.
    void requeue(JobIndex job, Seconds now, Seconds eligible);

    /// The main loop. `full`: it tries all jobs, not default_queue_depth.
    PassResult main_pass(Seconds now, bool full);
    /// Backfill.
    PassResult backfill_pass(Seconds now);

    /// Computes the priorities of waiting jobs, as at the end of each PriorityCalcPeriod.
    /// `cpu_seconds`: what jobs used since the last time.
    void calculate_priorities(Seconds now, const std::map<Association, double>& cpu_seconds);

    /// Why a job waits, in a word of `squeue`, such as Resources.
    [[nodiscard]] std::string reason_of(JobIndex job, Seconds now) const;
    /// The jobs that come before a waiting one in the queue.
    [[nodiscard]] std::vector<JobIndex> before(JobIndex job) const;

    [[nodiscard]] const HeldJob& job(JobIndex index) const { return jobs_[index]; }
    [[nodiscard]] const std::vector<JobIndex>& running() const { return running_; }
    [[nodiscard]] std::size_t waiting_count() const { return waiting_.size(); }
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

private:
    friend class MainPass;
    friend class BackfillPass;

    /// A running job, by its end; of those with one end the last comes first.
    struct Ending {
        Seconds end = 0;
        std::int64_t order = 0;
        std::int64_t task = 0;
        JobIndex job = 0;
        std::size_t first_node = 0;
        bool has_more_nodes = false;

        [[nodiscard]] auto key() const { return std::tuple(end, -order, -task); }
    };

    [[nodiscard]] std::vector<JobIndex> queue(Seconds now) const;
    /// The place of a job among those that wait.
    [[nodiscard]] std::vector<JobIndex>::iterator place_of(JobIndex job);
    [[nodiscard]] bool comes_before(JobIndex a, JobIndex b) const;
    [[nodiscard]] Ending ending_of(JobIndex job) const;
    [[nodiscard]] const OffersByNode& offers_for(const HeldJob& held) {
        return kept_.of(held.shape, held.job, choice_.offers(), free_);
    }
    void change(const std::vector<Share>& shares);
    [[nodiscard]] bool has_ended(JobIndex job) const;
    [[nodiscard]] bool array_is_open(const Job& job) const;
    [[nodiscard]] bool has_licenses(const Job& job) const;
    /// Whether limits of its QOS hold a job back.
    [[nodiscard]] bool is_held(const Job& job) const;
    [[nodiscard]] const Partition& partition_of(const Job& job) const {
        return cluster_.partitions[job.partition];
    }
    void start(JobIndex job, const std::vector<ChosenNode>& chosen, Seconds now);
    void evict(JobIndex job);
    /// The running jobs that a job may evict, those that go first first.
    [[nodiscard]] std::vector<JobIndex> candidates_for(const Job& job) const;
    /// How a running job is evicted: its QOS, its partition or the cluster says it.
    [[nodiscard]] PreemptMode preempt_mode_of(const Job& job) const;
    /// Which of the candidates must go so that the job fits on these nodes; none if it never does.
    [[nodiscard]] std::vector<JobIndex> victims_among(std::vector<JobIndex> candidates,
                                                      const Job& job,
                                                      const NodeSet& usable);
    /// Where the job would fit if these went, of which those that matter stay gone if it does.
    [[nodiscard]] std::optional<std::vector<ChosenNode>> choose_without(
        const std::vector<JobIndex>& gone, const Job& job, const NodeSet& usable);
    void count(const HeldJob& job, std::int64_t sign);

    const Cluster& cluster_;
    NodeChoice choice_;
    Priorities priorities_;
    FreeResources free_;
    KeptOffers kept_;
    std::vector<HeldJob> jobs_;
    std::vector<JobIndex> waiting_;  ///< In the order of the queue.
    std::vector<JobIndex> running_;
    std::vector<Ending> endings_;  ///< Of those that run, in order.
    std::vector<JobIndex> completing_;
    NodeSet completing_nodes_;
    std::map<std::string, std::int64_t> licenses_used_;
    std::map<std::size_t, std::int64_t> array_tasks_running_;
    /// What running jobs of a QOS, and of a user in it, have.
    std::map<std::string, Limits> used_by_qos_;
    std::map<std::pair<std::string, std::string>, Limits> used_by_user_;
};

}  // namespace berth::core::slurm
