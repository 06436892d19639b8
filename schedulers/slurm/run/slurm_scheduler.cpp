#include "schedulers/slurm/run/slurm_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "core/support/assert.hpp"
#include "sim/job/members.hpp"

namespace berth::sim {

namespace slurm = core::slurm;

using std::chrono::ceil;
using std::chrono::milliseconds;

namespace {

/// The controller starts so long before the run.
constexpr slurm::Milliseconds start_of_controller = 3500;
/// How long the nodes of a job wait for its epilog when it ended, and when it was evicted; and how
/// long after its eviction a job may start again.
constexpr slurm::Milliseconds usual_epilog = 550;
constexpr slurm::Milliseconds eviction = 600;
constexpr slurm::Milliseconds requeue_delay = 121'000;

}  // namespace

std::unique_ptr<Scheduler> SlurmSettings::make_scheduler(const Settings& settings,
                                                         RecordSink& /*sink*/,
                                                         Actions& actions) const {
    return std::make_unique<SlurmScheduler>(*this, settings, actions);
}

SlurmScheduler::SlurmScheduler(const SlurmSettings& own, const Settings& settings, Actions& actions)
    : own_(own),
      settings_(settings),
      actions_(actions),
      empty_(own.cluster, seconds(-start_of_controller)),
      controller_(own.cluster, seconds(-start_of_controller)),
      made_(own, actions.cluster().topology().resources()),
      begin_(-start_of_controller),
      clock_(own.clocks, begin_),
      at_(begin_),
      next_calculation_(begin_ + own.clocks.priority_period_min * 60'000) {
    for (std::size_t node = 0; node < own.servers.size(); ++node) {
        nodes_.emplace(own.servers[node], node);
        controller_.set_down(node, !actions.cluster().ledger().is_up(own.servers[node]));
    }
}

SlurmScheduler::Milliseconds SlurmScheduler::now() const {
    return ceil<milliseconds>(actions_.now()).count();
}

slurm::Seconds SlurmScheduler::seconds(Milliseconds at) const {
    const Milliseconds since_1970 = own_.clock_at_0 + at;
    return since_1970 >= 0 ? since_1970 / 1000 : -((-since_1970 + 999) / 1000);
}

std::optional<std::string> SlurmScheduler::rejects(JobId id) {
    jobs_.add(id);
    auto asked = made_.submit(state_of(id).job());
    if (auto* why = std::get_if<std::string>(&asked)) {
        return std::move(*why);
    }
    auto& job = std::get<slurm::Job>(asked);
    if (!empty_.could_ever_run(job)) {
        return "Batch job submission failed: Requested node configuration is not available";
    }
    jobs_[id].asked = std::move(job);
    return std::nullopt;
}

void SlurmScheduler::submitted(JobId id) {
    if (state_of(id).waits()) {
        arrived_.push_back(id);
    } else {
        take_over(id);
    }
    expect(now());
}

void SlurmScheduler::resize_asked(JobId id, core::Members /*size*/) {
    BERTH_ASSERT(state_of(id).runs(), "jobs that change their size are refused");
    actions_.refuse_resize(id);
}

void SlurmScheduler::evicted(JobId id, const Stay& /*stay*/, EvictionCause cause) {
    const JobIndex index = *jobs_[id].index;
    if (cause == EvictionCause::preempted || tasks_[index].has_failed) {
        return;  // by Slurm, or it was told already
    }
    tasks_[index].has_failed = true;
    tasks_[index].ended = now();
    gone_.push_back(index);
    expect(now());
}

void SlurmScheduler::ended(JobId id) {
    const std::optional<JobIndex> index = std::exchange(jobs_[id], {}).index;
    jobs_.remove(id);
    if (!index) {
        std::erase(arrived_, id);
        return;
    }
    Task& task = tasks_[*index];
    if (controller_.job(*index).state != slurm::JobState::running) {
        controller_.cancel(*index);
        ++changes_;
    } else if (!std::exchange(task.has_failed, false)) {
        task.ended = now();
        gone_.push_back(*index);
        expect(now());
    }
}

/// What is in use from outside counts for the run, and not for Slurm: experiments have none.
void SlurmScheduler::server_changed(core::ServerId server,
                                    bool up,
                                    const std::vector<core::Amount>& /*outside*/,
                                    bool /*foreseen*/) {
    if (const auto node = nodes_.find(server); node != nodes_.end()) {
        controller_.set_down(node->second, !up);
        ++changes_;
        expect(now());
    }
}

// ------------------------------------------------------------------------------------ The steps

void SlurmScheduler::expect(Milliseconds at) {
    const SimTime step = milliseconds(clock_.step_of(at_, at));
    if (rings_at_ && *rings_at_ <= step) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::third);
    }
    rings_at_ = step;
    actions_.wake(step, Timer::third);
}

