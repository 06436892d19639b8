#include "sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using core::Members;
using core::PlacedNode;

/// The members of a running job by server, in the order of the tree.
std::vector<PlacedNode> servers_in_use(const JobRecord& record, const core::Topology& tree) {
    std::map<core::NodeId, Members> counts;
    for (const Stint& stint : record.stints) {
        if (!stint.finish) {
            counts[tree.node_of(stint.server)] += stint.members;
        }
    }
    std::vector<PlacedNode> servers;
    for (const auto& [node, count] : counts) {
        servers.push_back({node, count});
    }
    return servers;
}

/// The first multiple of `period` at or after `time`, or `time` itself without a period; nothing
/// when it lies beyond what SimTime holds.
std::optional<SimTime> tick_from(SimTime time, SimTime period) {
    if (period <= SimTime(0) || time % period == SimTime(0)) {
        return time;
    }
    const auto ticks = time / period + 1;
    return ticks > never / period ? std::nullopt : std::optional(ticks * period);
}

/// Ends `gone` members on a server, those that started last first.
void end_members(JobRecord& record, core::ServerId server, Members gone, SimTime now) {
    for (std::size_t i = record.stints.size(); i-- > 0 && gone > 0;) {
        Stint& stint = record.stints[i];
        if (stint.server != server || stint.finish) {
            continue;
        }
        const Members leaving = std::min(gone, stint.members);
        gone -= leaving;
        if (leaving == stint.members) {
            stint.finish = now;
            continue;
        }
        stint.members -= leaving;
        Stint ended = stint;
        ended.members = leaving;
        ended.finish = now;
        record.stints.insert(record.stints.begin() + static_cast<std::ptrdiff_t>(i) + 1, ended);
    }
}

}  // namespace

Simulation::Simulation(core::Ledger& ledger,
                       PodSource& source,
                       const Settings& settings,
                       RecordSink& sink,
                       RunControl& control)
    : ledger_(ledger),
      source_(source),
      settings_(settings),
      sink_(sink),
      control_(control),
      scheduler_(settings.profile, ledger, settings.attainable),
      utilization_(ledger),
      metrics_(ledger.topology(), settings.attainable),
      waiting_(settings.profile.queue_sort),
      waiting_demand_(ledger.resource_count()) {}

std::vector<std::string> Simulation::sampled_metrics(const core::Topology& tree) {
    std::vector<std::string> names{"pods_running", "pods_waiting"};
    for (const std::string& resource : tree.resources().names()) {
        names.push_back(resource + "_utilization");
        names.push_back(resource + "_requested");
        names.push_back(resource + "_stranded");
    }
    return names;
}

RunResult Simulation::run() {
    schedule_next_arrival();
    if (settings_.sample_every > SimTime(0)) {
        request_sample();
    }
    RunResult result;
    while (auto event = events_.pop()) {
        if (event->kind == EventKind::sample && events_.empty()) {
            sample();  // nothing is left to wait for: the last sample shows the end of the work
            break;
        }
        if (event->at > settings_.until) {
            utilization_.settle(now_);
            now_ = settings_.until;
            break;
        }
        if (control_.stop.load(std::memory_order_relaxed)) {
            result.interrupted = true;
            return result;
        }
        if (event->at != now_) {
            utilization_.settle(now_);
            now_ = event->at;
        }
        fingerprint_.event(*event);
        ++events_handled_;
        constexpr std::uint64_t step = 1024;
        if (events_handled_ % step == 0) {
            control_.events.fetch_add(step, std::memory_order_relaxed);
        }
        handle(*event);
    }
    utilization_.settle(now_);
    end_the_rest();
    result.metrics = metrics_.result(utilization_);
    result.fingerprint = fingerprint_.value();
    result.events = events_handled_;
    result.decisions = scheduler_.decisions();
    result.end = now_;
    return result;
}

