#include "experiments/program/report/quota_lending.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth::report {
namespace {

/// The children of one parent in one resource, over the course of time.
class SiblingWalk {
public:
    SiblingWalk(const Quotas& quotas, std::uint32_t parent, std::size_t resource, double root_total)
        : quotas_(quotas), parent_(parent), resource_(resource), root_total_(root_total) {
        for (std::uint32_t q = 1; q < quotas.quotas.size(); ++q) {
            const Quota& quota = quotas.quotas[q];
            if (!quota.special() && !quota.steps[resource].empty() &&
                std::ranges::count(quota.parents, parent, &QuotaParent::parent) > 0) {
                children_.push_back(q);
            }
        }
    }

    [[nodiscard]] const std::vector<std::uint32_t>& children() const { return children_; }

    /// Calls visit(shares, indices into children(), hours) for each period without a change.
    template <class Visit>
    void run(Visit visit) const {
        const std::vector<double> times = change_times();
        std::vector<SiblingUse> uses;
        std::vector<std::size_t> present;
        for (std::size_t t = 0; t + 1 < times.size(); ++t) {
            uses.clear();
            present.clear();
            for (std::size_t c = 0; c < children_.size(); ++c) {
                const Quota& quota = quotas_.quotas[children_[c]];
                const QuotaStep* step = step_at(quota.steps[resource_], times[t]);
                if (step != nullptr && step->there() && parent_at(quota, times[t]) == parent_) {
                    uses.push_back({step->sure(), std::fmax(step->request, 0.0), step->used});
                    present.push_back(c);
                }
            }
            visit(
                share_lending(uses, total_at(times[t])), present, (times[t + 1] - times[t]) / 3600);
        }
    }

private:
    static std::uint32_t parent_at(const Quota& quota, double time_s) {
        const auto after =
            std::ranges::upper_bound(quota.parents, time_s, {}, &QuotaParent::time_s);
        return after == quota.parents.begin() ? no_quota : std::prev(after)->parent;
    }

    [[nodiscard]] double total_at(double time_s) const {
        const QuotaStep* step = step_at(quotas_.quotas[parent_].steps[resource_], time_s);
        const double runtime = step == nullptr ? QuotaStep::not_stated : step->runtime;
        return parent_ == 0 && std::isnan(runtime) ? root_total_ : runtime;
    }

    [[nodiscard]] std::vector<double> change_times() const {
        std::vector<double> times{quotas_.last_s};
        const auto add = [&](const auto& changes) {
            for (const auto& change : changes) {
                times.push_back(change.time_s);
            }
        };
        add(quotas_.quotas[parent_].steps[resource_]);
        for (const std::uint32_t q : children_) {
            add(quotas_.quotas[q].steps[resource_]);
            add(quotas_.quotas[q].parents);
        }
        std::ranges::sort(times);
        times.erase(std::unique(times.begin(), times.end()), times.end());
        return times;
    }

