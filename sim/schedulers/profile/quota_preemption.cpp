#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/support/assert.hpp"
#include "sim/job/records.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/schedulers/profile/quota_admission.hpp"

// Which places a job that is tried may take, and when it is worthwhile to look for victims again.
namespace berth::sim {
namespace {

using core::Amount;
using core::ResourceList;
using core::ServerId;
using Running = QuotaManager::RunningJob;

/// Where a pod goes once the victims are gone.
struct PreemptionChoice {
    core::ServerId server;
    std::vector<std::uint32_t> victims;  ///< Job indices.
};

/// What a search for victims asks about running jobs.
struct PreemptionScene {
    const core::Ledger& ledger;
    std::function<const JobRecord&(std::uint32_t index)> job;  ///< The record of a running job.
    /// How many pods count for the limit of the preemptor's application on a server.
    std::function<core::Members(core::ServerId)> application_pods;
    /// Whether the server would have the devices or providers that the preemptor asks for, without
    /// these jobs; empty: it asks for none.
    std::function<bool(core::ServerId, std::span<const std::uint32_t>)> serves_without;
    /// Whether a server refuses the preemptor because of its drains; empty: no server does.
    std::function<bool(core::ServerId)> would_be_drained{};
};

/// What a pod asks for and, after that, whether it counts for the limit of the preemptor's
/// application.
ResourceList request_of(std::span<const Amount> demand, bool counts_for_limit) {
    ResourceList request(demand.size() + 1);
    for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] > 0) {
            request.set(r, demand[r]);
        }
    }
    if (counts_for_limit) {
        request.set(demand.size(), 1);
    }
    return request;
}

bool counts_for_limit_of(const Job& preemptor, const Job& pod) {
    return preemptor.per_server_max > 0 && pod.per_server_max > 0 &&
           pod.application == preemptor.application;
}

/// The quota as the preemptor sees it; the same on every server.
core::PreemptionView view_of(const Job& job, core::QuotaId quota, QuotaManager& quotas) {
    core::QuotaTrees& trees = quotas.trees();
    const std::size_t resources = job.demand.size();
    BERTH_ASSERT(resources == trees.resource_count(), "a demand is by the schema");
    core::PreemptionView view{request_of(job.demand, job.per_server_max > 0),
                              ResourceList(resources + 1),
                              ResourceList(resources + 1),
                              ResourceList(resources + 1),
                              ResourceList(resources + 1)};
    for (std::size_t r = 0; r < resources; ++r) {
        view.used.set(r, trees.used(quota, r));
        if (const auto most = core::quota_limit(trees, quota, r, quotas.settings().rules);
            most && quotas.settings().admission) {
            view.limit.set(r, *most);
        }
        if (trees.counts(quota, r)) {
            view.counted.set(r, 0);
        }
    }
    return view;
}

/// Sets what is available to the preemptor on a server, for the resources of its view.
void look_at(ServerId server,
             const Job& preemptor,
             const PreemptionScene& scene,
             core::PreemptionView& view) {
    const auto available = scene.ledger.available(scene.ledger.topology().node_of(server));
    for (std::size_t r = 0; r < available.size(); ++r) {
        view.available.set(r, available[r]);
    }
    if (preemptor.per_server_max > 0) {
        view.available.set(available.size(),
                           preemptor.per_server_max - scene.application_pods(server));
    }
}

/// Whether server and quota would have enough if all candidates on the server were gone.
bool could_help(const core::PreemptionView& view, std::span<const core::QuotaPod> here) {
    for (std::size_t r = 0; r < view.request.resource_count(); ++r) {
        Amount freed = 0;
        for (const core::QuotaPod& pod : here) {
            freed += pod.request[r];
        }
        const Amount request = view.request[r];
        if (request > 0 && request > view.available[r] + freed) {
            return false;
        }
        if (view.limit.has(r) && view.counted.has(r) &&
            view.used[r] - freed + request > view.limit[r]) {
            return false;
        }
    }
    return true;
}

/// Victims on one server, and how the server ranks: smaller is better.
struct Option {
    ServerId server;
    std::vector<const Running*> victims;
    std::tuple<std::int64_t, std::int64_t, std::size_t, std::int64_t> rank;
};

void rank(Option& option, const PreemptionScene& scene) {
    BERTH_ASSERT(!option.victims.empty(), "there is a victim to rank by");
    std::int64_t highest = INT32_MIN;
    std::int64_t sum = 0;
    for (const Running* victim : option.victims) {
        highest = std::max<std::int64_t>(highest, victim->priority);
        sum += victim->priority;
    }
    std::int64_t start = INT64_MAX;  // the earliest start of a victim with the highest priority
    for (const Running* victim : option.victims) {
        if (victim->priority == highest) {
            start = std::min<std::int64_t>(start, scene.job(victim->index).start->count());
        }
    }
    option.rank = {highest, sum, option.victims.size(), -start};
}

