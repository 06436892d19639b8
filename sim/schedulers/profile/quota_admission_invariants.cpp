// What is kept about each quota's jobs, compared with the jobs.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/schedulers/profile/quota_admission.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::QuotaId;
using core::Violation;

/// What the jobs that have not ended ask for and use, by quota. For the system group: what is in
/// use on servers that are up and belongs to none of these jobs.
std::vector<core::QuotaTrees::OfPods> QuotaAdmission::asked_and_used() {
    const core::Ledger& ledger = actions_.cluster().ledger();
    const std::size_t resources = ledger.resource_count();
    const std::vector<Amount> none(resources);
    std::vector<core::QuotaTrees::OfPods> all(quotas_.trees().count(), {none, none, none});
    core::QuotaTrees::OfPods& system = all[core::QuotaTrees::system_quota.index];
    for (std::size_t r = 0; r < resources; ++r) {
        system.used[r] = ledger.allocated(ledger.topology().root(), r);
    }
    actions_.each_job([&](JobId id) {
        const JobState& state = actions_.job(id);
        core::QuotaTrees::OfPods& mine = all[quota(id).index];
        const Members pods = state.runs() ? state.record.placed : state.job().size;
        for (std::size_t r = 0; r < resources; ++r) {
            const Amount amount = state.job().demand[r] * pods;
            const Amount used = state.runs() ? amount : 0;
            mine.request[r] += amount;
            mine.used[r] += used;
            mine.non_preemptible[r] += state.job().preemptible ? 0 : used;
            system.used[r] -= used;
        }
        for (const Stint& stint : state.record.stints) {
            for (const Grant& grant : stint.grants) {
                const auto beside = actions_.cluster().inside().beside(grant);
                for (std::size_t r = 0; !stint.finish && r < beside.size(); ++r) {
                    system.used[r] -= beside[r];
                }
            }
        }
    });
    system.request = system.used;
    system.non_preemptible = system.used;
    return all;
}

/// Checks the waiting and the running jobs of each quota, and the jobs that are found by their
/// labels or as victims.
std::optional<Violation> QuotaAdmission::find_wrong_job_lists() {
    const std::uint32_t count = quotas_.trees().count();
    std::vector<Members> waiting(count, 0);
    std::vector<std::vector<std::uint64_t>> running(count);
    std::vector<std::vector<QuotaId>> residents(actions_.cluster().topology().server_count());
    std::size_t jobs = 0;
    std::optional<Violation> violation;
    actions_.each_job([&](JobId id) {  // in the order of arrival
        const JobState& state = actions_.job(id);
        ++jobs;
        if (state.runs()) {
            running[quota(id).index].push_back(state.record.arrival);
            if (may_be_preempted(state.job())) {
                residents[state.record.stints.back().server.index].push_back(quota(id));
            }
        }
        for (QuotaId at = quota(id); state.waits(); at = quotas_.trees().parent(at)) {
            waiting[at.index] += state.job().size;
            if (quotas_.trees().is_root(at)) {
                break;
            }
        }
        const auto alike = alike_.find({state.job().quota, state.job().name_space});
        const bool known = alike != alike_.end() && alike->second.contains(state.record.arrival);
        if (!known && !violation) {
            violation = Violation{"a job is found by its labels",
                                  fmt::format("job {}", state.job().name),
                                  "absent",
                                  "there"};
        }
    });
    for (const auto& [labels, alike] : alike_) {
        jobs -= alike.size();
    }
    if (jobs != 0 && !violation) {
        violation = Violation{"only jobs that have not ended are found by their labels",
                              "all labels",
                              "others too",
                              "none but these"};
    }
    for (std::uint32_t i = 0; i < count && !violation; ++i) {
        const std::string where = fmt::format("quota {}", quotas_.trees().name(QuotaId{i}));
        if (quotas_.waiting_pods(QuotaId{i}) != waiting[i]) {
            violation = Violation{"a quota's waiting pods, and those below it, are counted",
                                  where,
                                  fmt::format("{}", quotas_.waiting_pods(QuotaId{i})),
                                  fmt::format("{}", waiting[i])};
        } else if (!std::ranges::equal(quotas_.running(QuotaId{i}),
                                       running[i],
                                       {},
                                       &QuotaManager::RunningJob::arrival)) {
            violation = Violation{"a quota knows which of its jobs run",
                                  where,
                                  fmt::format("{} jobs", quotas_.running(QuotaId{i}).size()),
                                  fmt::format("{} jobs, by arrival", running[i].size())};
        }
    }
    for (std::uint32_t i = 0; residents_ && i < residents.size() && !violation; ++i) {
        std::vector<QuotaId> found = residents_->on(core::ServerId{i});
        std::ranges::sort(found);
        std::ranges::sort(residents[i]);
        if (found != residents[i]) {
            const core::Topology& tree = actions_.cluster().topology();
            violation = Violation{"it is known whose pods on a server may be preempted",
                                  tree.path(tree.node_of(core::ServerId{i})),
                                  fmt::format("{} pods", found.size()),
                                  fmt::format("{} pods, by quota", residents[i].size())};
        }
    }
    return violation;
}

std::optional<Violation> QuotaAdmission::find_violation() {
    if (auto violation = quotas_.trees().find_violation(asked_and_used())) {
        return violation;
    }
    if (auto violation = quotas_.find_violation()) {
        return violation;
    }
    return find_wrong_job_lists();
}

}  // namespace berth::sim
