#include "core/allocation_candidates/candidate_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/allocation_candidates/candidate_query.hpp"

namespace berth::core {
namespace {

/// Providers that have room for the amount, and that a rule on units keeps from giving it.
struct Barred {
    std::size_t count = 0;
    Amount unit = 0;  ///< Of those, the one nearest to the amount.
    ProviderIndex provider = 0;

    void add(ProviderIndex by, Amount its_unit, bool is_nearer) {
        if (count == 0 || is_nearer) {
            unit = its_unit;
            provider = by;
        }
        ++count;
    }
};

/// What the inventories of one class say of an amount.
struct Tally {
    const InventoryRow* fullest = nullptr;  ///< That with the most left.
    ProviderIndex fullest_provider = 0;
    Amount most_in_tree = 0;
    TreeIndex fullest_tree = 0;
    Barred max_unit;
    Barred min_unit;
    Barred step_size;

    void add(ProviderIndex provider, const InventoryRow& row, Amount amount) {
        const Amount left = row.capacity - row.used;
        if (fullest == nullptr || left > fullest->capacity - fullest->used) {
            fullest = &row;
            fullest_provider = provider;
        }
        if (left < amount) {
            return;
        }
        if (amount > row.max_unit) {
            max_unit.add(provider, row.max_unit, row.max_unit > max_unit.unit);
        }
        if (amount < row.min_unit) {
            min_unit.add(provider, row.min_unit, row.min_unit < min_unit.unit);
        }
        if (amount % row.step_size != 0) {
            step_size.add(provider, row.step_size, row.step_size < step_size.unit);
        }
    }
};

Tally tally(const ProviderForest& forest, ClassIndex type, Amount amount) {
    Tally found;
    for (TreeIndex tree = 0; tree < forest.tree_count(); ++tree) {
        Amount sum = 0;
        for (ProviderIndex p = forest.root(tree); p < forest.tree_end(tree); ++p) {
            if (const InventoryRow* row = forest.inventory(p, type)) {
                found.add(p, *row, amount);
                const Amount left = std::max<Amount>(row->capacity - row->used, 0);
                sum = std::min(sum + left, CandidateGroup::amount_max);
            }
        }
        if (sum > found.most_in_tree) {
            found.most_in_tree = sum;
            found.fullest_tree = tree;
        }
    }
    return found;
}

}  // namespace

std::vector<std::string> why_no_amount(const ProviderForest& forest,
                                       const ProviderNames& names,
                                       const std::string& type,
                                       Amount amount) {
    const auto number = forest.classes().find(type);
    const Tally found = number ? tally(forest, *number, amount) : Tally();
    if (found.fullest == nullptr) {
        return {fmt::format("no provider has an inventory of {}", type)};
    }
    std::vector<std::string> causes;
    if (found.fullest->capacity - found.fullest->used < amount) {
        causes.push_back(
            fmt::format("no provider has {} {} left: {} has the most, with {} of {} used",
                        amount,
                        type,
                        names(found.fullest_provider),
                        found.fullest->used,
                        found.fullest->capacity));
        if (found.most_in_tree >= amount) {
            causes.push_back(fmt::format(
                "the tree of {} has {} in pieces: one provider has to give what one group asks "
                "for, and several groups may ask for parts",
                names(forest.root(found.fullest_tree)),
                found.most_in_tree));
        }
    }
    const auto say = [&](const Barred& barred, std::string_view rule, std::string_view unit) {
        if (barred.count > 0) {
            causes.push_back(
                fmt::format("{} {} room for it, but {} lets a request have {} {}, as on {}",
                            barred.count,
                            barred.count == 1 ? "provider has" : "providers have",
                            unit,
                            rule,
                            barred.unit,
                            names(barred.provider)));
        }
    };
    say(found.max_unit, "at most", "max_unit");
    say(found.min_unit, "at least", "min_unit");
    say(found.step_size, "multiples of", "step_size");
    return causes;
}

}  // namespace berth::core
