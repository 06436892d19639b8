#include "schedulers/slurm/decide/controller.hpp"

#include <algorithm>
#include <tuple>

#include "core/support/assert.hpp"

namespace berth::core::slurm {
namespace {

/// What a job counts against limits.
Limits amounts_of(const Job& job) {
    return {{"cpu", job.cpus()},
            {"node", job.min_nodes},
            {"gres/gpu", job.gpus_on_node() * job.min_nodes + job.gpus},
            {"job", 1}};
}

bool exceeds(const Limits& limits, const Limits& used, const Limits& more) {
    return std::ranges::any_of(limits, [&](const auto& limit) {
        const auto have = used.find(limit.first);
        const auto want = more.find(limit.first);
        return (have == used.end() ? 0 : have->second) + (want == more.end() ? 0 : want->second) >
               limit.second;
    });
}

template <class Map, class Key>
const Limits& used_of(const Map& map, const Key& key) {
    static const Limits none;
    const auto found = map.find(key);
    return found == map.end() ? none : found->second;
}

}  // namespace

Controller::Controller(const Cluster& cluster, Seconds start)
    : cluster_(cluster),
      choice_(cluster.nodes, cluster.configuration),
      priorities_(cluster, start),
      free_(cluster.nodes),
      kept_(cluster.nodes.size()),
      completing_nodes_(cluster.nodes.size()) {}

bool Controller::could_ever_run(const Job& job) {
    BERTH_ASSERT(jobs_.empty(), "nothing runs yet");
    const OffersByNode& offers = kept_.of(kept_.shape_of(job), job, choice_.offers(), free_);
    return (job.gpus == 0 || job.min_nodes <= job.tasks) &&
           choice_.choose(job, partition_of(job).nodes, free_, offers).has_value();
}

bool Controller::comes_before(JobIndex a, JobIndex b) const {
    const auto rank = [&](JobIndex index) {
        const HeldJob& held = jobs_[index];
        return std::tuple(-partition_of(held.job).tier,
                          -held.priority,
                          held.job.submit,
                          held.job.order,
                          held.job.task,
                          index);
    };
    return rank(a) < rank(b);
}

std::vector<JobIndex>::iterator Controller::place_of(JobIndex job) {
    return std::ranges::lower_bound(
        waiting_, job, [&](JobIndex a, JobIndex b) { return comes_before(a, b); });
}

Controller::Ending Controller::ending_of(JobIndex index) const {
    const HeldJob& held = jobs_[index];
    return {held.expected_end,
            held.job.order,
            held.job.task,
            index,
            held.shares.front().node,
            held.shares.size() > 1};
}

void Controller::change(const std::vector<Share>& shares) {
    for (const Share& share : shares) {
        kept_.change(share.node);
    }
}

JobIndex Controller::submit(Job job) {
    BERTH_ASSERT(job.partition < cluster_.partitions.size(), "a job is in a partition");
    HeldJob held;
    // All tasks of an array begin with the priority of the first one.
    const bool is_next_task = job.array && !jobs_.empty() && jobs_.back().job.array == job.array;
    held.priority = is_next_task ? jobs_.back().priority : priorities_.of_new(job);
    held.shape = kept_.shape_of(job);
    held.job = std::move(job);
    jobs_.push_back(std::move(held));
    const JobIndex index = jobs_.size() - 1;
    waiting_.insert(place_of(index), index);
    return index;
}

void Controller::count(const HeldJob& held, std::int64_t sign) {
    for (const auto& [name, amount] : held.job.licenses) {
        licenses_used_[name] += sign * amount;
    }
    if (held.job.array) {
        array_tasks_running_[*held.job.array] += sign;
    }
    for (const auto& [name, amount] : amounts_of(held.job)) {
        used_by_qos_[held.job.qos][name] += sign * amount;
        used_by_user_[{held.job.qos, held.job.user}][name] += sign * amount;
    }
}

void Controller::start(JobIndex index, const std::vector<ChosenNode>& chosen, Seconds now) {
    HeldJob& held = jobs_[index];
    BERTH_ASSERT(held.state == JobState::waiting, "only a waiting job starts");
    held.shares = choice_.allocate(held.job, chosen, free_);
    held.nodes = NodeSet(cluster_.nodes.size());
    for (const Share& share : held.shares) {
        held.nodes.set(share.node);
    }
    free_.take(held.shares);
    change(held.shares);
    held.state = JobState::running;
    held.started = now;
    held.expected_end = now + held.job.limit;
    waiting_.erase(place_of(index));
    running_.push_back(index);
    const Ending ending = ending_of(index);
    endings_.insert(std::ranges::lower_bound(endings_, ending.key(), {}, &Ending::key), ending);
    count(held, 1);
}

std::optional<JobIndex> Controller::submit_running(Job job,
                                                   const std::vector<ChosenNode>& nodes,
                                                   Seconds started) {
    for (const ChosenNode& node : nodes) {
        if (choice_.offers().cpus(job, node.node, free_, false) < node.cpus) {
            return std::nullopt;
        }
    }
    const JobIndex index = submit(std::move(job));
    start(index, nodes, started);
    return index;
}

void Controller::set_down(std::size_t node, bool is_down) {
    free_.set_down(node, is_down);
    kept_.change(node);
}

void Controller::fail(JobIndex index) {
    jobs_[index].returns = true;
    end(index);
}

void Controller::cancel(JobIndex index) {
    HeldJob& held = jobs_[index];
    BERTH_ASSERT(held.state != JobState::running, "a job that runs is not given up");
    held.returns = false;
    if (held.state == JobState::waiting) {
        waiting_.erase(place_of(index));
        held.state = JobState::ended;
    }
}

void Controller::end(JobIndex index) {
    HeldJob& held = jobs_[index];
    BERTH_ASSERT(held.state == JobState::running, "only a running job ends");
    held.state = JobState::completing;
    free_.give_back(held.shares);
    change(held.shares);
    count(held, -1);
    std::erase(running_, index);
    endings_.erase(std::ranges::lower_bound(endings_, ending_of(index).key(), {}, &Ending::key));
    completing_.push_back(index);
    completing_nodes_ |= held.nodes;
}

void Controller::release(JobIndex index) {
    BERTH_ASSERT(jobs_[index].state == JobState::completing, "only a job that ended is released");
    jobs_[index].state = JobState::ended;
    jobs_[index].shares = {};
    jobs_[index].nodes = {};
    std::erase(completing_, index);
    completing_nodes_.reset();
    for (const JobIndex other : completing_) {
        completing_nodes_ |= jobs_[other].nodes;
    }
}

void Controller::requeue(JobIndex index, Seconds now, Seconds eligible) {
    HeldJob& held = jobs_[index];
    BERTH_ASSERT(held.state == JobState::ended, "only a job that ended is put back");
    held.state = JobState::waiting;
    held.returns = false;
    held.job.submit = now;
    held.not_before = eligible;
    waiting_.insert(place_of(index), index);
}

void Controller::calculate_priorities(Seconds now,
                                      const std::map<Association, double>& cpu_seconds) {
    if (!priorities_.are_calculated()) {
        return;
    }
    priorities_.account(now, cpu_seconds);
    for (const JobIndex index : waiting_) {
        if (!jobs_[index].job.priority) {
            jobs_[index].priority = priorities_.multifactor(jobs_[index].job, now);
        }
    }
    std::ranges::sort(waiting_, [&](JobIndex a, JobIndex b) { return comes_before(a, b); });
}

bool Controller::has_ended(JobIndex job) const {
    const HeldJob& held = jobs_[job];
    return !held.returns && (held.state == JobState::completing || held.state == JobState::ended);
}

std::vector<JobIndex> Controller::queue(Seconds now) const {
    std::vector<JobIndex> ready;
    for (const JobIndex index : waiting_) {
        const HeldJob& held = jobs_[index];
        if (held.not_before <= now && held.priority > 0 && !held.job.is_beyond_partition &&
            std::ranges::all_of(held.job.after, [&](JobIndex job) { return has_ended(job); })) {
            ready.push_back(index);
        }
    }
    return ready;
}

bool Controller::array_is_open(const Job& job) const {
    if (!job.array) {
        return true;
    }
    const auto running = array_tasks_running_.find(*job.array);
    return running == array_tasks_running_.end() || running->second < job.array_throttle;
}

bool Controller::has_licenses(const Job& job) const {
    return std::ranges::all_of(job.licenses, [&](const auto& wanted) {
        const auto there = cluster_.licenses.find(wanted.first);
        const auto used = licenses_used_.find(wanted.first);
        return (there == cluster_.licenses.end() ? 0 : there->second) -
                   (used == licenses_used_.end() ? 0 : used->second) >=
               wanted.second;
    });
}

bool Controller::is_held(const Job& job) const {
    const auto found = cluster_.qos.find(job.qos);
    if (found == cluster_.qos.end()) {
        return false;
    }
    const Qos& qos = found->second;
    const Limits more = amounts_of(job);
    const Limits& of_user = used_of(used_by_user_, std::pair(job.qos, job.user));
    return exceeds(qos.group, used_of(used_by_qos_, job.qos), more) ||
           exceeds(qos.per_user, of_user, more) ||
           (qos.jobs_per_user && exceeds({{"job", *qos.jobs_per_user}}, of_user, more));
}

}  // namespace berth::core::slurm
