#include "core/allocation_candidates/first_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// If more open parts than this may take one class of one provider, they are not added up in every
/// way.
constexpr std::size_t summands_max = 8;

bool may_serve(std::span<const CandidateOption> options, std::uint32_t rank) {
    return std::ranges::binary_search(options, rank, {}, &CandidateOption::rank);
}

std::uint32_t next_rank(std::span<const CandidateOption> options, std::uint64_t from) {
    const auto found =
        std::ranges::lower_bound(options, from, {}, [](const CandidateOption& option) {
            return std::uint64_t{option.rank};
        });
    return found == options.end() ? std::numeric_limits<std::uint32_t>::max() : found->rank;
}

}  // namespace

FirstCandidates::FirstCandidates(CandidatePlan& plan, std::uint64_t limit)
    : plan_(plan), limit_(limit), writer_(plan.forest(), plan.query(), plan.parts()) {
    BERTH_ASSERT(limit > 0, "a candidate at least is wanted");
}

bool FirstCandidates::add(std::span<const ProviderIndex> providers) {
    std::string key;
    writer_.append_key(providers, key);
    if (kept_.size() == limit_ && key >= kept_.rbegin()->first) {
        return true;
    }
    kept_.emplace(std::move(key), std::vector(providers.begin(), providers.end()));
    if (kept_.size() > limit_) {
        kept_.erase(std::prev(kept_.end()));
    }
    if (kept_.size() == limit_) {
        last_ = writer_.write(kept_.rbegin()->second);
    }
    return true;
}

CandidateList FirstCandidates::take() const {
    CandidateList list(plan_.parts().size());
    for (const auto& [key, providers] : kept_) {
        list.add(providers);
    }
    return list;
}

bool FirstCandidates::is_beyond(const std::vector<std::vector<CandidateOption>>& options,
                                std::uint32_t rank) {
    const std::vector<ProviderIndex> nobody(plan_.parts().size(), no_provider);
    return kept_.size() == limit_ && comes_after_last({nobody, options}, rank);
}

bool FirstCandidates::comes_after_last(const PartialCandidate& candidate,
                                       std::uint32_t elsewhere) const {
    Walk walk{candidate, elsewhere, std::vector<bool>(candidate.chosen.size()), 0};
    for (std::size_t part = 0; part < candidate.chosen.size(); ++part) {
        walk.is_open[part] =
            candidate.chosen[part] == no_provider && !plan_.parts()[part].resources.empty();
        walk.open_parts += walk.is_open[part] ? 1 : 0;
    }
    Comparison found = compare_allocations(walk);
    if (found == Comparison::equal) {
        found = compare_mappings(walk);
    }
    return found != Comparison::maybe_before;
}

FirstCandidates::Comparison FirstCandidates::compare_allocations(Walk& walk) const {
    const auto& [chosen, options] = walk.candidate;
    std::uint64_t from = 0;  // ranks before this one are already compared
    const auto next_chosen = [&] {
        std::uint32_t rank = no_rank;
        for (std::size_t part = 0; part < chosen.size(); ++part) {
            if (chosen[part] != no_provider && !plan_.parts()[part].resources.empty()) {
                const std::uint32_t here = plan_.forest().rank(chosen[part]);
                rank = here >= from ? std::min(rank, here) : rank;
            }
        }
        return rank;
    };
    const auto next_open = [&] {
        std::uint32_t rank = walk.elsewhere >= from ? walk.elsewhere : no_rank;
        for (std::size_t part = 0; part < chosen.size(); ++part) {
            if (walk.is_open[part]) {
                rank = std::min(rank, next_rank(options[part], from));
            }
        }
        return walk.open_parts > 0 ? rank : no_rank;
    };
    for (std::size_t i = 0; i < last_.taken.size();) {
        const ProviderIndex provider = last_.taken[i].provider;
        const std::uint32_t rank = plan_.forest().rank(provider);
        const std::uint32_t sure = next_chosen();
        const std::uint32_t first = std::min(sure, next_open());
        if (first != rank) {
            return first < rank ? Comparison::maybe_before : Comparison::after;
        }
        if (rank >= walk.elsewhere) {
            return Comparison::maybe_before;
        }
        const Comparison here = compare_resources(walk, i);
        if (here != Comparison::equal) {
            return here;
        }
        if (sure != rank) {
            take_one(walk, rank);
        }
        from = std::uint64_t{rank} + 1;
        while (i < last_.taken.size() && last_.taken[i].provider == provider) {
            ++i;
        }
    }
    // A longer list comes first.
    const bool may_go_on = walk.open_parts > 0 || next_chosen() != no_rank;
    return may_go_on ? Comparison::maybe_before : Comparison::equal;
}

void FirstCandidates::take_one(Walk& walk, std::uint32_t rank) {
    // At least one open part takes from this provider. If only one can, it is that one.
    BERTH_ASSERT(walk.open_parts > 0, "a provider that nobody chose is for an open part");
    --walk.open_parts;
    std::size_t takers = 0;
    std::size_t taker = 0;
    for (std::size_t part = 0; part < walk.is_open.size(); ++part) {
        if (walk.is_open[part] && may_serve(walk.candidate.options[part], rank)) {
            ++takers;
            taker = part;
        }
    }
    if (takers == 1) {
        walk.is_open[taker] = false;
    }
}

