#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <string_view>

namespace berth::sim {

/// The random bits of one source: each source has its own, so that it draws the same whatever else
/// is configured. Distributions come from Boost.Random, whose results do not depend on the
/// compiler, unlike those of the standard library.
using RandomBits = boost::random::mt19937_64;

/// Bits that depend on the run's seed and the source's name alone.
[[nodiscard]] RandomBits random_bits(std::uint64_t seed, std::string_view source);

/// One step of a hash over 64-bit words (splitmix64's finalizer).
[[nodiscard]] std::uint64_t mix(std::uint64_t hash, std::uint64_t word);

}  // namespace berth::sim