std::optional<SlurmScheduler::Milliseconds> SlurmScheduler::next_event() const {
    std::optional<Milliseconds> next;
    const auto comes = [&](Milliseconds event) { next = std::min(next.value_or(event), event); };
    if (own_.cluster.configuration.priority == slurm::PriorityType::multifactor) {
        comes(next_calculation_);
    }
    for (const JobIndex job : completing_) {
        comes(tasks_[job].ended + (tasks_[job].is_evicted ? eviction : usual_epilog));
    }
    for (const Milliseconds again : readmitted_) {
        comes(again);
    }
    return next;
}

void SlurmScheduler::wake_for_next() {
    if (!actions_.more_to_come()) {
        return;
    }
    if (const auto pass = clock_.next_pass(at_, changes_)) {
        expect(*pass);
    }
    if (const auto event = next_event()) {
        expect(*event);
    }
}

void SlurmScheduler::woken(Timer timer) {
    BERTH_ASSERT(timer == Timer::third && rings_at_ == actions_.now(), "steps are asked for");
    rings_at_.reset();
    const Milliseconds at = now();
    clock_.go_to(at, changes_);
    at_ = at;
    step(at);
    wake_for_next();
}

void SlurmScheduler::step(Milliseconds at) {
    submit_all();
    changes_ += static_cast<std::int64_t>(
        std::erase_if(readmitted_, [&](Milliseconds again) { return again <= at; }));
    end_all();
    const bool is_back = release_until(at);
    if (next_calculation_ <= at) {
        calculate_priorities(at);
        clock_.reorder();
    }
    if (const auto kind = clock_.main_pass(at, changes_, is_back)) {
        pass(at, *kind);
        clock_.passed(*kind, changes_);
    }
    if (clock_.backfill_is_due(at, changes_)) {
        pass(at, slurm::Pass::backfill);
        clock_.passed(slurm::Pass::backfill, changes_);
    }
}

void SlurmScheduler::submit_all() {
    for (const JobId id : std::exchange(arrived_, {})) {
        OwnJob& own = jobs_[id];
        slurm::Job job = std::exchange(own.asked, {});
        const auto submit = std::chrono::floor<milliseconds>(state_of(id).job().submit);
        job.submit = seconds(submit.count());
        job.order = order_++;
        own.index = controller_.submit(std::move(job));
        BERTH_ASSERT(*own.index == tasks_.size(), "jobs are numbered in the order of submission");
        tasks_.push_back({.id = id});
        ++changes_;
    }
}

/// A job that runs when it arrives. The document's check has seen that its nodes have room.
void SlurmScheduler::take_over(JobId id) {
    slurm::Job job = std::exchange(jobs_[id].asked, {});
    const auto nodes = nodes_of_members(*state_of(id).job().servers, own_, job);
    BERTH_ASSERT(nodes.has_value(), "jobs that run are on nodes");
    const Milliseconds since = now();
    job.submit = seconds(since);
    job.order = order_++;
    jobs_[id].index = controller_.submit_running(std::move(job), *nodes, seconds(since));
    BERTH_ASSERT(jobs_[id].index.has_value(), "jobs that run have room on their nodes");
    tasks_.push_back({.id = id});
    note_start(*jobs_[id].index, since);
}

void SlurmScheduler::use(Task& task, Milliseconds until) {
    const slurm::Job& job = controller_.job(static_cast<JobIndex>(&task - tasks_.data())).job;
    used_[{job.account, job.user}] +=
        static_cast<double>(until - task.used_until) / 1000 * static_cast<double>(task.cpus);
    task.used_until = until;
}

