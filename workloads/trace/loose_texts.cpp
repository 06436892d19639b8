#include "workloads/trace/loose_texts.hpp"

#include <algorithm>

#include "core/support/csv_record.hpp"

namespace berth::workloads {
namespace {

constexpr std::size_t ways_max = 1000;

using Shares = std::vector<std::size_t>;

/// Adds all ways to write `sum` as the sum of so many numbers, in order; at most one more than
/// `ways_max`.
void add_shares(std::size_t sum, std::size_t at, Shares& shares, std::vector<Shares>& out) {
    if (out.size() > ways_max) {
        return;
    }
    if (at + 1 == shares.size()) {
        shares[at] = sum;
        out.push_back(shares);
        return;
    }
    for (std::size_t share = 0; share <= sum && out.size() <= ways_max; ++share) {
        shares[at] = share;
        add_shares(sum - share, at + 1, shares, out);
    }
}

}  // namespace

LooseTexts::LooseTexts(const std::vector<std::size_t>& texts, std::vector<std::size_t> read)
    : read_(std::move(read)) {
    for (const std::size_t text : texts) {
        const bool is_first = gaps_.empty() || std::ranges::any_of(read_, [&](std::size_t place) {
                                  return place > gaps_.back() && place < text;
                              });
        if (is_first) {
            gaps_.push_back(text);
        }
    }
}

std::vector<std::vector<std::size_t>> LooseTexts::ways(std::size_t more) const {
    std::vector<Shares> all;
    if (!gaps_.empty()) {
        Shares shares(gaps_.size());
        add_shares(more, 0, shares, all);
    }
    std::vector<std::vector<std::size_t>> out;
    if (all.size() <= ways_max) {
        for (const Shares& shares : all) {
            out.push_back(moved(shares));
        }
    }
    return out;
}

std::vector<std::size_t> LooseTexts::moved(const Shares& shares) const {
    std::vector<std::size_t> places = read_;
    for (std::size_t& place : places) {
        const std::size_t home = place;
        for (std::size_t gap = 0; gap < gaps_.size() && home != core::CsvColumns::absent; ++gap) {
            place += gaps_[gap] < home ? shares[gap] : 0;
        }
    }
    return places;
}

}  // namespace berth::workloads
