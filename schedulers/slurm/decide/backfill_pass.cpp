#include <algorithm>
#include <tuple>

#include "schedulers/slurm/decide/controller.hpp"

namespace berth::core::slurm {
namespace {

Seconds round_down(Seconds time, Seconds step) {
    return time / step * step;
}

}  // namespace

/// One pass of backfill: it plans each job in turn, and starts those that are planned for now.
class BackfillPass {
public:
    BackfillPass(Controller& controller, Seconds now)
        : controller_(controller),
          conf_(controller.cluster_.configuration),
          now_(now),
          plan_(now,
                round_down(now + conf_.bf_window, conf_.bf_resolution),
                controller.cluster_.nodes.size(),
                conf_.bf_node_space_size > 0 ? conf_.bf_node_space_size : conf_.bf_max_job_test,
                controller.cluster_.licenses),
          has_near_cores_(std::ranges::any_of(controller.cluster_.nodes, &Node::has_near_cores)) {
        reserve_running();
        sort_by_end();
    }

    PassResult run() {
        for (const JobIndex index : controller_.queue(now_)) {
            const Job& job = controller_.jobs_[index].job;
            if (!controller_.array_is_open(job) || controller_.is_held(job) || is_beyond(job)) {
                continue;
            }
            const Outcome outcome = plan(index);
            if (outcome == Outcome::full) {
                break;
            }
            if (outcome == Outcome::planned && job.array) {
                ++planned_tasks_[*job.array];
            }
        }
        return std::move(result_);
    }

private:
    enum class Outcome : std::uint8_t { started, planned, skipped, full };
    struct Place {
        std::vector<ChosenNode> chosen;
        Seconds at = 0;
        bool needs_victims = false;
    };

    /// Running jobs hold their licences in the plan, and exclusive ones their nodes.
    void reserve_running() {
        if (!conf_.bf_licenses && !conf_.bf_running_job_reserve) {
            return;
        }
        for (const JobIndex index : controller_.running_) {
            const HeldJob& held = controller_.jobs_[index];
            reserve_started(held, held.nodes);
        }
    }

    void reserve_started(const HeldJob& held, const NodeSet& nodes) {
        const Licenses licenses = licenses_of(held.job);
        if (held.job.exclusive || !licenses.empty()) {
            plan_.reserve(now_,
                          round_down(held.expected_end, conf_.bf_resolution),
                          held.job.exclusive ? nodes : NodeSet(nodes.size()),
                          licenses);
        }
    }

    [[nodiscard]] Licenses licenses_of(const Job& job) const {
        return conf_.bf_licenses ? job.licenses : Licenses();
    }

    /// Running jobs by the time at which they end; of those with one time the last comes first.
    void sort_by_end() {
        by_end_ = controller_.running_;
        std::ranges::sort(by_end_, {}, [&](JobIndex index) {
            const HeldJob& held = controller_.jobs_[index];
            return std::tuple(held.expected_end, -held.job.order, -held.job.task);
        });
    }

    /// Whether as many jobs of its array, user or partition were looked at as may be.
    bool is_beyond(const Job& job) {
        if (job.array && planned_tasks_[*job.array] >= conf_.bf_max_job_array_resv) {
            return true;
        }
        if (conf_.bf_max_job_user > 0 && by_user_[job.user] >= conf_.bf_max_job_user) {
            return true;
        }
        if (conf_.bf_max_job_part > 0 && by_partition_[job.partition] >= conf_.bf_max_job_part) {
            return true;
        }
        ++by_user_[job.user];
        ++by_partition_[job.partition];
        return false;
    }

    Outcome plan(JobIndex index) {
        const HeldJob& held = controller_.jobs_[index];
        const Job& job = held.job;
        const Seconds resolution = conf_.bf_resolution;
        const Licenses licenses = licenses_of(job);
        bool counted = false;
        for (std::optional<Seconds> start = now_; start;) {
            BackfillPlan::Usable usable = plan_.usable(
                *start, *start + job.limit, controller_.partition_of(job).nodes, licenses);
            const std::optional<Seconds> later = usable.later;
            if (static_cast<std::int64_t>(usable.nodes.count()) < job.min_nodes) {
                start = later;
                continue;
            }
            if (!counted && ++tests_ > conf_.bf_max_job_test) {
                return Outcome::full;
            }
            counted = true;
            std::optional<Place> place = find_place(job, usable.nodes);
            if (!place) {
                start = later;
                continue;
            }
            place->at = std::max(place->at, *start);
            const NodeSet nodes = nodes_of(place->chosen);
            const bool must_wait =
                place->at <= now_ && nodes.intersects(controller_.completing_nodes_);
            if (must_wait) {
                place->at = now_ + 1;  // for epilogs
            }
            if (place->at <= now_) {
                return start_now(index, *place, usable.nodes);
            }
            if (later && !must_wait && place->at > *later) {
                start = later;
                continue;
            }
            const Seconds begin = round_down(place->at, resolution);
            const Seconds end = end_of(begin, place->at + job.limit);
            if (held.priority < conf_.bf_min_prio_reserve || place->at > now_ + conf_.bf_window) {
                return Outcome::skipped;
            }
            if (plan_.overlaps(nodes, begin, end)) {
                start = place->at;
                continue;
            }
            if (plan_.is_full()) {
                return Outcome::full;
            }
            plan_.reserve(begin, end, nodes, licenses);
            return Outcome::planned;
        }
        return Outcome::skipped;
    }

