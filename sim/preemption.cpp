#include "sim/preemption.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace berth::sim {
namespace {

using core::ResourceList;
using core::ServerId;

ResourceList request_of(const Job& job) {
    ResourceList request(job.demand.size());
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] > 0) {
            request.set(r, job.demand[r]);
        }
    }
    return request;
}

core::PreemptionView view_of(const Job& job,
                             core::QuotaId quota,
                             QuotaManager& quotas,
                             const core::Ledger& ledger,
                             ServerId server) {
    core::QuotaTrees& trees = quotas.trees();
    const std::size_t resources = job.demand.size();
    core::PreemptionView view{request_of(job),
                              ResourceList(resources),
                              ResourceList(resources),
                              ResourceList(resources),
                              ResourceList(resources)};
    const auto available = ledger.available(ledger.topology().node_of(server));
    for (std::size_t r = 0; r < resources; ++r) {
        view.available.set(r, available[r]);
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

/// Victims on one server, and how the server ranks: smaller is better.
struct Option {
    ServerId server;
    std::vector<const PreemptionCandidate*> victims;
    std::tuple<std::int64_t, std::int64_t, std::size_t, std::int64_t> rank;
};

void rank(Option& option) {
    std::int64_t highest = INT32_MIN;
    std::int64_t sum = 0;
    for (const PreemptionCandidate* victim : option.victims) {
        highest = std::max<std::int64_t>(highest, victim->job->priority);
        sum += victim->job->priority;
    }
    std::int64_t start = INT64_MAX;  // the earliest of the highest
    for (const PreemptionCandidate* victim : option.victims) {
        if (victim->job->priority == highest) {
            start = std::min<std::int64_t>(start, victim->start.count());
        }
    }
    option.rank = {highest, sum, option.victims.size(), -start};
}

/// Whether the quota admits the pod once the victims are gone.
bool admitted_without(const Option& option,
                      const Job& preemptor,
                      core::QuotaId quota,
                      QuotaManager& quotas) {
    for (const PreemptionCandidate* victim : option.victims) {
        quotas.used(quota, *victim->job, -1);
    }
    const bool admitted = quotas.admissible(quota, preemptor, 1, 1) == 1;
    for (const PreemptionCandidate* victim : option.victims) {
        quotas.used(quota, *victim->job, 1);
    }
    return admitted;
}

}  // namespace

std::optional<PreemptionChoice> choose_victims(const Job& preemptor,
                                               core::QuotaId quota,
                                               QuotaManager& quotas,
                                               const core::Ledger& ledger,
                                               std::span<const PreemptionCandidate> candidates) {
    std::map<ServerId, std::vector<const PreemptionCandidate*>> by_server;
    for (const PreemptionCandidate& candidate : candidates) {
        by_server[candidate.server].push_back(&candidate);
    }
    std::vector<Option> options;
    for (const auto& [server, here] : by_server) {
        std::vector<core::QuotaPod> pods;
        for (const PreemptionCandidate* candidate : here) {
            pods.push_back({candidate->job->priority,
                            candidate->start.count(),
                            request_of(*candidate->job),
                            true});
        }
        const core::Victims victims =
            core::select_victims(view_of(preemptor, quota, quotas, ledger, server), pods);
        if (victims.code != core::PreemptionCode::success || victims.pods.empty()) {
            continue;
        }
        Option option{server, {}, {}};
        for (const std::size_t i : victims.pods) {
            option.victims.push_back(here[i]);
        }
        rank(option);
        options.push_back(std::move(option));
    }
    std::ranges::stable_sort(options, {}, &Option::rank);
    for (const Option& option : options) {
        if (admitted_without(option, preemptor, quota, quotas)) {
            PreemptionChoice choice{option.server, {}};
            for (const PreemptionCandidate* victim : option.victims) {
                choice.victims.push_back(victim->index);
            }
            return choice;
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