    const Quotas& quotas_;
    std::uint32_t parent_;
    std::size_t resource_;
    double root_total_;
    std::vector<std::uint32_t> children_;
};

/// For each child, its place among the named ones, with the largest first. All others share one
/// last place.
std::vector<std::size_t> places_of(const std::vector<double>& hours, std::size_t named_max) {
    std::vector<std::size_t> order(hours.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::ranges::greater(), [&](std::size_t c) { return hours[c]; });
    std::vector<std::size_t> places(hours.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        places[order[i]] = std::min(i, named_max);
    }
    return places;
}

/// The sums over a walk. All but the largest lenders and borrowers are joined.
std::vector<Loan> loans_of(const SiblingWalk& walk, std::size_t named_max) {
    const std::vector<std::uint32_t>& children = walk.children();
    std::vector<double> lent(children.size());
    std::vector<double> borrowed(children.size());
    walk.run([&](const LendingShares& shares, const std::vector<std::size_t>& present, double h) {
        const double all = std::accumulate(shares.borrowed.begin(), shares.borrowed.end(), 0.0);
        for (std::size_t i = 0; i < present.size(); ++i) {
            lent[present[i]] += shares.lendable[i] * all * shares.per_source * h;
            borrowed[present[i]] += shares.borrowed[i] * h;
        }
    });
    const std::vector<std::size_t> lender_place = places_of(lent, named_max);
    const std::vector<std::size_t> borrower_place = places_of(borrowed, named_max);
    const std::size_t columns = named_max + 1;
    const std::size_t unreserved = named_max + 1;
    const std::size_t taken = named_max + 2;
    std::vector<double> sums((named_max + 3) * columns);
    std::vector<double> sources(named_max + 3);
    std::vector<double> borrowers(columns);
    walk.run([&](const LendingShares& shares, const std::vector<std::size_t>& present, double h) {
        std::ranges::fill(sources, 0);
        std::ranges::fill(borrowers, 0);
        for (std::size_t i = 0; i < present.size(); ++i) {
            sources[lender_place[present[i]]] += shares.lendable[i] * shares.per_source;
            borrowers[borrower_place[present[i]]] += shares.borrowed[i];
        }
        sources[unreserved] = shares.unreserved * shares.per_source;
        sources[taken] = shares.taken;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            for (std::size_t j = 0; j < columns && sources[i] > 0; ++j) {
                sums[i * columns + j] += sources[i] * borrowers[j] * h;
            }
        }
    });
    std::vector<std::uint32_t> lenders(named_max + 3, other_quotas);
    std::vector<std::uint32_t> takers(columns, other_quotas);
    for (std::size_t c = 0; c < children.size(); ++c) {
        if (lender_place[c] < named_max) {
            lenders[lender_place[c]] = children[c];
        }
        if (borrower_place[c] < named_max) {
            takers[borrower_place[c]] = children[c];
        }
    }
    lenders[unreserved] = unreserved_source;
    lenders[taken] = taken_source;
    std::vector<Loan> loans;
    for (std::size_t i = 0; i < lenders.size(); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            if (sums[i * columns + j] > 0) {
                loans.push_back({lenders[i], takers[j], sums[i * columns + j]});
            }
        }
    }
    std::ranges::stable_sort(loans, std::ranges::greater(), &Loan::resource_hours);
    return loans;
}

}  // namespace

LendingShares share_lending(std::span<const SiblingUse> siblings, double total) {
    LendingShares out;
    double lendable = 0;
    double borrowed = 0;
    double reserved = 0;
    for (const SiblingUse& one : siblings) {
        out.lendable.push_back(std::max(0.0, one.min - std::max(one.used, one.request)));
        out.borrowed.push_back(std::max(0.0, one.used - one.min));
        lendable += out.lendable.back();
        borrowed += out.borrowed.back();
        reserved += one.min;
    }
    out.unreserved =
        std::isnan(total) ? std::max(0.0, borrowed - lendable) : std::max(0.0, total - reserved);
    if (borrowed > 0) {
        const double sources = lendable + out.unreserved;
        out.per_source = 1 / std::max(sources, borrowed);
        out.taken = std::max(0.0, borrowed - sources) / borrowed;
    }
    return out;
}

std::vector<Loans> integrate_lending(const Quotas& quotas,
                                     std::span<const double> root_total,
                                     std::size_t named_max) {
    std::vector<std::uint32_t> parents;
    for (const Quota& quota : quotas.quotas) {
        for (const QuotaParent& at : quota.parents) {
            if (at.parent != no_quota) {
                parents.push_back(at.parent);
            }
        }
    }
    std::ranges::sort(parents);
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    std::vector<Loans> all;
    for (const std::uint32_t parent : parents) {
        for (std::size_t r = 0; r < quotas.resources.size(); ++r) {
            const SiblingWalk walk(quotas, parent, r, root_total[r]);
            if (walk.children().size() < 2) {
                continue;
            }
            Loans loans{parent, r, loans_of(walk, std::min(named_max, walk.children().size()))};
            if (!loans.loans.empty()) {
                all.push_back(std::move(loans));
            }
        }
    }
    return all;
}

}  // namespace berth::report
