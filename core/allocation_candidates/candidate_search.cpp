#include "core/allocation_candidates/candidate_search.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/allocation_candidates/candidate_plan.hpp"
#include "core/allocation_candidates/first_candidates.hpp"
#include "core/allocation_candidates/tree_gates.hpp"
#include "core/allocation_candidates/tree_search.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Passes on each candidate once. Two trees can be anchors of the same candidate only if all of its
/// providers are shared.
class EachOnce {
public:
    explicit EachOnce(const ProviderForest& forest) : forest_(forest) {}
    bool is_new(std::span<const ProviderIndex> providers) {
        const bool all_shared = std::ranges::all_of(
            providers, [&](ProviderIndex provider) { return forest_.is_sharing(provider); });
        return !all_shared || seen_.emplace(providers.begin(), providers.end()).second;
    }
    [[nodiscard]] std::size_t remembered() const { return seen_.size(); }

private:
    const ProviderForest& forest_;
    std::set<std::vector<ProviderIndex>> seen_;
};

class AllCandidates final : public CandidateSink {
public:
    AllCandidates(const CandidatePlan& plan, std::uint64_t candidates_max)
        : list(plan.parts().size()), candidates_max_(candidates_max), once_(plan.forest()) {}
    bool add(std::span<const ProviderIndex> providers) override {
        if (once_.is_new(providers)) {
            if (list.size() == candidates_max_) {
                too_many = true;
                return false;
            }
            list.add(providers);
        }
        return true;
    }

    CandidateList list;
    bool too_many = false;

private:
    std::uint64_t candidates_max_;
    EachOnce once_;
};

/// Keeps the candidates that are found first, and ends the search after them.
class SomeCandidates final : public CandidateSink {
public:
    SomeCandidates(const CandidatePlan& plan, std::uint64_t candidates_max)
        : list(plan.parts().size()), candidates_max_(candidates_max) {}
    bool add(std::span<const ProviderIndex> providers) override {
        list.add(providers);
        return list.size() < candidates_max_;
    }

    CandidateList list;

private:
    std::uint64_t candidates_max_;
};

/// Counts each candidate once, including those that several trees have.
class Counter final : public CountingSink {
public:
    Counter(const CandidatePlan& plan, std::uint64_t steps_max)
        : CountingSink(steps_max), once_(plan.forest()) {}
    bool add(std::span<const ProviderIndex> providers) override {
        constexpr std::size_t remembered_max = 2'000'000;  // some 200 MB
        if (!once_.is_new(providers)) {
            return true;
        }
        if (once_.remembered() > remembered_max) {
            give_up();
        }
        return CountingSink::add(providers);
    }

private:
    EachOnce once_;
};

class Existence final : public CandidateSink {
public:
    bool add(std::span<const ProviderIndex> /*providers*/) override {
        found = true;
        return false;
    }

    bool found = false;
};

/// The providers that may serve each part in trees other than their own.
std::vector<std::vector<CandidateOption>> shared_options(CandidatePlan& plan) {
    const ProviderForest& forest = plan.forest();
    std::vector<std::vector<CandidateOption>> options(plan.parts().size());
    for (std::size_t part = 0; part < options.size(); ++part) {
        for (const ProviderIndex sharing : forest.sharing()) {
            if (plan.may_serve_elsewhere(sharing, part)) {
                options[part].push_back({sharing, forest.rank(sharing)});
            }
        }
        std::ranges::sort(options[part], {}, &CandidateOption::rank);
    }
    return options;
}

}  // namespace

class CandidateSearch::Plan {
public:
    Plan(const ProviderForest& forest, const CandidateQuery& query)
        : plan(forest, query), search(plan) {}

    /// Calls `visit` with each tree that may have candidates, until it returns false.
    template <class Visit>
    void each_tree(Visit visit) {
        if (plan.is_empty() || plan.parts().empty()) {
            return;
        }
        TreeGates gates(plan);
        for (auto tree = gates.next(0); tree && visit(*tree);) {
            tree = gates.next(*tree + 1);
        }
    }

    CandidatePlan plan;
    TreeSearch search;
};

CandidateSearch::CandidateSearch(const ProviderForest& forest, const CandidateQuery& query)
    : plan_(std::make_unique<Plan>(forest, query)) {}

CandidateSearch::~CandidateSearch() = default;

std::optional<CandidateQueryFault> CandidateSearch::fault() const {
    return plan_->plan.has_unknown_names() ? unknown_name(plan_->plan.forest(), plan_->plan.query())
                                           : std::nullopt;
}

const std::vector<CandidatePart>& CandidateSearch::parts() const {
    return plan_->plan.parts();
}

std::optional<CandidateList> CandidateSearch::find(std::uint64_t candidates_max) const {
    const std::optional<std::uint64_t> limit = plan_->plan.query().limit;
    if (limit && *limit <= candidates_max) {
        return find_first(*limit);
    }
    AllCandidates all(plan_->plan, candidates_max);
    plan_->each_tree([&](TreeIndex tree) { return plan_->search.search(tree, all); });
    return all.too_many ? std::nullopt : std::optional(std::move(all.list));
}

CandidateList CandidateSearch::find_first(std::uint64_t limit) const {
    const ProviderForest& forest = plan_->plan.forest();
    FirstCandidates first(plan_->plan, limit);
    const std::vector<std::vector<CandidateOption>> shared = shared_options(plan_->plan);
    plan_->each_tree([&](TreeIndex tree) {
        return !first.is_beyond(shared, forest.least_rank(tree)) &&
               plan_->search.search(tree, first);
    });
    return first.take();
}

std::optional<std::uint64_t> CandidateSearch::count(std::uint64_t steps_max) const {
    CountingSink in_trees(steps_max);
    Counter shared(plan_->plan, steps_max);
    std::uint64_t sum = 0;
    plan_->each_tree([&](TreeIndex tree) {
        const auto here = plan_->search.count(tree, in_trees);
        const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
        sum += std::min(here.value_or(0), room);
        return !in_trees.gave_up() && (here || plan_->search.search(tree, shared));
    });
    return in_trees.gave_up() || shared.gave_up() ? std::nullopt
                                                  : std::optional(sum + shared.count);
}

std::vector<TreeIndex> CandidateSearch::anchors() const {
    std::vector<TreeIndex> trees;
    plan_->each_tree([&](TreeIndex tree) {
        Existence one;
        (void)plan_->search.search(tree, one);
        if (one.found) {
            trees.push_back(tree);
        }
        return true;
    });
    return trees;
}

CandidateList CandidateSearch::find_in(TreeIndex tree, std::uint64_t candidates_max) const {
    BERTH_ASSERT(tree < plan_->plan.forest().tree_count() && candidates_max > 0,
                 "candidates are wanted of a tree of the forest");
    SomeCandidates some(plan_->plan, candidates_max);
    if (!plan_->plan.is_empty()) {
        (void)plan_->search.search(tree, some);
    }
    return std::move(some.list);
}

std::uint64_t CandidateSearch::trees_searched() const {
    return plan_->search.trees_searched();
}

std::uint64_t CandidateSearch::providers_tried() const {
    return plan_->search.providers_tried();
}

}  // namespace berth::core
