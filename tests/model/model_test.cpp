// Compares runs of random experiments with a plain model.

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/model/as_experiment.hpp"
#include "tests/model/difference.hpp"
#include "tests/model/random_case.hpp"
#include "tests/model/shrink.hpp"

using namespace berth::tests;

namespace {

/// The number of the first random experiment.
std::uint64_t first_seed() {
    const char* given = std::getenv("BERTH_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
}
std::uint64_t seeds() {
    constexpr std::uint64_t quick = 10'000;
    return cases(quick) > quick ? 100 * quick : quick;
}

}  // namespace

TEST_CASE("model: random experiments run as in the plain model", "[model]") {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + seeds(); ++seed) {
        Dice dice(seed);
        const PlainCase random = random_case(dice);
        if (difference(random)) {
            const PlainCase small = shrunk(random);
            FAIL("seed " << seed << "\n" << *difference(small) << as_experiment(small));
        }
    }
    SUCCEED();
}
