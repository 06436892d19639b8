#include "sim/schedulers/profile/gang_preemption.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/cluster/service_resource.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;

}  // namespace

std::optional<std::vector<std::size_t>> VictimSearch::find(std::size_t candidates) {
    std::size_t gone = 0;
    for (bool enough = false; !enough;) {
        if (gone == candidates) {
            set_gone(0, candidates, false);
            return std::nullopt;
        }
        const std::size_t next = std::min(2 * gone + 1, candidates);
        set_gone(gone, next, true);
        gone = next;
        enough = questions_.enough();
    }
    victims_.clear();
    spare(0, gone);
    std::ranges::reverse(victims_);
    return std::exchange(victims_, {});
}

void VictimSearch::set_gone(std::size_t begin, std::size_t end, bool gone) {
    for (std::size_t i = begin; i < end; ++i) {
        questions_.set_gone(i, gone);
    }
}

/// The candidates from `begin` to `end` are gone, and together with the victims so far and all
/// candidates before them this is enough. Adds those of them that have to be gone to the victims.
void VictimSearch::spare(std::size_t begin, std::size_t end) {
    BERTH_ASSERT(begin < end, "there is somebody to ask about");
    set_gone(begin, end, false);
    if (questions_.enough()) {
        return;
    }
    set_gone(begin, end, true);
    if (end - begin == 1) {
        victims_.push_back(begin);
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    spare(middle, end);
    spare(begin, middle);
}

using core::Amount;
using core::Members;
using core::QuotaId;

Borrowing::Borrowing(const core::QuotaTrees& trees, QuotaId quota, const Job& job) : trees_(trees) {
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        asked_ |= job.demand[r] > 0 && trees.counts(quota, r) ? std::uint64_t{1} << r : 0;
    }
    if (trees.is_special(quota) || asked_ == 0) {
        return;
    }
    Members within = job.size;
    for (QuotaId at = quota; !trees.is_root(at); at = trees.parent(at)) {
        within = std::min(within, members_within_min(at, job));
        if (within < job.min_available) {
            return;  // nothing is owed to the quota beyond this one
        }
        const std::size_t before = borrowers_.size();
        for (const QuotaId sibling : trees.children(trees.parent(at))) {
            if (sibling != at) {
                look_for_borrowers(sibling, asked_);
            }
        }
        members_ = borrowers_.size() > before ? within : members_;
    }
}

Members Borrowing::members_within_min(QuotaId quota, const Job& job) const {
    Members most = job.size;
    core::for_each_resource(asked_, [&](std::size_t r) {
        const Amount left = trees_.spec(quota).min[r] - trees_.used(quota, r);
        const Amount members = std::max<Amount>(left, 0) / job.demand[r];
        most = static_cast<Members>(std::min<Amount>(most, members));
    });
    return most;
}

/// `resources`: those that all quotas above this one, on the way down to it, have borrowed.
void Borrowing::look_for_borrowers(QuotaId quota, std::uint64_t resources) {
    std::vector<std::optional<Amount>> above(trees_.resource_count());
    std::uint64_t borrowed = 0;
    core::for_each_resource(asked_, [&](std::size_t r) {
        const Amount more = trees_.used(quota, r) - trees_.spec(quota).min[r];
        if (more > 0) {
            above[r] = more;
            borrowed |= std::uint64_t{1} << r;
        }
    });
    resources &= borrowed;
    if (resources == 0) {
        return;
    }
    above_min_.emplace(quota, std::move(above));
    if (trees_.children(quota).empty()) {
        borrowers_.push_back(quota);
        borrowed_.emplace(quota, resources);
    }
    for (const QuotaId child : trees_.children(quota)) {
        look_for_borrowers(child, resources);
    }
}

bool Borrowing::holds_borrowed(QuotaId borrower, const Job& job) const {
    bool holds = false;
    core::for_each_resource(borrowed_.at(borrower), [&](std::size_t r) {
        holds = holds || (job.demand[r] > 0 && trees_.counts(borrower, r));
    });
    return holds;
}

bool Borrowing::leaves_mins(QuotaId borrower, const Job& job, Members members) const {
    BERTH_ASSERT(members > 0 && borrowed_.contains(borrower), "a borrower's members give back");
    for (auto at = above_min_.find(borrower); at != above_min_.end();
         at = above_min_.find(trees_.parent(at->first))) {
        for (std::size_t r = 0; r < at->second.size(); ++r) {
            const std::optional<Amount>& left = at->second[r];
            if (left && trees_.counts(borrower, r) && job.demand[r] * members > *left) {
                return false;
            }
        }
    }
    return true;
}

bool Borrowing::give_back(QuotaId borrower, const Job& job, Members members) {
    if (!leaves_mins(borrower, job, members)) {
        return false;
    }
    for (auto at = above_min_.find(borrower); at != above_min_.end();
         at = above_min_.find(trees_.parent(at->first))) {
        for (std::size_t r = 0; r < at->second.size(); ++r) {
            if (at->second[r] && trees_.counts(borrower, r)) {
                *at->second[r] -= job.demand[r] * members;
            }
        }
    }
    return true;
}

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
    // Jobs that could only go last may have been taken although others before them were spared.
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

/// Adds the jobs of a quota that may go: for a job of the same quota, jobs of lower priority;
/// otherwise jobs that hold what the quota has borrowed, if it has borrowed enough for them to go
/// at all.
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
    const Wide loss = Wide{lost.count()} * record.placed * record.job.demand[service_resource_];
    return static_cast<std::int64_t>(std::min(loss, Wide{INT64_MAX}));
}

/// Puts candidates whose loss would leave a quota less than its min, after all earlier ones are
/// gone, behind the others.
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

/// The victims, which are then set aside; nothing: no job is set aside.
std::optional<std::vector<std::size_t>> GangPreemption::choose(
    const std::vector<Candidate>& candidates, const Job& preemptor, QuotaId quota, Members most) {
    VictimSearch search({[&](std::size_t i, bool gone) { set_aside(candidates[i], gone); },
                         [&] {
                             const Members members = admitted(preemptor, quota, most);
                             return members > 0 && placer_.look(preemptor, members).found;
                         }});
    return search.find(candidates.size());
}

/// Changes the quotas as an eviction would: a job that waits again asks for all its members.
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

/// How many members of a job may start, up to `most`; 0 if fewer than it needs.
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
