#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <string_view>

namespace berth::sim {

/// The random bits for one purpose of one source: each purpose has its own, so that it draws the
/// same numbers whatever else is configured. Distributions come from Boost.Random, whose results do
/// not depend on the compiler, unlike those of the standard library.
using RandomBits = boost::random::mt19937_64;

/// Random bits that depend only on the replication's seed and the purpose's name.
[[nodiscard]] RandomBits random_bits(std::uint64_t seed, std::string_view name);

/// Random numbers that are found by their index: the k-th number is the same whichever others are
/// drawn, so that what belongs to the k-th job stays with it when other jobs, or other
/// distributions, draw more or fewer numbers.
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: the
///         k-th number is the k-th output of SplitMix64, begun at a hash of seed and name.
class RandomSeries {
public:
    RandomSeries(std::uint64_t seed, std::string_view name);

    /// The k-th number, uniform between 0 and 1, and never 0 or 1.
    [[nodiscard]] double uniform(std::uint64_t index) const;

private:
    std::uint64_t key_;
};

/// The seed of one replication. Two base seeds share no replication: each pair of base and number
/// is hashed to its own seed. Seeds are below 2^53, which JSON, SQLite and pandas hold exactly.
[[nodiscard]] std::uint64_t replication_seed(std::uint64_t base, std::uint32_t replication);

/// One step of a hash over 64-bit words (splitmix64's finalizer).
[[nodiscard]] std::uint64_t mix(std::uint64_t hash, std::uint64_t word);

}  // namespace berth::sim
