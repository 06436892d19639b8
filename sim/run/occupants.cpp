#include "sim/run/occupants.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;
using core::ServerId;

Occupants::Occupants(Cluster& cluster,
                     const Settings& settings,
                     Measures& measures,
                     Fingerprint& fingerprint)
    : cluster_(cluster), settings_(settings), measures_(measures), fingerprint_(fingerprint) {
    if (!settings.run_time.empty()) {
        nics_.emplace();
    }
}

void Occupants::start(JobState& state, Placement& placement, SimTime now) {
    JobRecord& record = state.record;
    auto grants = cluster_.claim(record.job, placement.servers, record.placement, placement.grants);
    if (record.job.group && record.placement.nodes.empty()) {
        record.placement = core::logical_tree(placement.servers, cluster_.topology());
    }
    FreeNumbers numbers(record.stints);
    for (std::size_t i = 0; i < placement.servers.size(); ++i) {
        start_stints(state, placement.servers[i], std::move(grants[i]), numbers, now);
        fingerprint_.placed(placement.servers[i]);
        measures_.members_run(placement.servers[i].count);
    }
    if (nics_) {
        slow_down(record, placement.servers);
    }
}

/// Members start on one server. Members whose numbers are not consecutive have separate stints.
void Occupants::start_stints(JobState& state,
                             const PlacedNode& server,
                             std::vector<Grant> grants,
                             FreeNumbers& numbers,
                             SimTime now) {
    JobRecord& record = state.record;
    for (Members left = server.count; left > 0;) {
        const FreeNumbers::Range range = numbers.take(left);
        Stint stint{cluster_.topology().server_of(server.node), range.count, now, std::nullopt};
        stint.first = range.first;
        const auto end = grants.begin() + std::min<std::ptrdiff_t>(range.count, std::ssize(grants));
        stint.grants.assign(grants.begin(), end);
        grants.erase(grants.begin(), end);
        record.numbered = std::max(record.numbered, range.first + range.count);
        left -= range.count;
        note_grants(record.job, stint);
        record.stints.push_back(std::move(stint));
    }
}

void Occupants::join(JobState& state,
                     const PlacedNode& more,
                     const PlannedGrants& planned,
                     bool are_new,
                     SimTime now) {
    JobRecord& record = state.record;
    auto grants = cluster_.claim(record.job, {{more}}, {}, planned);
    fingerprint_.placed(more);
    FreeNumbers numbers = are_new || !any(record.evictions) ? FreeNumbers(record.numbered)
                                                            : FreeNumbers(record.stints);
    const std::size_t before = record.stints.size();
    const Members numbered = record.numbered;
    start_stints(state, more, std::move(grants.front()), numbers, now);
    if (are_new) {
        note_joined(record, numbered, now);
    }
    for (std::size_t i = before; i < record.stints.size(); ++i) {
        Stint& stint = record.stints[i];
        stint.run_time_factor = record.run_time_factor;
        if (nics_) {
            (void)nics_->add(stint.server, stint.grants);
        }
    }
    measures_.members_run(more.count);
}

/// Members leave a running job on one server, beginning with those that started last.
void Occupants::leave(JobState& state, ServerId server, Members count, SimTime now) {
    JobRecord& record = state.record;
    const std::vector<Grant> grants = end_members(record, server, count, now);
    cluster_.release(record.job, server, count, grants);
    if (nics_) {
        nics_->remove(server, grants);
    }
    measures_.members_run(-count);
}

void Occupants::note_grants(const Job& job, const Stint& stint) {
    for (const Grant& grant : stint.grants) {
        cluster_.inside().fold(grant, fingerprint_);
        measures_.granted(job, grant);
    }
}

/// Sets the factor of a job's run time by where its members are when it starts.
void Occupants::slow_down(JobRecord& record, std::span<const PlacedNode> servers) {
    bool shares_nic = false;
    for (const Stint& stint : record.stints) {
        if (!stint.finish) {
            shares_nic = nics_->add(stint.server, stint.grants) || shares_nic;
        }
    }
    record.run_time_factor = run_time_factor(settings_.run_time,
                                             record.job.job_class,
                                             meeting_level(servers, cluster_.topology()),
                                             shares_nic);
    for (Stint& stint : record.stints) {
        if (!stint.finish) {
            stint.run_time_factor = record.run_time_factor;
        }
    }
}

/// Ends all stints of a running job, and gives back what they held.
void Occupants::release_all(JobState& state, SimTime now) {
    BERTH_ASSERT(state.record.start && state.runs(), "a job that stops was running");
    for (Stint& stint : state.record.stints) {
        if (!stint.finish) {
            cluster_.release(state.job(), stint.server, stint.members, stint.grants);
            if (nics_) {
                nics_->remove(stint.server, stint.grants);
            }
            stint.finish = now;
            measures_.members_run(-stint.members);
        }
    }
}

std::vector<JobId> Occupants::on(ServerId server) const {
    std::vector<JobId> ids;
    if (const auto here = on_server_.find(server); here != on_server_.end()) {
        for (const auto& [arrival, id] : here->second) {
            ids.push_back(id);
        }
    }
    return ids;
}

/// Keeps which jobs are on which servers, in a run in which servers may leave.
void Occupants::note(const JobState& state, JobId id, bool there) {
    if (!settings_.servers_may_leave()) {
        return;
    }
    for (const Stint& stint : state.record.stints) {
        if (stint.finish) {
            continue;
        }
        if (there) {
            on_server_[stint.server].emplace(state.record.arrival, id);
        } else if (const auto here = on_server_.find(stint.server); here != on_server_.end()) {
            here->second.erase({state.record.arrival, id});
        }
    }
}

}  // namespace berth::sim
