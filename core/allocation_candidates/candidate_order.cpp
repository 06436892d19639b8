#include "core/allocation_candidates/candidate_order.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string_view>
#include <tuple>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Appends the most significant byte first, so that bytes compare as numbers do.
void append_number(std::uint32_t number, std::string& out) {
    const std::array<char, 4> bytes{static_cast<char>(number >> 24U),
                                    static_cast<char>(number >> 16U),
                                    static_cast<char>(number >> 8U),
                                    static_cast<char>(number)};
    out.append(bytes.data(), bytes.size());
}

void append_digits(Amount amount, std::string& out) {
    std::array<char, 20> digits{};
    const auto [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), amount);
    out.append(digits.data(), end);
}

}  // namespace

CandidateWriter::CandidateWriter(const ProviderForest& forest,
                                 const CandidateQuery& query,
                                 const std::vector<CandidatePart>& parts)
    : forest_(forest), parts_(parts), by_suffix_(query.groups.size()) {
    for (std::size_t group = 0; group < query.groups.size(); ++group) {
        by_suffix_[group] = static_cast<std::uint32_t>(
            std::ranges::count_if(query.groups, [&](const CandidateGroup& other) {
                return other.suffix < query.groups[group].suffix;
            }));
    }
}

const AllocationCandidate& CandidateWriter::write(std::span<const ProviderIndex> providers) {
    using Taken = AllocationCandidate::Taken;
    using Mapped = AllocationCandidate::Mapped;
    BERTH_ASSERT(providers.size() == parts_.size(), "a candidate has a provider for each part");
    std::vector<Taken>& taken = candidate_.taken;
    std::vector<Mapped>& mapped = candidate_.mapped;
    taken.clear();
    mapped.clear();
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        mapped.push_back({parts_[part].group, providers[part]});
        for (const auto& [type, amount] : parts_[part].resources) {
            taken.push_back({providers[part], type, amount});
        }
    }
    std::ranges::sort(taken, {}, [&](const Taken& entry) {
        return std::pair(forest_.rank(entry.provider), entry.resource_class);
    });
    auto last = taken.begin();
    for (auto entry = taken.begin(); entry != taken.end(); ++entry) {
        if (entry == last) {
            continue;
        }
        if (entry->provider == last->provider && entry->resource_class == last->resource_class) {
            last->amount += entry->amount;
        } else {
            *++last = *entry;
        }
    }
    if (!taken.empty()) {
        taken.erase(last + 1, taken.end());
    }
    std::ranges::sort(mapped, {}, [&](const Mapped& entry) {
        return std::pair(by_suffix_[entry.group], forest_.rank(entry.provider));
    });
    const auto repeated = std::ranges::unique(
        mapped, {}, [](const Mapped& entry) { return std::pair(entry.group, entry.provider); });
    mapped.erase(repeated.begin(), repeated.end());
    return candidate_;
}

void CandidateWriter::append_key(std::span<const ProviderIndex> providers, std::string& key) {
    // Numbers stand for texts and have the order of these. What separates them is the same as in
    // JSON, where a list that goes on comes before one that ends.
    const AllocationCandidate& candidate = write(providers);
    for (std::size_t i = 0; i < candidate.taken.size(); ++i) {
        const auto& [provider, type, amount] = candidate.taken[i];
        if (i == 0 || candidate.taken[i - 1].provider != provider) {
            key += i == 0 ? "" : "},";
            append_number(forest_.rank(provider), key);
        } else {
            key += ',';
        }
        append_number(type, key);
        append_digits(amount, key);
    }
    key += "}}";
    for (std::size_t i = 0; i < candidate.mapped.size(); ++i) {
        const auto& [group, provider] = candidate.mapped[i];
        if (i > 0) {
            key += candidate.mapped[i - 1].group == group ? ',' : ']';
        }
        append_number(forest_.rank(provider), key);
    }
    key += ']';
}

std::vector<std::uint32_t> candidates_in_order(CandidateWriter& writer,
                                               const CandidateList& candidates) {
    std::string keys;
    std::vector<std::size_t> begin{0};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        writer.append_key(candidates[i], keys);
        begin.push_back(keys.size());
    }
    std::vector<std::uint32_t> order(candidates.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t i) {
        return std::string_view(keys).substr(begin[i], begin[i + 1] - begin[i]);
    };
    if (!std::ranges::is_sorted(order, {}, key)) {
        std::ranges::sort(order, {}, key);
    }
    return order;
}

std::int64_t candidate_score(const ProviderForest& forest,
                             const AllocationCandidate& candidate,
                             const Scorer& scorer) {
    std::vector<Amount> capacity;
    std::vector<Amount> available;
    std::vector<Amount> demand;
    std::int64_t sum = 0;
    std::int64_t providers = 0;
    for (auto taken = candidate.taken.begin(); taken != candidate.taken.end();) {
        const ProviderIndex provider = taken->provider;
        capacity.clear();
        available.clear();
        demand.clear();
        for (; taken != candidate.taken.end() && taken->provider == provider; ++taken) {
            const InventoryRow& row = *forest.inventory(provider, taken->resource_class);
            capacity.push_back(row.capacity);
            available.push_back(row.capacity - row.used);
            demand.push_back(taken->amount);
        }
        sum += scorer.score(capacity, available, demand);
        ++providers;
    }
    return sum * 1024 / providers;
}

std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                               CandidateWriter& writer,
                                               const CandidateList& candidates,
                                               const Scorer& scorer) {
    struct Scored {
        std::int64_t score = 0;
        std::uint32_t place = 0;  ///< The candidate's place in berth's order.
    };
    const std::vector<std::uint32_t> order = candidates_in_order(writer, candidates);
    std::vector<Scored> scored;
    scored.reserve(order.size());
    for (const std::uint32_t candidate : order) {
        scored.push_back({candidate_score(forest, writer.write(candidates[candidate]), scorer),
                          static_cast<std::uint32_t>(scored.size())});
    }
    std::ranges::sort(scored, [](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : a.place < b.place;
    });
    std::vector<std::uint32_t> by_score;
    by_score.reserve(order.size());
    for (const Scored& entry : scored) {
        by_score.push_back(order[entry.place]);
    }
    return by_score;
}

}  // namespace berth::core
