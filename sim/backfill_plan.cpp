#include "sim/backfill_plan.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;

namespace {

SimTime after(SimTime start, SimTime duration) {
    return duration < never - start ? start + duration : never;
}

}  // namespace

BackfillPlan::BackfillPlan(const Profile& profile, const core::Ledger& ledger)
    : ledger_(ledger),
      changes_(&ledger.changes()),
      scratch_(ledger),
      cluster_(scratch_, profile),
      placer_(profile, cluster_, false) {}

void BackfillPlan::begin(SimTime now) {
    BERTH_ASSERT(now >= now_, "plans are made for times that never go back");
    now_ = now;
    for (const auto& [server, pieces] : reserved_) {
        show_as_it_is(server);
    }
    follow();
    reserved_.clear();
    reserved_ends_.clear();
}

void BackfillPlan::follow() {
    if (changes_.has_missed()) {
        for (std::uint32_t i = 0; i < ledger_.topology().server_count(); ++i) {
            show_as_it_is(ServerId{i});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        show_as_it_is(*server);
    }
}

void BackfillPlan::expect(
    std::uint32_t index, const Job& job, ServerId server, Members members, SimTime end) {
    if (end != never) {
        running_[server].push_back({index, SimTime(0), end, &job.demand, members});
        running_ends_.emplace(end, server, index);
    }
}

void BackfillPlan::forget(std::uint32_t index, ServerId server) {
    const auto pieces = running_.find(server);
    if (pieces == running_.end()) {
        return;
    }
    std::erase_if(pieces->second, [&](const Piece& piece) {
        if (piece.job == index) {
            running_ends_.erase({piece.to, server, index});
        }
        return piece.job == index;
    });
    if (pieces->second.empty()) {
        running_.erase(pieces);
    }
}

/// What runs for longer than expected may end at any moment after this one.
SimTime BackfillPlan::end_of(const Piece& running) const {
    return std::max(running.to, now_ + SimTime(1));
}

void BackfillPlan::reserve(const Job& job, const Start& start, SimTime duration) {
    BERTH_ASSERT(start.at >= now_ && start.attempt.found, "a place is kept that will be free");
    const SimTime end = after(start.at, duration);
    for (const core::PlacedNode& node : start.attempt.servers) {
        const ServerId server = ledger_.topology().server_of(node.node);
        reserved_[server].push_back({0, start.at, end, &job.demand, node.count});
        if (end != never) {
            reserved_ends_[end].push_back(server);
        }
    }
}

std::vector<Amount> BackfillPlan::free_at(ServerId server, SimTime at) const {
    const auto now = ledger_.available(ledger_.topology().node_of(server));
    std::vector<Amount> free(now.begin(), now.end());
    const auto add = [&](const Piece& piece, Members members) {
        for (std::size_t resource = 0; resource < free.size(); ++resource) {
            free[resource] += (*piece.demand)[resource] * members;
        }
    };
    if (const auto running = running_.find(server); running != running_.end()) {
        for (const Piece& piece : running->second) {
            add(piece, end_of(piece) <= at ? piece.members : 0);
        }
    }
    if (const auto reserved = reserved_.find(server); reserved != reserved_.end()) {
        for (const Piece& piece : reserved->second) {
            add(piece, piece.from <= at && at < piece.to ? -piece.members : 0);
        }
    }
    return free;
}

/// What is free falls only where a reservation begins.
std::vector<Amount> BackfillPlan::free_during(ServerId server, SimTime from, SimTime to) const {
    std::vector<Amount> least = free_at(server, from);
    const auto reserved = reserved_.find(server);
    if (reserved == reserved_.end()) {
        return least;
    }
    for (const Piece& piece : reserved->second) {
        if (piece.from <= from || piece.from >= to) {
            continue;
        }
        const std::vector<Amount> then = free_at(server, piece.from);
        for (std::size_t resource = 0; resource < least.size(); ++resource) {
            least[resource] = std::min(least[resource], then[resource]);
        }
    }
    return least;
}

void BackfillPlan::show(ServerId server, std::span<const Amount> available) {
    BERTH_ASSERT(available.size() == scratch_.resource_count(), "amounts are by the schema");
    const auto shown = scratch_.available(scratch_.topology().node_of(server));
    std::vector<Amount> difference(available.size());
    std::ranges::transform(shown, available, difference.begin(), std::minus());
    if (std::ranges::any_of(difference, [](Amount amount) { return amount != 0; })) {
        scratch_.occupy(server, difference);
    }
}

void BackfillPlan::show_as_it_is(ServerId server) {
    if (scratch_.is_up(server) != ledger_.is_up(server)) {
        if (ledger_.is_up(server)) {
            scratch_.bring_up(server);
        } else {
            scratch_.take_down(server);
        }
    }
    show(server, ledger_.available(ledger_.topology().node_of(server)));
}

void BackfillPlan::show_reserved(SimTime from, SimTime to) {
    for (const auto& [server, pieces] : reserved_) {
        show(server, free_during(server, from, to));
    }
}

std::optional<Attempt> BackfillPlan::find(const Job& job, Members members) {
    Attempt attempt = placer_.find(job, members);
    return attempt.found ? std::optional(std::move(attempt)) : std::nullopt;
}

std::optional<BackfillPlan::Start> BackfillPlan::earliest(const Job& job,
                                                          Members members,
                                                          SimTime duration,
                                                          SimTime not_before) {
    std::optional<Start> found;
    std::set<ServerId> changed;
    const auto try_at = [&](SimTime at) {
        for (const ServerId server : changed) {
            show(server, free_during(server, at, after(at, duration)));
        }
        show_reserved(at, after(at, duration));
        if (auto attempt = find(job, members)) {
            found = {at, std::move(*attempt)};
        }
        changed.clear();
    };
    std::set<ServerId> shown;
    if (not_before <= now_) {
        try_at(now_);
    }
    auto running = running_ends_.begin();
    auto reserved = reserved_ends_.begin();
    while (!found && (running != running_ends_.end() || reserved != reserved_ends_.end())) {
        SimTime at = reserved != reserved_ends_.end() ? reserved->first : never;
        if (running != running_ends_.end()) {
            at = std::min(at, std::max(std::get<SimTime>(*running), now_ + SimTime(1)));
        }
        for (; running != running_ends_.end() && std::get<SimTime>(*running) <= at; ++running) {
            changed.insert(std::get<ServerId>(*running));
        }
        for (; reserved != reserved_ends_.end() && reserved->first <= at; ++reserved) {
            changed.insert(reserved->second.begin(), reserved->second.end());
        }
        shown.insert(changed.begin(), changed.end());
        if (at >= not_before) {
            try_at(at);
        }
    }
    for (const ServerId server : shown) {
        show_as_it_is(server);
    }
    BERTH_ASSERT(!found || (found->at >= not_before && found->at >= now_),
                 "a job is planned to start no earlier than it may");
    return found;
}

std::optional<Attempt> BackfillPlan::start_now(const Job& job, Members members, SimTime duration) {
    show_reserved(now_, after(now_, duration));
    return find(job, members);
}

}  // namespace berth::sim