    /// The end of a reservation: rounded, and at least one resolution after its begin.
    [[nodiscard]] Seconds end_of(Seconds begin, Seconds end) const {
        const Seconds up = conf_.ends_round_up ? conf_.bf_resolution - 1 : 0;
        return std::max(round_down(end + up, conf_.bf_resolution), begin + conf_.bf_resolution);
    }

    Outcome start_now(JobIndex index, const Place& place, const NodeSet& usable) {
        const HeldJob& held = controller_.jobs_[index];
        if (!controller_.has_licenses(held.job)) {
            return Outcome::skipped;
        }
        if (place.needs_victims) {
            for (const JobIndex victim : controller_.victims_among(
                     controller_.candidates_for(held.job), held.job, usable)) {
                controller_.evict(victim);
                result_.evicted.push_back(victim);
            }
            sort_by_end();
            return Outcome::skipped;
        }
        const std::vector<ChosenNode>& chosen = place.chosen;
        const NodeSet nodes = nodes_of(chosen);
        controller_.start(index, chosen, now_);
        result_.started.push_back(index);
        sort_by_end();
        reserve_started(held, nodes);
        const bool enough =
            conf_.bf_max_job_start > 0 && std::ssize(result_.started) >= conf_.bf_max_job_start;
        return enough ? Outcome::full : Outcome::started;
    }

    [[nodiscard]] NodeSet nodes_of(const std::vector<ChosenNode>& chosen) const {
        NodeSet nodes(controller_.cluster_.nodes.size());
        for (const ChosenNode& node : chosen) {
            nodes.set(node.node);
        }
        return nodes;
    }

    /// Where and when the job would fit: on what is free, or else as running jobs end. Their ends
    /// are tried in groups: the first takes those up to 30 s after the next multiple of 30 s, and
    /// the time of a group doubles.
    std::optional<Place> find_place(const Job& job, const NodeSet& usable) {
        if (auto chosen = controller_.choice_.choose(job, usable, controller_.free_)) {
            return Place{std::move(*chosen), now_};
        }
        if (const auto candidates = controller_.candidates_for(job); !candidates.empty()) {
            if (auto chosen = controller_.choose_without(candidates, job, usable)) {
                return Place{std::move(*chosen), now_, true};
            }
        }
        std::vector<JobIndex> gone;
        std::optional<Place> place;
        std::optional<Seconds> base;
        Seconds window = 30;
        for (std::size_t next = 0; next < by_end_.size() && !place;) {
            const std::size_t before = gone.size();
            while (next < by_end_.size()) {
                const JobIndex index = by_end_[next++];
                const HeldJob& held = controller_.jobs_[index];
                if (!has_share_on(held, usable)) {
                    continue;
                }
                if (!base) {
                    base = (held.expected_end + 29) / 30 * 30;
                }
                give_back(held);
                gone.push_back(index);
                if (ends_after(next, *base + window)) {
                    break;
                }
            }
            if (gone.size() == before) {
                break;
            }
            do {
                window = conf_.bf_window_scale > 0 ? window + conf_.bf_window_scale : window * 2;
            } while (ends_after(next, *base + window));
            if (auto chosen = controller_.choice_.choose(job, usable, controller_.free_)) {
                const Seconds end = controller_.jobs_[gone.back()].expected_end;
                place = Place{std::move(*chosen), end > now_ ? end : now_ + 1};
            }
        }
        for (const JobIndex index : gone) {
            take(controller_.jobs_[index]);
        }
        return place;
    }

    static bool has_share_on(const HeldJob& held, const NodeSet& nodes) {
        return std::ranges::any_of(held.shares,
                                   [&](const Share& share) { return nodes[share.node]; });
    }

    /// Which cores are free matters only where GPUs have cores near them.
    void give_back(const HeldJob& held) {
        if (has_near_cores_) {
            controller_.free_.give_back(held.shares);
        } else {
            controller_.free_.give_back_amounts(held.shares);
        }
    }
    void take(const HeldJob& held) {
        if (has_near_cores_) {
            controller_.free_.take(held.shares);
        } else {
            controller_.free_.take_amounts(held.shares);
        }
    }

    [[nodiscard]] bool ends_after(std::size_t next, Seconds time) const {
        return next < by_end_.size() && controller_.jobs_[by_end_[next]].expected_end > time;
    }

    Controller& controller_;
    const Configuration& conf_;
    Seconds now_;
    BackfillPlan plan_;
    bool has_near_cores_;
    std::vector<JobIndex> by_end_ = {};
    std::int64_t tests_ = 0;
    std::map<std::string, std::int64_t> by_user_ = {};
    std::map<std::size_t, std::int64_t> by_partition_ = {};
    std::map<std::size_t, std::int64_t> planned_tasks_ = {};
    PassResult result_ = {};
};

PassResult Controller::backfill_pass(Seconds now) {
    return cluster_.configuration.backfill ? BackfillPass(*this, now).run() : PassResult();
}

}  // namespace berth::core::slurm