FirstCandidates::Comparison FirstCandidates::compare_resources(const Walk& walk,
                                                               std::size_t first) const {
    const auto& [chosen, options] = walk.candidate;
    const ProviderIndex provider = last_.taken[first].provider;
    const std::uint32_t rank = plan_.forest().rank(provider);
    std::int64_t from = 0;  // classes before this one are already compared
    const auto next_class = [&] {
        std::optional<ClassIndex> next;
        for (std::size_t part = 0; part < chosen.size(); ++part) {
            const bool may_be_here =
                chosen[part] == provider || (chosen[part] == no_provider && walk.open_parts > 0 &&
                                             may_serve(options[part], rank));
            for (const auto& [type, amount] : plan_.parts()[part].resources) {
                if (may_be_here && type >= from && (!next || type < *next)) {
                    next = type;
                }
            }
        }
        return next;
    };
    for (std::size_t i = first; i < last_.taken.size() && last_.taken[i].provider == provider;
         ++i) {
        const ClassIndex type = last_.taken[i].resource_class;
        const std::optional<ClassIndex> next = next_class();
        if (!next || *next > type) {
            return Comparison::after;
        }
        if (*next < type) {
            return Comparison::maybe_before;
        }
        const bool last_ends =
            i + 1 == last_.taken.size() || last_.taken[i + 1].provider != provider;
        const Comparison amounts = compare_amounts(walk, last_.taken[i], last_ends);
        if (amounts != Comparison::equal) {
            return amounts;
        }
        from = std::int64_t{type} + 1;
    }
    return next_class() ? Comparison::maybe_before : Comparison::equal;
}

FirstCandidates::Comparison FirstCandidates::compare_amounts(const Walk& walk,
                                                             const AllocationCandidate::Taken& last,
                                                             bool last_ends) const {
    const auto& [chosen, options] = walk.candidate;
    const std::uint32_t rank = plan_.forest().rank(last.provider);
    Amount sure = 0;
    std::vector<Amount> open;
    for (std::size_t part = 0; part < chosen.size(); ++part) {
        for (const auto& [type, amount] : plan_.parts()[part].resources) {
            if (type != last.resource_class) {
                continue;
            }
            if (chosen[part] == last.provider) {
                sure += amount;
            } else if (walk.is_open[part] && walk.open_parts > 0 &&
                       may_serve(options[part], rank)) {
                open.push_back(amount);
            }
        }
    }
    const bool alike = std::ranges::all_of(open, [&](Amount one) { return one == open[0]; });
    if (!alike && open.size() > summands_max) {
        return Comparison::maybe_before;
    }
    const InventoryRow* const inventory =
        plan_.forest().inventory(last.provider, last.resource_class);
    BERTH_ASSERT(inventory != nullptr, "a candidate takes of what its providers have");
    const InventoryRow& row = *inventory;
    const Amount most = std::min(row.capacity - row.used, row.max_unit);
    const std::string wanted = fmt::format("{}{}", last.amount, last_ends ? '}' : ',');
    bool can_be_equal = false;
    const std::size_t ways = alike ? open.size() + 1 : std::size_t{1} << open.size();
    for (std::size_t way = 0; way < ways; ++way) {
        Amount sum = sure;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const bool is_here = alike ? i < way : (way >> i & 1) != 0;
            sum = is_here && sum <= most ? sum + open[i] : sum;
        }
        if (sum == 0 || sum > most) {
            continue;
        }
        // What follows the amount is not known, so the earlier possibility counts.
        if (sum == last.amount) {
            can_be_equal = true;
        } else if (fmt::format("{},", sum) < wanted) {
            return Comparison::maybe_before;
        }
    }
    return can_be_equal ? Comparison::equal : Comparison::after;
}

FirstCandidates::Comparison FirstCandidates::compare_mappings(const Walk& walk) const {
    const auto& [chosen, options] = walk.candidate;
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < last_.mapped.size();) {
        const std::size_t group = last_.mapped[i].group;
        const std::vector<std::size_t>& parts = plan_.groups()[group].parts;
        ranks.clear();
        for (const std::size_t part : parts) {
            if (chosen[part] != no_provider) {
                ranks.push_back(plan_.forest().rank(chosen[part]));
            } else if (plan_.groups()[group].suffixed && walk.elsewhere == no_rank) {
                ranks.push_back(next_rank(options[part], 0));
            } else {
                return Comparison::maybe_before;
            }
        }
        std::ranges::sort(ranks);
        const auto repeated = std::ranges::unique(ranks);
        ranks.erase(repeated.begin(), repeated.end());
        std::size_t place = 0;
        for (; i < last_.mapped.size() && last_.mapped[i].group == group; ++i, ++place) {
            const std::uint32_t theirs = plan_.forest().rank(last_.mapped[i].provider);
            if (place == ranks.size()) {
                return Comparison::after;
            }
            if (ranks[place] != theirs) {
                return ranks[place] < theirs ? Comparison::maybe_before : Comparison::after;
            }
        }
        if (place < ranks.size()) {
            return Comparison::maybe_before;
        }
    }
    return Comparison::equal;
}

}  // namespace berth::core
