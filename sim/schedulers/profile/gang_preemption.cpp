#include "sim/schedulers/profile/gang_preemption.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/cluster/service_resource.hpp"
#include "sim/quota/victim_search.hpp"

namespace berth::sim {

using core::Members;
using core::QuotaId;

GangPreemption::GangPreemption(const GangPreemptionSettings& settings,
                               Actions& actions,
                               Placer& placer,
                               QuotaManager& quotas,
                               OwnJobs& jobs)
    : settings_(settings),
      actions_(actions),
      placer_(placer),
      quotas_(quotas),
      jobs_(jobs),
      service_resource_(service_resource(actions.cluster().topology())) {}

std::optional<MadeRoom> GangPreemption::find(JobId preemptor) {
    const Job& job = actions_.job(preemptor).job();
    const QuotaId quota = jobs_[preemptor].owner;
    if (quotas_.trees().is_special(quota)) {
        return std::nullopt;
    }
    std::optional<Borrowing> borrowing;
    if (settings_.reclaim) {
        borrowing.emplace(quotas_.trees(), quota, job);
    }
    std::vector<Candidate> candidates;
    add_candidates(job, quota, nullptr, candidates);
    const std::size_t own = candidates.size();
    for (std::size_t i = 0; borrowing && i < borrowing->borrowers().size(); ++i) {
        add_candidates(job, borrowing->borrowers()[i], &*borrowing, candidates);
    }
    const Members most = candidates.size() > own ? borrowing->members() : job.size;
    put_in_order(candidates, borrowing);
    const auto victims = choose(candidates, job, quota, most);
    if (!victims) {
        return std::nullopt;
    }
    // Those who could only go last may have been taken although others before them were spared.
    const bool leaves_mins = std::ranges::all_of(*victims, [&](std::size_t i) {
        const Candidate& victim = candidates[i];
        const JobRecord& record = actions_.job(victim.id).record;
        return victim.of_own_quota || borrowing->give_back(victim.quota, record.job, record.placed);
    });
    MadeRoom room;
    if (leaves_mins && !victims->empty()) {
        Attempt attempt = placer_.find(job, admitted(job, quota, most));
        BERTH_ASSERT(attempt.found, "whoever has a place finds it again");
        room.placement = {std::move(attempt.servers),
                          std::move(attempt.placement),
                          std::move(attempt.attainable),
                          std::move(attempt.grants)};
    }
    for (const std::size_t i : *victims) {
        set_aside(candidates[i], false);
        room.victims.push_back(candidates[i].id);
    }
    return room.placement.servers.empty() ? std::nullopt : std::optional(std::move(room));
}

/// Who of a quota may go: for a job of the same quota, those of lower priority; else those who hold
/// what the quota has borrowed, if there is enough of that for them to go at all.
void GangPreemption::add_candidates(const Job& preemptor,
                                    QuotaId from,
                                    const Borrowing* borrowing,
                                    std::vector<Candidate>& candidates) const {
    for (const QuotaManager::RunningJob& running : quotas_.running(from)) {
        const JobId id{running.index};
        const JobRecord& record = actions_.job(id).record;
        const bool may_go = borrowing == nullptr
                                ? running.priority < preemptor.priority
                                : borrowing->holds_borrowed(from, record.job) &&
                                      borrowing->leaves_mins(from, record.job, record.placed);
        const bool went = taken_at_ == actions_.now() && taken_.contains(id);
        if (record.job.preemptible && may_go && !went) {
            candidates.push_back({id, from, borrowing == nullptr, loss_of(id)});
        }
    }
}

std::int64_t GangPreemption::loss_of(JobId id) const {
    const JobRecord& record = actions_.job(id).record;
    const auto lost =
        std::chrono::duration_cast<std::chrono::milliseconds>(actions_.would_lose(id));
    return lost.count() * record.placed * record.job.demand[service_resource_];
}

/// Those who would leave a quota less than its min after all before them stand behind the others.
void GangPreemption::put_in_order(std::vector<Candidate>& candidates,
                                  std::optional<Borrowing> borrowing) const {
    std::ranges::sort(candidates, {}, [this](const Candidate& candidate) {
        const JobState& state = actions_.job(candidate.id);
        BERTH_ASSERT(state.record.start, "a candidate runs");
        return std::tuple(state.job().priority,
                          candidate.lost,
                          -state.record.start->count(),
                          state.record.arrival);
    });
    std::vector<Candidate> last;
    std::erase_if(candidates, [&](const Candidate& candidate) {
        const JobRecord& record = actions_.job(candidate.id).record;
        const bool may_go = candidate.of_own_quota ||
                            borrowing->give_back(candidate.quota, record.job, record.placed);
        if (!may_go) {
            last.push_back(candidate);
        }
        return !may_go;
    });
    std::ranges::copy(last, std::back_inserter(candidates));
}

/// The victims, who are set aside then; nothing: nobody is.
std::optional<std::vector<std::size_t>> GangPreemption::choose(
    const std::vector<Candidate>& candidates, const Job& preemptor, QuotaId quota, Members most) {
    VictimSearch search({[&](std::size_t i, bool gone) { set_aside(candidates[i], gone); },
                         [&] {
                             const Members members = admitted(preemptor, quota, most);
                             return members > 0 && placer_.look(preemptor, members).found;
                         }});
    return search.find(candidates.size());
}

/// As an eviction would do it: whoever waits again asks for all members.
void GangPreemption::set_aside(const Candidate& candidate, bool aside) {
    const JobRecord& record = actions_.job(candidate.id).record;
    const Members missing = record.job.size - record.placed;
    quotas_.used(candidate.quota, record.job, aside ? -record.placed : record.placed);
    quotas_.requested(candidate.quota, record.job, aside ? missing : -missing);
    if (aside) {
        actions_.set_aside(candidate.id);
    } else {
        actions_.put_back(candidate.id);
    }
}

/// How many members may start, up to `most`; 0 if fewer than it needs.
Members GangPreemption::admitted(const Job& job, QuotaId quota, Members most) {
    const Members members = quotas_.admissible(quota, job, job.min_available, most);
    BERTH_ASSERT(members == 0 || members >= job.min_available, "enough are admitted, or none");
    return members;
}

void GangPreemption::taken(const std::vector<JobId>& victims) {
    if (taken_at_ != actions_.now()) {
        taken_.clear();
    }
    taken_at_ = actions_.now();
    taken_.insert(victims.begin(), victims.end());
}

bool GangPreemption::has_borrowed(QuotaId quota) const {
    const core::QuotaTrees& trees = quotas_.trees();
    bool borrowed = false;
    for (std::size_t r = 0; settings_.reclaim && r < trees.resource_count(); ++r) {
        borrowed = borrowed || trees.used(quota, r) > trees.spec(quota).min[r];
    }
    return borrowed;
}

bool GangPreemption::may_reclaim(QuotaId quota) const {
    const core::QuotaTrees& trees = quotas_.trees();
    bool may = false;
    for (std::size_t r = 0; settings_.reclaim && r < trees.resource_count(); ++r) {
        may = may || trees.used(quota, r) < trees.spec(quota).min[r];
    }
    return may;
}

}  // namespace berth::sim