std::optional<Option> option_on(std::span<const Running> here,
                                const Job& preemptor,
                                const core::PreemptionView& view,
                                const QuotaManager& quotas,
                                const PreemptionScene& scene) {
    std::vector<core::QuotaPod> pods;
    for (const Running& pod : here) {
        const JobRecord& record = scene.job(pod.index);
        const bool counts = counts_for_limit_of(preemptor, record.job);
        BERTH_ASSERT(record.start, "a candidate runs");
        pods.push_back(
            {pod.priority, record.start->count(), request_of(quotas.demand(pod), counts), true});
    }
    if (!could_help(view, pods)) {
        return std::nullopt;
    }
    core::ServesWithout serves;
    if (scene.serves_without) {
        serves = [&](std::span<const std::size_t> gone) {
            std::vector<std::uint32_t> jobs;
            std::ranges::transform(
                gone, std::back_inserter(jobs), [&](std::size_t i) { return here[i].index; });
            return scene.serves_without(here.front().server, jobs);
        };
    }
    const core::Victims victims = core::select_victims(view, pods, serves);
    if (victims.code != core::PreemptionCode::success || victims.pods.empty()) {
        return std::nullopt;
    }
    Option option{here.front().server, {}, {}};
    for (const std::size_t i : victims.pods) {
        option.victims.push_back(&here[i]);
    }
    rank(option, scene);
    return option;
}

/// Whether the quota admits the pod once the victims are gone.
bool admitted_without(const Option& option,
                      const Job& preemptor,
                      core::QuotaId quota,
                      QuotaManager& quotas) {
    core::QuotaTrees& trees = quotas.trees();
    for (const Running* victim : option.victims) {
        trees.add_used(quota, quotas.demand(*victim), -1, true);
    }
    const bool admitted = quotas.admissible(quota, preemptor, 1, 1) == 1;
    for (const Running* victim : option.victims) {
        trees.add_used(quota, quotas.demand(*victim), 1, true);
    }
    return admitted;
}

/// The pods of the quota that the preemptor may preempt, server by server, in the order of arrival.
std::vector<Running> candidates_of(const Job& preemptor,
                                   core::QuotaId quota,
                                   const QuotaManager& quotas) {
    std::vector<Running> candidates;
    std::ranges::copy_if(
        quotas.running(quota), std::back_inserter(candidates), [&](const Running& pod) {
            return pod.may_be_preempted && pod.priority < preemptor.priority;
        });
    std::ranges::sort(
        candidates, {}, [](const Running& pod) { return std::tuple(pod.server, pod.arrival); });
    return candidates;
}

/// In-quota preemption for a single pod. On each server with candidates, core::select_victims
/// chooses the victims. The limit of the preemptor's application there is one more resource, of
/// which each of its pods has one; what a pod asks for inside a server has to be there without the
/// victims. Among the servers, it takes the one whose highest victim's priority is lowest; then the
/// one with the lowest sum of priorities, the fewest victims, the latest start of a highest victim,
/// and the lowest number.
///
/// Returns: nothing if preemption cannot help: the real system may kill pods without making the
///          preemptor admissible; here, a choice always makes it admissible.
/// Cost:    O(pods of the quota x (log of that + resources)), and an admission check for each
///          server that could help; for a pod that asks for more than amounts, also a look inside a
///          server for each candidate there.
/// Source:  Kubernetes, `pickOneNodeForPreemption`; Koordinator a7a1b76b, `preempt.go`.
std::optional<PreemptionChoice> choose_victims(const Job& preemptor,
                                               core::QuotaId quota,
                                               QuotaManager& quotas,
                                               const PreemptionScene& scene) {
    const std::vector<Running> candidates = candidates_of(preemptor, quota, quotas);
    if (candidates.empty()) {
        return std::nullopt;
    }
    core::PreemptionView view = view_of(preemptor, quota, quotas);
    std::vector<Option> options;
    for (std::size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
        const ServerId server = candidates[begin].server;
        while (end < candidates.size() && candidates[end].server == server) {
            ++end;
        }
        if (scene.would_be_drained && scene.would_be_drained(server)) {
            continue;
        }
        look_at(server, preemptor, scene, view);
        const std::span here(candidates.data() + begin, end - begin);
        if (auto option = option_on(here, preemptor, view, quotas, scene)) {
            options.push_back(std::move(*option));
        }
    }
    std::ranges::stable_sort(options, {}, &Option::rank);
    for (const Option& option : options) {
        if (admitted_without(option, preemptor, quota, quotas)) {
            PreemptionChoice choice{option.server, {}};
            for (const Running* victim : option.victims) {
                choice.victims.push_back(victim->index);
            }
            return choice;
        }
    }
    return std::nullopt;
}

}  // namespace

