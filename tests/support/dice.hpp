#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstdint>
#include <cstdlib>

namespace berth::tests {

/// Small whole numbers from one seed, the same with every compiler.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : bits_(seed) {}
    /// A number in [least, most].
    std::int64_t roll(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool chance(int percent) { return roll(1, 100) <= percent; }

private:
    boost::random::mt19937_64 bits_;
};

/// The number of random cases that a test tries: ten times as many under `tests/run.sh --long`.
inline std::uint64_t cases(std::uint64_t quick) {
    return std::getenv("BERTH_LONG") != nullptr ? 10 * quick : quick;
}

}  // namespace berth::tests
