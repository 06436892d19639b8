#include "sim/clock/random.hpp"

namespace berth::sim {
namespace {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;

std::uint64_t hash_of(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = mix(0, seed);
    for (const char c : name) {
        hash = mix(hash, static_cast<unsigned char>(c));
    }
    return hash;
}

}  // namespace

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    std::uint64_t z = hash + word + golden_ratio;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

RandomBits random_bits(std::uint64_t seed, std::string_view name) {
    return RandomBits(hash_of(seed, name));
}

RandomSeries::RandomSeries(std::uint64_t seed, std::string_view name) : key_(hash_of(seed, name)) {}

double RandomSeries::uniform(std::uint64_t index) const {
    // The number has 52 random bits, plus half a step: the largest value is still below 1 as a
    // double.
    constexpr double step = 0x1p-52;
    return (static_cast<double>(mix(key_, index * golden_ratio) >> 12) + 0.5) * step;
}

std::uint64_t replication_seed(std::uint64_t base, std::uint32_t replication) {
    constexpr unsigned bits_left_out = 64 - 53;
    return mix(hash_of(base, "replication"), replication * golden_ratio) >> bits_left_out;
}

}  // namespace berth::sim