void Simulation::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::finish:
            finish(event.subject);
            break;
        case EventKind::resize:
            resize(event.subject);
            break;
        case EventKind::submit:
            submit(event.subject);
            break;
        case EventKind::cycle:
            cycle();
            break;
        case EventKind::sample:
            sample();
            break;
    }
}

void Simulation::schedule_next_arrival() {
    next_job_ = source_.next();
    if (next_job_) {
        BERTH_ASSERT(next_job_->submit >= now_, "submit times never go back");
        events_.push(next_job_->submit, EventKind::submit, 0);
    }
}

void Simulation::request_cycle() {
    if (cycle_pending_) {
        return;
    }
    const auto at = tick_from(now_, settings_.period);
    if (!at) {
        return;  // beyond the end of time
    }
    cycle_pending_ = true;
    events_.push(*at, EventKind::cycle, 0);
}

void Simulation::request_sample() {
    if (!sample_pending_) {
        sample_pending_ = true;
        events_.push(now_, EventKind::sample, 0);
    }
}

std::uint32_t Simulation::new_state() {
    if (free_states_.empty()) {
        states_.emplace_back();
        return static_cast<std::uint32_t>(states_.size() - 1);
    }
    const std::uint32_t index = free_states_.back();
    free_states_.pop_back();
    states_[index] = {};
    return index;
}

void Simulation::count_waiting(const Job& job, double sign) {
    const auto pods = sign * static_cast<double>(job.size);
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        waiting_demand_[resource] += pods * static_cast<double>(job.demand[resource]);
    }
    waiting_pods_ += static_cast<std::size_t>(static_cast<std::int64_t>(pods));
}

void Simulation::submit(std::uint32_t /*subject*/) {
    const std::uint32_t index = new_state();
    State& state = states_[index];
    state.record.job = std::move(*next_job_);
    state.arrival = arrivals_++;
    alive_.emplace(state.arrival, index);
    waiting_.add(state.record.job, state.arrival, index);
    count_waiting(state.record.job, 1);
    schedule_next_resize(index);
    schedule_next_arrival();
    request_cycle();
    if (settings_.sample_arrivals) {
        request_sample();
    }
}

void Simulation::cycle() {
    cycle_pending_ = false;
    waiting_.begin_cycle(releases_);
    while (const auto index = waiting_.next()) {
        State& state = states_[*index];
        Attempt attempt = scheduler_.schedule(state.record.job);
        state.record.placed = attempt.placed;
        if (attempt.started) {
            waiting_.taken();
            start(state, *index, std::move(attempt));
        } else if (settings_.retry) {
            waiting_.refused();
        } else {
            waiting_.taken();
            count_waiting(state.record.job, -1);
            state.record.attainable = std::move(attempt.attainable);
            end(*index, Outcome::dropped);
        }
    }
}

void Simulation::start(State& state, std::uint32_t index, Attempt attempt) {
    JobRecord& record = state.record;
    count_waiting(record.job, -1);
    record.start = now_;
    record.placement = std::move(attempt.placement);
    record.attainable = std::move(attempt.attainable);
    const core::Topology& tree = ledger_.topology();
    for (const PlacedNode& server : attempt.servers) {
        record.stints.push_back({tree.server_of(server.node), server.count, now_, std::nullopt});
        fingerprint_.placed(server);
        running_pods_ += static_cast<std::size_t>(server.count);
    }
    if (record.job.duration && *record.job.duration <= never - now_) {
        state.finish = events_.push(now_ + *record.job.duration, EventKind::finish, index);
    }
}

