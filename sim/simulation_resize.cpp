#include <algorithm>
#include <map>

#include "core/support/assert.hpp"
#include "sim/simulation.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;

namespace {

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

/// Ends `gone` members on a server, those that started last first. Returns what they had.
std::vector<Grant> end_members(JobRecord& record,
                               core::ServerId server,
                               Members gone,
                               SimTime now) {
    std::vector<Grant> grants;
    for (std::size_t i = record.stints.size(); i-- > 0 && gone > 0;) {
        Stint& stint = record.stints[i];
        if (stint.server != server || stint.finish) {
            continue;
        }
        const Members leaving = std::min(gone, stint.members);
        gone -= leaving;
        const auto kept =
            stint.grants.end() - std::min<std::ptrdiff_t>(leaving, std::ssize(stint.grants));
        grants.insert(grants.end(), kept, stint.grants.end());
        if (leaving == stint.members) {
            stint.finish = now;
            continue;
        }
        stint.members -= leaving;
        Stint ended = stint;
        ended.grants.assign(kept, stint.grants.end());
        stint.grants.erase(kept, stint.grants.end());
        ended.members = leaving;
        ended.first = stint.first + stint.members;
        ended.finish = now;
        record.stints.insert(record.stints.begin() + static_cast<std::ptrdiff_t>(i) + 1, ended);
    }
    BERTH_ASSERT(gone == 0, "members that leave a server were there");
    return grants;
}

}  // namespace

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
    BERTH_ASSERT(!state.ended && state.resizes_done < job.resizes.size(),
                 "a job that has not ended gets its next size");
    const Members size = job.resizes[state.resizes_done].size;
    ++state.resizes_done;
    if (state.record.start) {
        resize_running(state, index, size);
    } else {
        waiting_.remove(job, state.quota, state.queued);
        count_waiting(state, -job.size);
        if (quotas_) {
            quotas_->requested(state.quota, job, size - job.size);
        }
        const bool all = job.min_available == job.size;
        job.size = size;
        job.min_available = all ? size : std::min(job.min_available, size);
        waiting_.add(job, state.quota, state.queued, index);
        count_waiting(state, job.size);
        request_cycle();
    }
    quota_changed(state);
    schedule_next_resize(index);
}

void Simulation::members_leave(JobRecord& record, core::ServerId server, Members count) {
    const std::vector<Grant> grants = end_members(record, server, count, now_);
    cluster_.release(record.job, server, count, grants);
    if (nics_) {
        nics_->remove(server, grants);
    }
    wake_who_may_preempt_on(server);
    ++releases_;
}

void Simulation::members_join(JobRecord& record, const PlacedNode& more) {
    auto grants = cluster_.claim(record.job, {{more}}, {});
    Stint stint{ledger_.topology().server_of(more.node), more.count, now_, std::nullopt};
    stint.grants = std::move(grants.front());
    number_joining(record, stint);
    note_grants(record.job, stint);
    if (nics_) {
        (void)nics_->add(stint.server, stint.grants);
    }
    record.stints.push_back(std::move(stint));
}

void Simulation::resize_running(State& state, std::uint32_t index, Members size) {
    JobRecord& record = state.record;
    const core::Topology& tree = ledger_.topology();
    const Members more = size - record.placed;
    if (quotas_) {
        // As a waiting pod's, its request is part of what its quota asks for when it is tried.
        quotas_->requested(state.quota, record.job, more);
    }
    const bool admitted =
        !quotas_ || more <= 0 || quotas_->admissible(state.quota, record.job, more, more) == more;
    BERTH_ASSERT(record.start && size > 0, "a group that runs stays one");
    const std::vector<PlacedNode> before = servers_in_use(record, tree);
    const auto after = admitted ? placer_.find_resized(record.job, size, before) : std::nullopt;
    if (!after) {
        ++record.resizes_refused;
        if (quotas_) {
            quotas_->requested(state.quota, record.job, -more);
        }
        return;
    }
    note_expected(state, index, false);
    std::map<core::NodeId, Members> change;
    for (const PlacedNode& server : *after) {
        change[server.node] += server.count;
    }
    for (const PlacedNode& server : before) {
        change[server.node] -= server.count;
    }
    for (const auto& [node, count] : change) {
        fingerprint_.placed({node, count});
        running_pods_ += static_cast<std::size_t>(count);
        if (count < 0) {
            members_leave(record, tree.server_of(node), -count);
        }
    }
    for (const auto& [node, count] : change) {
        if (count > 0) {
            members_join(record, {node, count});
        }
    }
    note_usage(state, more);
    note_expected(state, index, true);
    if (quotas_) {
        quotas_->used(state.quota, record.job, more);
    }
    const bool all = record.job.min_available == record.job.size;
    record.job.size = size;
    record.job.min_available = all ? size : std::min(record.job.min_available, size);
    record.placed = size;
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

}  // namespace berth::sim
