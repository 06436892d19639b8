#include <algorithm>
#include <set>

#include "schedulers/slurm/decide/controller.hpp"

namespace berth::core::slurm {

/// One pass of the main loop: each job gets a try on what is free now.
class MainPass {
public:
    MainPass(Controller& controller, Seconds now, bool full)
        : controller_(controller),
          conf_(controller.cluster_.configuration),
          now_(now),
          room_(full ? no_limit : conf_.default_queue_depth + 1),
          in_play_(~controller.completing_nodes_) {}

    PassResult run() {
        for (const JobIndex index : controller_.queue(now_)) {
            if (!try_job(index) || closed_.size() == controller_.cluster_.partitions.size()) {
                break;
            }
        }
        return std::move(result_);
    }

private:
    /// Returns whether the pass goes on.
    bool try_job(JobIndex index) {
        const HeldJob& held = controller_.jobs_[index];
        const Job& job = held.job;
        if (closed_.contains(job.partition) || (job.array && closed_arrays_.contains(*job.array)) ||
            !controller_.array_is_open(job)) {
            return true;
        }
        if (!controller_.has_licenses(job)) {
            return !conf_.bf_licenses;
        }
        if (room_-- <= 0) {
            return false;
        }
        if (controller_.is_held(job)) {
            return true;
        }
        const std::vector<JobIndex> candidates = controller_.candidates_for(job);
        if (const auto chosen = choose(held, !candidates.empty())) {
            controller_.start(index, *chosen, now_);
            result_.started.push_back(index);
            return true;
        }
        evict_for(job, candidates);
        if (job.array) {
            closed_arrays_.insert(*job.array);
        }
        if (held.priority >= conf_.bf_min_prio_reserve) {
            // The partition is closed, and its nodes leave the play for other partitions too.
            closed_.insert(job.partition);
            in_play_ -= controller_.partition_of(job).nodes;
        }
        return true;
    }

    /// The job starts in a later pass, when the nodes of its victims are back.
    void evict_for(const Job& job, const std::vector<JobIndex>& candidates) {
        const NodeSet usable = controller_.partition_of(job).nodes & in_play_;
        for (const JobIndex victim : controller_.victims_among(candidates, job, usable)) {
            in_play_ -= controller_.jobs_[victim].nodes;
            controller_.evict(victim);
            result_.evicted.push_back(victim);
        }
    }

    /// Tries the nodes of the lowest weight first, then those of the next one with them; for a job
    /// that may evict others, all at once.
    [[nodiscard]] std::optional<std::vector<ChosenNode>> choose(const HeldJob& held,
                                                                bool all_at_once) const {
        const OffersByNode& offers = controller_.offers_for(held);
        NodeSet usable = controller_.partition_of(held.job).nodes;
        usable &= in_play_;
        usable &= offers.nodes;
        const auto choose_of = [&](const NodeSet& nodes) {
            return controller_.choice_.choose(held.job, nodes, controller_.free_, offers);
        };
        std::int64_t lightest = no_limit;
        std::int64_t heaviest = -no_limit;
        for_each(usable, [&](std::size_t node) {
            const std::int64_t weight = controller_.cluster_.nodes[node].weight;
            lightest = std::min(lightest, weight);
            heaviest = std::max(heaviest, weight);
        });
        if (all_at_once || lightest >= heaviest) {
            return choose_of(usable);
        }
        std::set<std::int64_t> weights;
        for_each(usable, [&](std::size_t node) {
            weights.insert(controller_.cluster_.nodes[node].weight);
        });
        for (const std::int64_t weight : weights) {
            NodeSet light = usable;
            for_each(usable, [&](std::size_t node) {
                if (controller_.cluster_.nodes[node].weight > weight) {
                    light.reset(node);
                }
            });
            if (auto chosen = choose_of(light)) {
                return chosen;
            }
        }
        return std::nullopt;
    }

    Controller& controller_;
    const Configuration& conf_;
    Seconds now_;
    std::int64_t room_;
    NodeSet in_play_;
    std::set<std::size_t> closed_ = {};
    std::set<std::size_t> closed_arrays_ = {};
    PassResult result_ = {};
};

PassResult Controller::main_pass(Seconds now, bool full) {
    return MainPass(*this, now, full).run();
}

}  // namespace berth::core::slurm