void SlurmScheduler::end(JobIndex index) {
    use(tasks_[index], tasks_[index].ended);
    std::erase(running_, index);
    completing_.push_back(index);
    ++changes_;
}

/// In the order in which they started.
void SlurmScheduler::end_all() {
    std::vector<JobIndex> ended;
    std::ranges::copy_if(running_, std::back_inserter(ended), [&](JobIndex job) {
        return std::ranges::find(gone_, job) != gone_.end();
    });
    for (const JobIndex job : ended) {
        tasks_[job].is_evicted = tasks_[job].has_failed;
        if (std::exchange(tasks_[job].has_failed, false)) {
            controller_.fail(job);
        } else {
            controller_.end(job);
        }
        end(job);
    }
    gone_.clear();
}

bool SlurmScheduler::release_until(Milliseconds at) {
    const auto released = std::erase_if(completing_, [&](JobIndex job) {
        const Task& task = tasks_[job];
        if (task.ended + (task.is_evicted ? eviction : usual_epilog) > at) {
            return false;
        }
        controller_.release(job);
        ++changes_;
        if (controller_.job(job).returns) {
            const slurm::Seconds again = seconds(task.ended + requeue_delay);
            controller_.requeue(job, seconds(task.ended), again);
            readmitted_.push_back(again * 1000 - own_.clock_at_0);
        }
        return true;
    });
    return released > 0;
}

void SlurmScheduler::calculate_priorities(Milliseconds at) {
    const Milliseconds period = own_.clocks.priority_period_min * 60'000;
    for (; next_calculation_ <= at; next_calculation_ += period) {
        for (const JobIndex job : running_) {
            use(tasks_[job], next_calculation_);
        }
        controller_.calculate_priorities(seconds(next_calculation_), used_);
        used_.clear();
    }
}

// ----------------------------------------------------------------------------------- The passes

void SlurmScheduler::pass(Milliseconds at, slurm::Pass kind) {
    ++passes_;
    const slurm::PassResult result =
        kind == slurm::Pass::backfill
            ? controller_.backfill_pass(seconds(at))
            : controller_.main_pass(seconds(at), kind == slurm::Pass::main_full);
    for (const JobIndex job : result.started) {
        note_start(job, at);
        actions_.start(tasks_[job].id, placement_of(job));
    }
    for (const JobIndex job : result.evicted) {
        const JobId id = tasks_[job].id;
        tasks_[job].ended = at;
        tasks_[job].is_evicted = true;
        end(job);
        actions_.evict(id, EvictionCause::preempted);
        if (!controller_.job(job).returns) {
            actions_.drop(id);
        }
    }
    tell_watcher();
}

/// Each node gets a member, and as many more as its cores are for.
Placement SlurmScheduler::placement_of(JobIndex index) const {
    const slurm::HeldJob& held = controller_.job(index);
    const core::Topology& tree = actions_.cluster().topology();
    core::Members left = state_of(tasks_[index].id).job().size;
    auto nodes_left = static_cast<core::Members>(held.shares.size());
    Placement placement;
    for (const slurm::Share& share : held.shares) {
        --nodes_left;
        const std::int64_t cpus =
            share.core_count * own_.cluster.nodes[share.node].threads_per_core;
        const auto room = static_cast<core::Members>(
            held.job.tasks_per_node > 0 ? 1 : cpus / held.job.cpus_per_task);
        const auto count = std::min(
            left,
            std::clamp<core::Members>(left - nodes_left, 1, std::max<core::Members>(room, 1)));
        if (count > 0) {
            placement.servers.push_back({tree.node_of(own_.servers[share.node]), count});
            left -= count;
        }
    }
    BERTH_ASSERT(left == 0, "each member of a job has a place");
    std::ranges::sort(placement.servers, {}, &core::PlacedNode::node);
    return placement;
}

void SlurmScheduler::note_start(JobIndex index, Milliseconds since) {
    Task& task = tasks_[index];
    task.used_until = since;
    task.is_evicted = false;
    task.cpus = 0;
    for (const slurm::Share& share : controller_.job(index).shares) {
        task.cpus += share.core_count * own_.cluster.nodes[share.node].threads_per_core;
    }
    running_.push_back(index);
    ++changes_;
}

// -------------------------------------------------------------------------------------- Reasons

