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
                controller.cluster_.licenses) {
        reserve_running();
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
            std::optional<Place> place = find_place(held, usable.nodes, later);
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
            return Outcome::skipped;
        }
        const std::vector<ChosenNode>& chosen = place.chosen;
        const NodeSet nodes = nodes_of(chosen);
        controller_.start(index, chosen, now_);
        result_.started.push_back(index);
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
    /// the time of a group doubles. A place after `latest` is as good as none.
    std::optional<Place> find_place(const HeldJob& held,
                                    const NodeSet& usable,
                                    std::optional<Seconds> latest) {
        const Job& job = held.job;
        const OffersByNode& offers = controller_.offers_for(held);
        if (auto chosen = controller_.choice_.choose(job, usable, controller_.free_, offers)) {
            return Place{std::move(*chosen), now_};
        }
        if (const auto candidates = controller_.candidates_for(job); !candidates.empty()) {
            if (auto chosen = controller_.choose_without(candidates, job, usable)) {
                return Place{std::move(*chosen), now_, true};
            }
        }
        set_offers(offers, usable);
        std::optional<Place> place = find_later(job, usable, latest.value_or(no_limit));
        for (const JobIndex index : gone_) {
            take(controller_.jobs_[index]);
        }
        gone_.clear();
        return place;
    }

    /// Adds the jobs that it imagines away to `gone_`.
    std::optional<Place> find_later(const Job& job, const NodeSet& usable, Seconds latest) {
        const std::vector<Controller::Ending>& endings = controller_.endings_;
        std::optional<Seconds> base;
        Seconds window = 30;
        for (std::size_t next = 0; next < endings.size();) {
            const std::size_t before = gone_.size();
            while (next < endings.size()) {
                const Controller::Ending& ending = endings[next++];
                if (ending.end > latest && gone_.size() == before) {
                    return std::nullopt;  // No group from here on ends earlier.
                }
                if (!has_share_on(ending, usable)) {
                    continue;
                }
                if (ending.end > latest) {
                    return std::nullopt;  // No group from here on ends earlier.
                }
                if (!base) {
                    base = (ending.end + 29) / 30 * 30;
                }
                give_back(job, controller_.jobs_[ending.job], usable);
                gone_.push_back(ending.job);
                if (ends_after(next, *base + window)) {
                    break;
                }
            }
            if (gone_.size() == before) {
                break;
            }
            do {
                window = conf_.bf_window_scale > 0 ? window + conf_.bf_window_scale : window * 2;
            } while (ends_after(next, *base + window));
            if (cpus_ < job.cpus() || offering_ < job.min_nodes) {
                continue;
            }
            if (auto chosen = controller_.choice_.choose(job, usable, controller_.free_, offers_)) {
                const Seconds end = controller_.jobs_[gone_.back()].expected_end;
                return Place{std::move(*chosen), end > now_ ? end : now_ + 1};
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool has_share_on(const Controller::Ending& ending, const NodeSet& nodes) const {
        return nodes[ending.first_node] ||
               (ending.has_more_nodes &&
                std::ranges::any_of(controller_.jobs_[ending.job].shares,
                                    [&](const Share& share) { return nodes[share.node]; }));
    }

    /// What the usable nodes have for a job before others are imagined away.
    void set_offers(const OffersByNode& offers, const NodeSet& usable) {
        offers_.nodes = offers.nodes;
        offers_.nodes &= usable;
        offers_.cpus.assign(usable.size(), 0);
        cpus_ = offering_ = 0;
        for_each(offers_.nodes, [&](std::size_t node) {
            offers_.cpus[node] = offers.cpus[node];
            cpus_ += offers.cpus[node];
            ++offering_;
        });
    }

    /// Gives back what a running job has, and finds what its nodes then have for the job that is
    /// planned. Which cores are free matters only where GPUs have cores near them.
    void give_back(const Job& job, const HeldJob& held, const NodeSet& usable) {
        if (controller_.choice_.has_near_cores()) {
            controller_.free_.give_back(held.shares);
        } else {
            controller_.free_.give_back_amounts(held.shares);
        }
        for (const Share& share : held.shares) {
            if (!usable[share.node]) {
                continue;
            }
            const std::int64_t cpus =
                controller_.choice_.offers().cpus(job, share.node, controller_.free_, false);
            offering_ += (cpus > 0 ? 1 : 0) - (offers_.nodes[share.node] ? 1 : 0);
            cpus_ += cpus - offers_.cpus[share.node];
            offers_.set(share.node, cpus);
        }
    }
    void take(const HeldJob& held) {
        if (controller_.choice_.has_near_cores()) {
            controller_.free_.take(held.shares);
        } else {
            controller_.free_.take_amounts(held.shares);
        }
    }

    [[nodiscard]] bool ends_after(std::size_t next, Seconds time) const {
        return next < controller_.endings_.size() && controller_.endings_[next].end > time;
    }

    Controller& controller_;
    const Configuration& conf_;
    Seconds now_;
    BackfillPlan plan_;
    /// What usable nodes have for the job that is planned, when the running jobs that are `gone_`
    /// are imagined away, and the sums of it.
    OffersByNode offers_ = {};
    std::int64_t cpus_ = 0;
    std::int64_t offering_ = 0;
    std::vector<JobIndex> gone_ = {};
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
