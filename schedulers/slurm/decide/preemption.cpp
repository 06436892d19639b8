#include <algorithm>
#include <iterator>
#include <tuple>

#include "schedulers/slurm/decide/controller.hpp"

namespace berth::core::slurm {

PreemptMode Controller::preempt_mode_of(const Job& job) const {
    const Configuration& conf = cluster_.configuration;
    if (conf.preempt == PreemptType::qos) {
        const auto qos = cluster_.qos.find(job.qos);
        if (qos != cluster_.qos.end() && qos->second.preempt_mode) {
            return *qos->second.preempt_mode;
        }
    } else if (partition_of(job).preempt_mode) {
        return *partition_of(job).preempt_mode;
    }
    return conf.preempt_mode;
}

bool Controller::is_requeued(JobIndex job) const {
    return preempt_mode_of(jobs_[job].job) == PreemptMode::requeue;
}

void Controller::evict(JobIndex job) {
    jobs_[job].returns = is_requeued(job);
    end(job);
}

std::vector<JobIndex> Controller::candidates_for(const Job& job) const {
    std::vector<JobIndex> candidates;
    const PreemptType type = cluster_.configuration.preempt;
    if (type == PreemptType::none) {
        return candidates;
    }
    const auto qos = cluster_.qos.find(job.qos);
    if (type == PreemptType::qos && (qos == cluster_.qos.end() || qos->second.preempts.empty())) {
        return candidates;
    }
    const auto may_go = [&](JobIndex index) {
        const Job& victim = jobs_[index].job;
        return preempt_mode_of(victim) != PreemptMode::off &&
               (type == PreemptType::qos ? std::ranges::count(qos->second.preempts, victim.qos) > 0
                                         : partition_of(victim).tier < partition_of(job).tier);
    };
    std::ranges::copy_if(running_, std::back_inserter(candidates), may_go);
    std::ranges::sort(candidates, {}, [&](JobIndex index) {
        const HeldJob& held = jobs_[index];
        const auto of = cluster_.qos.find(held.job.qos);
        const std::int64_t rank = type == PreemptType::partition ? partition_of(held.job).tier
                                  : of == cluster_.qos.end()     ? 0
                                                                 : of->second.priority;
        return std::tuple(rank, held.shares.size(), held.job.order, held.job.task);
    });
    return candidates;
}

std::optional<std::vector<ChosenNode>> Controller::choose_without(const std::vector<JobIndex>& gone,
                                                                  const Job& job,
                                                                  const NodeSet& usable) {
    for (const JobIndex index : gone) {
        free_.give_back(jobs_[index].shares);
    }
    auto chosen = choice_.choose(job, usable, free_);
    for (const JobIndex index : gone) {
        free_.take(jobs_[index].shares);
    }
    return chosen;
}

std::vector<JobIndex> Controller::victims_among(std::vector<JobIndex> candidates,
                                                const Job& job,
                                                const NodeSet& usable) {
    // One more goes at a time until the job fits. Then those that hold most of the nodes chosen go
    // first, and it starts anew.
    for (const bool is_last : {false, true}) {
        std::vector<JobIndex> gone;
        std::optional<std::vector<ChosenNode>> chosen;
        for (std::size_t i = 0; i < candidates.size() && !chosen; ++i) {
            gone.push_back(candidates[i]);
            chosen = choose_without(gone, job, usable);
        }
        if (!chosen) {
            return {};
        }
        NodeSet nodes(cluster_.nodes.size());
        for (const ChosenNode& node : *chosen) {
            nodes.set(node.node);
        }
        const auto overlap = [&](JobIndex index) { return (jobs_[index].nodes & nodes).count(); };
        if (is_last || candidates.size() == 1) {
            std::erase_if(gone, [&](JobIndex index) { return overlap(index) == 0; });
            return gone;
        }
        std::ranges::stable_sort(candidates, std::ranges::greater(), [&](JobIndex index) {
            return std::ranges::count(gone, index) > 0 ? overlap(index) : 0;
        });
    }
    return {};
}

}  // namespace berth::core::slurm
