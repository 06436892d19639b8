#include "sim/quota/borrowing.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

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
            return;  // nothing is owed to it beyond this quota
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

/// `resources`: those that all quotas above it, on the way down to it, have borrowed.
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

}  // namespace berth::sim