void Simulation::finish(std::uint32_t index) {
    State& state = states_[index];
    for (Stint& stint : state.record.stints) {
        if (!stint.finish) {
            scheduler_.release(state.record.job, stint.server, stint.members);
            stint.finish = now_;
            running_pods_ -= static_cast<std::size_t>(stint.members);
        }
    }
    ++releases_;
    state.record.finish = now_;
    end(index, Outcome::finished);
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

void Simulation::schedule_next_resize(std::uint32_t index) {
    State& state = states_[index];
    const std::vector<Resize>& resizes = state.record.job.resizes;
    state.resize.reset();
    if (state.resizes_done < resizes.size()) {
        const SimTime at = std::max(resizes[state.resizes_done].at, now_);
        state.resize = events_.push(at, EventKind::resize, index);
    }
}

void Simulation::resize(std::uint32_t index) {
    State& state = states_[index];
    Job& job = state.record.job;
    const Members size = job.resizes[state.resizes_done].size;
    ++state.resizes_done;
    if (state.record.start) {
        resize_running(state, size);
    } else {
        waiting_.remove(job, state.arrival);
        count_waiting(job, -1);
        const bool all = job.min_available == job.size;
        job.size = size;
        job.min_available = all ? size : std::min(job.min_available, size);
        waiting_.add(job, state.arrival, index);
        count_waiting(job, 1);
        request_cycle();
    }
    schedule_next_resize(index);
}

void Simulation::resize_running(State& state, Members size) {
    JobRecord& record = state.record;
    const core::Topology& tree = ledger_.topology();
    const std::vector<PlacedNode> before = servers_in_use(record, tree);
    const auto after = scheduler_.resize(record.job, size, before);
    if (!after) {
        ++record.resizes_refused;
        return;
    }
    std::map<core::NodeId, Members> change;
    for (const PlacedNode& server : *after) {
        change[server.node] += server.count;
    }
    for (const PlacedNode& server : before) {
        change[server.node] -= server.count;
    }
    for (const auto& [node, count] : change) {
        fingerprint_.placed({node, count});
        if (count > 0) {
            record.stints.push_back({tree.server_of(node), count, now_, std::nullopt});
        } else if (count < 0) {
            end_members(record, tree.server_of(node), -count, now_);
            ++releases_;
        }
        running_pods_ += static_cast<std::size_t>(count);
    }
    record.job.size = size;
    record.placed = size;
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

void Simulation::end(std::uint32_t index, Outcome outcome) {
    State& state = states_[index];
    if (outcome == Outcome::waiting || outcome == Outcome::dropped) {
        state.record.reason = scheduler_.explain(state.record.job, state.record.placed);
    }
    state.record.outcome = outcome;
    if (state.resize) {
        events_.cancel(*state.resize);
    }
    alive_.erase(state.arrival);
    write_record(state.arrival, std::move(state.record));
    free_states_.push_back(index);
}

void Simulation::write_record(std::uint64_t arrival, JobRecord record) {
    ended_early_.emplace(arrival, std::move(record));
    while (!ended_early_.empty() && ended_early_.begin()->first == records_written_) {
        const JobRecord& next = ended_early_.begin()->second;
        metrics_.job(next);
        sink_.job(next);
        ended_early_.erase(ended_early_.begin());
        ++records_written_;
    }
}

void Simulation::end_the_rest() {
    while (!alive_.empty()) {
        const std::uint32_t index = alive_.begin()->second;
        end(index, states_[index].record.start ? Outcome::running : Outcome::waiting);
    }
}

void Simulation::sample() {
    sample_pending_ = false;
    utilization_.settle(now_);
    std::vector<double> values{static_cast<double>(running_pods_),
                               static_cast<double>(waiting_pods_)};
    const core::NodeId root = ledger_.topology().root();
    for (std::size_t resource = 0; resource < ledger_.resource_count(); ++resource) {
        const double allocated = utilization_.allocated(resource);
        const auto capacity = static_cast<double>(ledger_.capacity(root)[resource]);
        values.push_back(allocated);
        values.push_back(allocated + (capacity > 0 ? waiting_demand_[resource] / capacity : 0));
        values.push_back(utilization_.stranded(resource));
    }
    sink_.sample(now_, values);
    const bool more_to_come = !events_.empty();
    if (settings_.sample_every > SimTime(0) && more_to_come) {
        if (const auto at = tick_from(now_ + SimTime(1), settings_.sample_every)) {
            sample_pending_ = true;
            events_.push(*at, EventKind::sample, 0);
        }
    }
}

}  // namespace berth::sim
