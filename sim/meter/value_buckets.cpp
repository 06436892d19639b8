#include "sim/meter/value_buckets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

constexpr unsigned fraction_bits = std::numeric_limits<double>::digits - 1;

}  // namespace

void ValueBuckets::add(double value, std::int64_t weight, bool ended) {
    BERTH_ASSERT(value >= 0 && std::isfinite(value), "buckets are of values of at least 0");
    const auto bucket = std::bit_cast<std::uint64_t>(value) >> (fraction_bits - bits);
    const auto exponent = static_cast<std::uint32_t>(bucket >> bits);
    (ended ? ended_ : going_on_)[exponent][bucket % std::tuple_size_v<Doubling>] += weight;
    const double part = value * static_cast<double>(weight);
    weight_ += weight;
    sum_.add(part);
    if (ended) {
        largest_ended_ = std::max(largest_ended_, value);
        weight_of_ended_ += weight;
        sum_of_ended_.add(part);
        squares_.add((value - pivot_) * (value - pivot_) * static_cast<double>(weight));
    }
}

void ValueBuckets::add(const ValueBuckets& other) {
    for (const auto& [mine, theirs] :
         {std::pair(&ended_, &other.ended_), std::pair(&going_on_, &other.going_on_)}) {
        for (const auto& [exponent, doubling] : *theirs) {
            Doubling& sum = (*mine)[exponent];
            for (std::size_t i = 0; i < doubling.size(); ++i) {
                sum[i] += doubling[i];
            }
        }
    }
    largest_ended_ = std::max(largest_ended_, other.largest_ended_);
    weight_ += other.weight_;
    sum_.add(other.sum_);
    // The squares of the other sample are around its own pivot:
    // sum (v - p)^2 = sum (v - q)^2 + 2 (q - p) sum (v - q) + n (q - p)^2.
    const auto count = static_cast<double>(other.weight_of_ended_);
    const double shift = other.pivot_ - pivot_;
    squares_.add(other.squares_);
    squares_.add(2 * shift * (other.sum_of_ended() - count * other.pivot_));
    squares_.add(count * shift * shift);
    weight_of_ended_ += other.weight_of_ended_;
    sum_of_ended_.add(other.sum_of_ended_);
}

std::vector<ValueBuckets::Count> ValueBuckets::counts() const {
    std::vector<std::pair<std::uint64_t, Count>> found;
    for (const auto& [doublings, ended] :
         {std::pair(&ended_, true), std::pair(&going_on_, false)}) {
        for (const auto& [exponent, doubling] : *doublings) {
            for (std::size_t i = 0; i < doubling.size(); ++i) {
                if (doubling[i] == 0) {
                    continue;
                }
                const std::uint64_t bucket = std::uint64_t{exponent} << bits | i;
                const std::uint64_t low = bucket << (fraction_bits - bits);
                const std::uint64_t middle = low + (std::uint64_t{1} << (fraction_bits - bits - 1));
                // A value that goes on is reported as the lowest value of its bucket.
                const double value = std::bit_cast<double>(ended && bucket > 0 ? middle : low);
                found.push_back({bucket, {value, doubling[i], ended}});
            }
        }
    }
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second.ended && !b.second.ended;
    });
    std::vector<Count> out;
    Count* last_ended = nullptr;
    out.reserve(found.size());
    for (const auto& [bucket, count] : found) {
        out.push_back(count);
        last_ended = count.ended ? &out.back() : last_ended;
    }
    if (last_ended != nullptr) {
        last_ended->value = largest_ended_;
    }
    return out;
}

double ValueBuckets::spread() const {
    const auto count = static_cast<double>(weight_of_ended_);
    const double off = sum_of_ended() / count - pivot_;
    return std::sqrt(std::max(0.0, squares_.value() / count - off * off));
}

}  // namespace berth::sim
