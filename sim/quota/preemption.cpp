#include "sim/quota/preemption.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::ResourceList;
using core::ServerId;

using Running = QuotaManager::RunningJob;

ResourceList request_of(const std::vector<Amount>& demand) {
    ResourceList request(demand.size());
    for (std::size_t r = 0; r < demand.size(); ++r) {
        if (demand[r] > 0) {
            request.set(r, demand[r]);
        }
    }
    return request;
}

/// The quota as the preemptor sees it, the same on every server.
core::PreemptionView view_of(const Job& job, core::QuotaId quota, QuotaManager& quotas) {
    core::QuotaTrees& trees = quotas.trees();
    const std::size_t resources = job.demand.size();
    BERTH_ASSERT(resources == trees.resource_count(), "a demand is by the schema");
    core::PreemptionView view{request_of(job.demand),
                              ResourceList(resources),
                              ResourceList(resources),
                              ResourceList(resources),
                              ResourceList(resources)};
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

/// Whether it would be enough, of the server and of the quota, if all candidates there were gone.
bool could_help(const core::PreemptionView& view,
                std::span<const Amount> available,
                std::span<const Running> here,
                const QuotaManager& quotas) {
    for (std::size_t r = 0; r < available.size(); ++r) {
        Amount freed = 0;
        for (const Running& pod : here) {
            freed += quotas.demand(pod)[r];
        }
        const Amount request = view.request[r];
        if (request > 0 && request > available[r] + freed) {
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

void rank(Option& option, const std::function<SimTime(std::uint32_t)>& start_of) {
    BERTH_ASSERT(!option.victims.empty(), "there is a victim to rank by");
    std::int64_t highest = INT32_MIN;
    std::int64_t sum = 0;
    for (const Running* victim : option.victims) {
        highest = std::max<std::int64_t>(highest, victim->priority);
        sum += victim->priority;
    }
    std::int64_t start = INT64_MAX;  // the earliest of the highest
    for (const Running* victim : option.victims) {
        if (victim->priority == highest) {
            start = std::min<std::int64_t>(start, start_of(victim->index).count());
        }
    }
    option.rank = {highest, sum, option.victims.size(), -start};
}

std::optional<Option> option_on(std::span<const Running> here,
                                const core::PreemptionView& view,
                                const QuotaManager& quotas,
                                const std::function<SimTime(std::uint32_t)>& start_of) {
    std::vector<core::QuotaPod> pods;
    for (const Running& pod : here) {
        pods.push_back(
            {pod.priority, start_of(pod.index).count(), request_of(quotas.demand(pod)), true});
    }
    const core::Victims victims = core::select_victims(view, pods);
    if (victims.code != core::PreemptionCode::success || victims.pods.empty()) {
        return std::nullopt;
    }
    Option option{here.front().server, {}, {}};
    for (const std::size_t i : victims.pods) {
        option.victims.push_back(&here[i]);
    }
    rank(option, start_of);
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

/// The quota's pods that the preemptor may preempt, server by server, in the order of arrival.
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

}  // namespace

std::optional<PreemptionChoice> choose_victims(
    const Job& preemptor,
    core::QuotaId quota,
    QuotaManager& quotas,
    const core::Ledger& ledger,
    const std::function<SimTime(std::uint32_t index)>& start_of,
    const std::function<bool(const PreemptionChoice&)>& inside_serves) {
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
        const std::span here(candidates.data() + begin, end - begin);
        const auto available = ledger.available(ledger.topology().node_of(server));
        if (!could_help(view, available, here, quotas)) {
            continue;
        }
        for (std::size_t r = 0; r < available.size(); ++r) {
            view.available.set(r, available[r]);
        }
        if (auto option = option_on(here, view, quotas, start_of)) {
            options.push_back(std::move(*option));
        }
    }
    std::ranges::stable_sort(options, {}, &Option::rank);
    for (const Option& option : options) {
        PreemptionChoice choice{option.server, {}};
        for (const Running* victim : option.victims) {
            choice.victims.push_back(victim->index);
        }
        if (inside_serves(choice) && admitted_without(option, preemptor, quota, quotas)) {
            return choice;
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