std::string SlurmScheduler::why_in_words(JobIndex index) const {
    return fmt::format("({})", controller_.reason_of(index, seconds(now())));
}

std::string SlurmScheduler::explained(JobIndex index, std::string_view reason) const {
    using Words = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Words, 10> words{{
        {"Resources", "it is the first of its partition, and what it asks for is not free"},
        {"QOSResourceLimit", "a limit of its QOS, or of its user there, is reached"},
        {"Licenses", "too few licences are free"},
        {"JobArrayTaskLimit", "as many tasks of its array run as may"},
        {"JobHeldUser", "its priority is 0, so that it waits for ever"},
        {"BeginTime", "it was put back into the queue, and may not start yet"},
        {"PartitionDown", "its partition is DOWN"},
        {"PartitionTimeLimit",
         "its time limit is above MaxTime of its partition: it waits for ever"},
        {"PartitionNodeLimit", "its nodes are not what its partition allows: it waits for ever"},
        {"Dependency", "jobs that it depends on have not ended"},
    }};
    const auto* const found = std::ranges::find(words, reason, &Words::first);
    return fmt::format(
        "({}) {}.",
        reason,
        found != words.end()
            ? std::string(found->second)
            : fmt::format("{} jobs come before it, and one of its partition waits for resources",
                          controller_.before(index).size()));
}

Refusal SlurmScheduler::why_waiting(JobId id) {
    const std::optional<JobIndex> index = jobs_[id].index;
    if (!index) {
        return {"(None)", 0};
    }
    const slurm::HeldJob& held = controller_.job(*index);
    const bool is_cancelled =
        held.state == slurm::JobState::completing && !held.returns && !tasks_[*index].has_failed;
    return {is_cancelled ? "preempted: PreemptMode=CANCEL does not put it back into the queue"
                         : why_in_words(*index),
            0};
}

const std::string& SlurmScheduler::quota_of(JobId id) {
    const Job& job = state_of(id).job();
    return own_.cluster.partitions[partition_of(job, own_.cluster)].name;
}

void SlurmScheduler::watch(std::uint64_t arrival, JobObserver& observer) {
    watched_.emplace(arrival, observer, Placer(settings_.profile, actions_.cluster(), false));
}

void SlurmScheduler::tell_watcher() {
    if (!watched_) {
        return;
    }
    actions_.each_job([&](JobId id) {
        if (state_of(id).record.arrival == watched_->arrival && state_of(id).waits()) {
            show(id);
        }
    });
}

void SlurmScheduler::show(JobId id) {
    const std::optional<JobIndex> index = jobs_[id].index;
    if (!index) {
        return;
    }
    const std::string reason = controller_.reason_of(*index, seconds(now()));
    watched_->observer.turn({.at = actions_.now(),
                             .record = state_of(id).record,
                             .quota = {},
                             .settings = settings_,
                             .ledger = actions_.cluster().ledger(),
                             .cluster = actions_.cluster(),
                             .placer = watched_->placer,
                             .quotas = nullptr,
                             .kept_out = explained(*index, reason),
                             .kept_out_by = reason,
                             .is_of_placer = true,
                             .each_running =
                                 [&](const Turn::Visit& visit) {
                                     for (const JobIndex job : running_) {
                                         visit(state_of(tasks_[job].id).record, {});
                                     }
                                 },
                             .waiting_before =
                                 [&] {
                                     std::vector<std::string> names;
                                     for (const JobIndex job : controller_.before(*index)) {
                                         names.push_back(state_of(tasks_[job].id).job().name);
                                     }
                                     return names;
                                 },
                             .inquire = [] { return nullptr; }});
}

std::optional<core::Violation> SlurmScheduler::find_violation() {
    for (const JobIndex index : running_) {
        const bool has_ended = std::ranges::find(gone_, index) != gone_.end();
        if (has_ended) {
            continue;
        }
        const JobState& state = state_of(tasks_[index].id);
        const auto members = running_members(state.record, actions_.cluster().topology());
        if (!state.runs() || members != placement_of(index).servers) {
            return core::Violation{"a job runs on the nodes that Slurm gave it",
                                   state.job().name,
                                   fmt::format("{} nodes", controller_.job(index).shares.size()),
                                   fmt::format("{} servers", members.size())};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
