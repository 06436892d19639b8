#include "experiments/program/batsim/batsim_policy.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>
#include <variant>

#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {

using nlohmann::ordered_json;

void BatsimMessage::add(sim::SimTime at, const char* type, ordered_json event) {
    events_.push_back(
        {{"timestamp", sim::seconds(at)}, {"event_type", type}, {"event", std::move(event)}});
}

std::string BatsimMessage::take(sim::SimTime now) {
    const ordered_json message{{"now", sim::seconds(now)},
                               {"events", std::exchange(events_, ordered_json::array())}};
    return dumped(message);
}

ordered_json simulation_begins(const sim::Cluster& cluster,
                               const std::vector<core::ServerId>& hosts) {
    const core::Topology& tree = cluster.topology();
    const core::ResourceSchema& schema = tree.resources();
    const auto cpu = schema.find("cpu");
    ordered_json list = ordered_json::array();
    for (std::size_t number = 0; number < hosts.size(); ++number) {
        const core::NodeId node = tree.node_of(hosts[number]);
        ordered_json properties = ordered_json::array();
        for (std::size_t r = 0; r < schema.size(); ++r) {
            const core::Amount amount = cluster.ledger().capacity(node)[r];
            properties.push_back({{"key", schema.name(r)}, {"value", schema.format(r, amount)}});
        }
        const core::Amount cores =
            cpu ? cluster.ledger().capacity(node)[*cpu] / schema.per_unit(*cpu) : 1;
        list.push_back(
            {{"id", number},
             {"name", std::string(tree.name(node))},
             {"pstate", 0},
             {"pstate_count", 1},
             {"state", "IDLE"},
             {"properties", std::move(properties)},
             {"zone_properties",
              ordered_json::array({ordered_json{{"key", "path"}, {"value", tree.path(node)}}})},
             {"core_count", std::max<core::Amount>(cores, 1)},
             {"computation_speed", ordered_json::array({1.0})}});
    }
    return {
        {"host_number", hosts.size()},
        {"computation_host_number", hosts.size()},
        {"computation_hosts", std::move(list)},
        {"storage_host_number", 0},
        {"storage_hosts", ordered_json::array()},
        {"batsim_arguments", ordered_json::array({"berth"})},
        {"batsim_execution_context_json", "{}"},
        {"workloads", ordered_json::array({ordered_json{{"name", "w0"}, {"filename", "berth"}}})},
        {"profiles", ordered_json::array()}};
}

std::string profile_of(const sim::Job& job) {
    return "w0!" + (job.type.empty() ? std::string("pod") : job.type.text());
}

ordered_json job_submitted(const std::string& id, const sim::Job& job) {
    ordered_json asked{{"resource_request", job.size}};
    if (job.estimate) {
        asked["walltime"] = sim::seconds(*job.estimate);
    }
    asked["extra_data"] = "";
    asked["rigid"] = true;
    asked["profile_id"] = profile_of(job);
    return {
        {"job_id", id}, {"job", std::move(asked)}, {"submission_time", sim::seconds(job.submit)}};
}

using nlohmann::ordered_json;
using sim::JobId;
using sim::SchedulerError;
using sim::SimTime;

BatsimPolicy::BatsimPolicy(const sim::OutsideActions& see,
                           std::unique_ptr<BatsimLibrary> library,
                           const std::string& init,
                           std::function<bool()> more_arrivals)
    : see_(see), library_(std::move(library)), more_arrivals_(std::move(more_arrivals)) {
    for (std::uint32_t i = 0; i < see.cluster().topology().server_count(); ++i) {
        if (see.cluster().ledger().is_up(core::ServerId{i})) {
            hosts_.emplace_back(core::ServerId{i});
        }
    }
    const std::string hello = library_->begin(init);
    try {
        check_hello(hello);
    } catch (const SchedulerError& error) {
        throw SchedulerError(fmt::format("{} {}", library_->name(), error.what()));
    }
}