using core::QuotaId;

/// Notes which jobs run where, for the recycler and for preemption.
void QuotaAdmission::note_running(JobId id) {
    const JobState& state = actions_.job(id);
    // This matters for single pods, which have one stint.
    const core::ServerId first = state.record.stints.back().server;
    quotas_.started(quota(id), state.job(), state.record.arrival, id.index, first);
    if (residents_ && may_be_preempted(state.job())) {
        residents_->add(first, quota(id));
    }
}

void QuotaAdmission::note_stopped(JobId id, const Stints& stints) {
    const JobState& state = actions_.job(id);
    quotas_.stopped(quota(id), state.record.arrival);
    if (gang_preemption_) {
        wake_everybody();
    }
    if (!residents_) {
        return;
    }
    if (may_be_preempted(state.job())) {
        residents_->remove(stints.back().server, quota(id));
    }
    for (const Stint& stint : stints) {
        if (stint.finish == actions_.now()) {  // others left earlier, in a resize
            left(stint.server);
        }
    }
}

void QuotaAdmission::wake_everybody() {
    for (std::uint32_t i = 0; i < quotas_.trees().count(); ++i) {
        queue_.wake(QuotaId{i});
    }
}

/// If a quota uses what it has borrowed, quotas that have less than their min may take it back.
void QuotaAdmission::wake_lenders(QuotaId borrower) {
    if (!gang_preemption_ || !gang_preemption_->has_borrowed(borrower)) {
        return;
    }
    for (std::uint32_t i = 0; i < quotas_.trees().count(); ++i) {
        if (gang_preemption_->may_reclaim(QuotaId{i})) {
            queue_.wake(QuotaId{i});
        }
    }
}

/// Servers that were not searched may have victims now.
void QuotaAdmission::drain_is_over() {
    if (residents_ || gang_preemption_) {
        wake_everybody();
    }
}

/// What is given back on a server may be enough together with a victim there. Where servers share
/// something, or victims may be anywhere, it may be enough together with a victim on any server.
void QuotaAdmission::left(core::ServerId server) {
    if (gang_preemption_ || (residents_ && actions_.cluster().inside().has_shared())) {
        wake_everybody();
        return;
    }
    if (!residents_) {
        return;
    }
    for (const QuotaId resident : residents_->on(server)) {
        queue_.wake(resident);
    }
}

/// Preempts other jobs for a job, and starts it.
bool QuotaAdmission::preempt_for(JobId id) {
    if (settings_.quotas->preemptors() == Preemptors::none || !queue_.may_preempt()) {
        return false;
    }
    auto room = gang_preemption_ ? gang_preemption_->find(id) : make_room_on_a_server(id);
    if (!room) {
        return false;
    }
    if (gang_preemption_) {
        gang_preemption_->taken(room->victims);
    }
    queue_.taken();
    for (const JobId victim : room->victims) {
        actions_.evict(victim, EvictionCause::preempted);
    }
    actions_.start(id, std::move(room->placement));
    return true;
}

/// In-quota preemption: pods of lower priority of the job's quota make room for a single pod.
std::optional<MadeRoom> QuotaAdmission::make_room_on_a_server(JobId id) {
    const Job& job = record(id).job;
    if (job.group || (quota(id) == core::QuotaTrees::default_quota &&
                      !settings_.quotas->preemption->default_group)) {
        return std::nullopt;
    }
    const Cluster& cluster = actions_.cluster();
    PreemptionScene scene{
        cluster.ledger(),
        [&](std::uint32_t index) -> const JobRecord& { return record({index}); },
        [&](core::ServerId server) { return cluster.application_pods(job, server); },
        nullptr,
        [&](core::ServerId server) { return cluster.would_be_drained(job, server); }};
    if (cluster.asks_inside(job)) {
        scene.serves_without = [&](core::ServerId server, std::span<const std::uint32_t> gone) {
            std::vector<Grant> grants;
            for (const std::uint32_t victim : gone) {
                const Stint& stint = record({victim}).stints.back();  // a victim is a single pod
                grants.insert(grants.end(), stint.grants.begin(), stint.grants.end());
            }
            return cluster.serves_without(job, server, grants);
        };
    }
    const auto choice = choose_victims(job, quota(id), quotas_, scene);
    if (!choice) {
        return std::nullopt;
    }
    MadeRoom room;
    for (const std::uint32_t victim : choice->victims) {
        room.victims.push_back({victim});
    }
    room.placement.servers = {{cluster.topology().node_of(choice->server), 1}};
    return room;
}

}  // namespace berth::sim
