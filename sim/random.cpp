#include "sim/random.hpp"

namespace berth::sim {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    std::uint64_t z = hash + word + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

RandomBits random_bits(std::uint64_t seed, std::string_view source) {
    std::uint64_t hash = mix(0, seed);
    for (const char c : source) {
        hash = mix(hash, static_cast<unsigned char>(c));
    }
    return RandomBits(hash);
}

}  // namespace berth::sim