BatsimPolicy::~BatsimPolicy() {
    if (!has_begun_ || std::uncaught_exceptions() > 0 || BatsimLibrary::any_hangs()) {
        return;
    }
    try {
        message_.add(see_.now(), "SimulationEndsEvent", ordered_json::object());
        (void)library_->decide(message_.take(see_.now()));
    } catch (...) {  // NOLINT(bugprone-empty-catch): the run is over, whatever the library does
    }
}

void BatsimPolicy::fail(const std::string& what) const {
    throw SchedulerError(
        fmt::format("at {} s: {} {}", sim::format_seconds(see_.now()), library_->name(), what));
}

void BatsimPolicy::submitted(JobId id) {
    const sim::Job& job = see_.job(id).job();
    if (see_.job(id).runs() || !job.resizes.empty()) {
        fail(
            fmt::format("cannot be told of job '{}', which {}, since Batsim's protocol has no "
                        "event for that: expected no such job",
                        job.name,
                        see_.job(id).runs() ? "runs already" : "asks for other sizes"));
    }
    std::string name = "w0!" + job.name;
    if (jobs_.contains(name) || ended_.contains(name)) {
        name += fmt::format("#{}", see_.job(id).record.arrival);
    }
    if (id.index >= names_.size()) {
        names_.resize(id.index + std::size_t{1});
    }
    names_[id.index] = name;
    jobs_.emplace(name, id);
    message_.add(see_.now(), "JobSubmittedEvent", job_submitted(name, job));
    if (!more_arrivals_()) {
        message_.add(see_.now(), "AllStaticJobsHaveBeenSubmittedEvent", ordered_json::object());
    }
}

void BatsimPolicy::ended(JobId id) {
    const std::string& name = names_[id.index];
    jobs_.erase(name);
    ended_.insert(name);
    if (see_.job(id).record.outcome == sim::Outcome::finished) {
        message_.add(see_.now(),
                     "JobCompletedEvent",
                     {{"job_id", name}, {"state", "COMPLETED_SUCCESSFULLY"}, {"return_code", 0}});
    }
}

std::optional<std::vector<core::PlacedNode>> BatsimPolicy::resized(
    const sim::OutsideActions& /*see*/, JobId /*id*/, core::Members /*size*/) {
    return std::nullopt;
}

std::string BatsimPolicy::why_waiting(JobId /*id*/) {
    return fmt::format("{} did not start it.", library_->name());
}

void BatsimPolicy::decide(sim::OutsideActions& act) {
    if (!std::exchange(has_begun_, true)) {
        BatsimMessage begin;
        begin.add(act.now(), "SimulationBeginsEvent", simulation_begins(act.cluster(), hosts_));
        ask(begin.take(act.now()));
    }
    note_calls();
    carry_out(act);
    if (!message_.empty() && act.now() >= hears_from_) {
        ask(message_.take(act.now()));
        carry_out(act);
    }
    ask_for_turns(act);
}

/// Notes the calls that the library asked for and whose time has come.
void BatsimPolicy::note_calls() {
    for (auto at = calls_.begin(); at != calls_.end();) {
        auto& [id, call] = *at;
        if (call.next > see_.now()) {
            ++at;
            continue;
        }
        const bool last = call.left && --*call.left == 0;
        message_.add(see_.now(),
                     "RequestedCallEvent",
                     {{"call_me_later_id", id}, {"last_periodic_call", last}});
        if (!call.period || last) {
            at = calls_.erase(at);
        } else {
            call.next += *call.period;
            ++at;
        }
    }
}

void BatsimPolicy::ask(const std::string& message) {
    try {
        const std::string text = library_->decide(message);
        BatsimAnswer answer;
        try {
            answer = read_answer(text, see_.now());
        } catch (const SchedulerError& error) {
            throw SchedulerError(fmt::format("{} {}", library_->name(), error.what()));
        }
        hears_from_ = answer.until;
        for (BatsimDecision& decision : answer.decisions) {
            decided_.emplace(decision.at, std::move(decision));
        }
    } catch (const SchedulerError& error) {
        throw SchedulerError(
            fmt::format("at {} s: {}", sim::format_seconds(see_.now()), error.what()));
    }
}

