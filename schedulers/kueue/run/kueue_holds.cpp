#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

void KueueAdmission::wait_for_quota(JobId id) {
    Known& job = known(id);
    BERTH_ASSERT(!job.held, "who waits for quota holds none");
    job.holding = {};
    job.holding.queued = actions_.now();
    meter_.waits_for_quota(id, actions_.job(id).job(), lines_of(job), actions_.now());
}

void KueueAdmission::hold_from_the_start(JobId id) {
    Known& job = known(id);
    BERTH_ASSERT(!job.held, "who was admitted in this run does not run from its start");
    const SimTime now = actions_.now();
    const kueue::Workload asked = workload_of(id);
    job.members = actions_.job(id).job().size;
    job.held = cache_.add_workload(workloads_.admit(asked, flavors_by_place(id, asked), now));
    job.holding = {};
    job.holding.queued = job.holding.admitted = job.holding.from = now;
    count_usage(id, asked);
    holders_.emplace(*job.held, id);
    actions_.set_condition(id, Condition::Type::admitted, "It held quota when the run began");
}

/// The flavors that a job running from the start got. For each resource group that it asks for,
/// this is the first flavor that selects its server; or the first of all, because the server's
/// labels may have changed since.
kueue::Assignment KueueAdmission::flavors_by_place(JobId id, const kueue::Workload& asked) {
    const kueue::ClusterQueue& queue = cache_.queue(*known(id).queue);
    const core::ServerId server = actions_.job(id).job().servers->front();
    kueue::PodSetAssignment set;
    set.name = asked.pod_sets.front().name;
    set.count = known(id).members;
    std::vector<kueue::ResourceId> resources;
    for (const auto& [resource, amount] : asked.totals.front().requests) {
        resources.push_back(resource);
    }
    const auto pods = cache_.names().resources.find("pods");
    if (pods) {
        resources.push_back(kueue::ResourceId{*pods});
    }
    for (const kueue::ResourceId resource : resources) {
        const kueue::ResourceGroup* group = queue.group_of(resource);
        if (group == nullptr || group->flavors.empty()) {
            continue;  // the resource needs no quota
        }
        const auto here = std::ranges::find_if(group->flavors, [&](kueue::FlavorId flavor) {
            const auto nodes = nodes_.of({flavor}, nullptr);
            return nodes == nullptr || nodes->selects(server);
        });
        set.flavors[resource].flavor =
            here != group->flavors.end() ? *here : group->flavors.front();
    }
    kueue::Assignment assignment;
    assignment.pod_sets.push_back(std::move(set));
    return assignment;
}

void KueueAdmission::record_hold(JobId id, QuotaEnd why) {
    Known& job = known(id);
    Holding& holding = job.holding;
    const JobRecord& record = actions_.job(id).record;
    const bool run_ended = why == QuotaEnd::ended && (record.outcome == Outcome::running ||
                                                      record.outcome == Outcome::waiting);
    BERTH_ASSERT(holding.queued, "who holds quota has waited for it");
    QuotaHold hold{.job = record.job.name,
                   .cluster_queue = cache_.queue(*job.queue).name,
                   .local_queue = job.local_name,
                   .queued = *holding.queued,
                   .admitted = holding.admitted,
                   .from = std::nullopt,
                   .told = holding.told,
                   .until = actions_.now(),
                   .end = why,
                   .members = job.members,
                   .preemptor = holding.preemptor,
                   .preemptor_queue = holding.preemptor_queue,
                   .reason = holding.reason};
    if (run_ended) {
        hold.end = QuotaEnd::none;
        hold.until.reset();
    }
    if (job.held) {
        hold.from = holding.from;
        for (const auto& [what, amount] : cache_.usage(*job.held)) {
            hold.amounts.push_back(
                {cache_.names()[what.flavor], cache_.names()[what.resource], amount});
        }
    } else {
        hold.reason = record.reason;
    }
    sink_.quota_held(hold);
    holding.from = actions_.now();
}

}  // namespace berth::sim