/// Carries out the decisions that are due now.
void BatsimPolicy::carry_out(sim::OutsideActions& act) {
    while (!decided_.empty() && decided_.begin()->first <= act.now()) {
        const auto due = decided_.extract(decided_.begin());
        std::visit([&](const auto& what) { act_on(act, what); }, due.mapped().what);
    }
}

/// Asks for turns for decisions, messages and calls that are due later, and at once for what a kill
/// has to report.
void BatsimPolicy::ask_for_turns(sim::OutsideActions& act) const {
    if (!decided_.empty()) {
        act.wake(decided_.begin()->first);
    }
    if (!message_.empty()) {
        act.wake(std::max(hears_from_, act.now()));
    }
    for (const auto& [id, call] : calls_) {
        act.wake(std::max(call.next, act.now()));
    }
}

JobId BatsimPolicy::job_of(const std::string& name) const {
    const auto found = jobs_.find(name);
    if (found == jobs_.end()) {
        fail(fmt::format("names job '{}', which {}",
                         name,
                         ended_.contains(name) ? "has ended" : "has not come"));
    }
    return found->second;
}

void BatsimPolicy::act_on(sim::OutsideActions& act, const ExecuteJob& what) {
    const JobId id = job_of(what.job);
    std::vector<core::PlacedNode> servers;
    for (const std::uint32_t host : what.hosts) {
        if (host >= hosts_.size()) {
            fail(fmt::format(
                "starts job '{}' on host {}: expected 0 to {}", what.job, host, hosts_.size() - 1));
        }
        servers.push_back({act.cluster().topology().node_of(hosts_[host]), 1});
    }
    act.start(id, std::move(servers));
}

void BatsimPolicy::act_on(sim::OutsideActions& act, const RejectJob& what) {
    act.reject(job_of(what.job), fmt::format("{} rejected it.", library_->name()));
}

/// A job that has ended in the meantime is reported as killed, as in Batsim.
void BatsimPolicy::act_on(sim::OutsideActions& act, const KillJobs& what) {
    ordered_json progresses = ordered_json::array();
    for (const std::string& name : what.jobs) {
        if (ended_.contains(name)) {
            continue;
        }
        const JobId id = job_of(name);
        const sim::JobState& state = act.job(id);
        const std::string profile = profile_of(state.job());
        const auto duration = state.job().duration;
        const SimTime ran = state.runs() ? act.now() - *state.record.start : SimTime(0);
        const double progress = duration && *duration > SimTime(0)
                                    ? std::min(1.0, sim::seconds(ran) / sim::seconds(*duration))
                                    : 0.0;
        act.evict(id);
        act.reject(id, fmt::format("{} killed it.", library_->name()));
        message_.add(act.now(),
                     "JobCompletedEvent",
                     {{"job_id", name}, {"state", "COMPLETED_KILLED"}, {"return_code", 1}});
        progresses.push_back(
            {{"job_id", name},
             {"wrapper",
              {{"kill_progress_type", "KillProgressAtomicProfile"},
               {"kill_progress", {{"profile_id", profile}, {"progress", progress}}}}}});
    }
    message_.add(act.now(),
                 "JobsKilledEvent",
                 {{"job_ids", what.jobs}, {"progresses", std::move(progresses)}});
}

void BatsimPolicy::act_on(sim::OutsideActions& act, const CallMeLater& what) {
    Call call{what.at, what.period, what.times};
    if (what.period) {
        // Batsim's periods begin at time 0; the first call is at the next multiple of the period.
        const auto next = sim::tick_from(act.now() + SimTime(1), *what.period);
        call.next = next.value_or(sim::never);
    }
    if (!calls_.emplace(what.id, call).second) {
        fail(fmt::format("asks for call '{}' twice", what.id));
    }
}

void BatsimPolicy::act_on(sim::OutsideActions& /*act*/, const StopCallMeLater& what) {
    if (calls_.erase(what.id) == 0) {
        fail(fmt::format("stops call '{}', which it has not asked for", what.id));
    }
}

}  // namespace berth::experiments
