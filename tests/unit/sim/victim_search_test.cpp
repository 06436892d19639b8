// Which candidates have to go, compared with the answer that trying all sets of them gives.

#include "sim/schedulers/profile/gang_preemption.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>

#include "tests/support/dice.hpp"

using namespace berth;

namespace {

/// A set of candidates, with a bit for each.
using Set = std::uint32_t;

/// The victims suffice as soon as all of any one of these sets are gone.
struct Needs {
    std::vector<Set> any_of;
    [[nodiscard]] bool met_by(Set gone) const {
        return std::ranges::any_of(any_of, [&](Set need) { return (need & ~gone) == 0; });
    }
};

struct Found {
    std::optional<Set> victims;
    Set gone_at_the_end = 0;
    int questions = 0;
};

Found search(std::size_t candidates, const Needs& needs) {
    Found found;
    Set gone = 0;
    sim::VictimSearch searching({[&](std::size_t i, bool goes) {
                                     const Set one = Set{1} << i;
                                     REQUIRE(((gone & one) != 0) != goes);
                                     gone ^= one;
                                 },
                                 [&] {
                                     ++found.questions;
                                     return needs.met_by(gone);
                                 }});
    if (const auto victims = searching.find(candidates)) {
        REQUIRE(std::ranges::is_sorted(*victims));
        found.victims = 0;
        for (const std::size_t i : *victims) {
            *found.victims |= Set{1} << i;
        }
    }
    found.gone_at_the_end = gone;
    return found;
}

/// Of all sets that suffice, the one that spares the candidate that would go last before any other:
/// the set with the smallest number.
std::optional<Set> tried_one_by_one(std::size_t candidates, const Needs& needs) {
    for (Set gone = 0; gone < Set{1} << candidates; ++gone) {
        if (needs.met_by(gone)) {
            return gone;
        }
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("victims: as one finds them who tries all sets", "[sim][quota]") {
    tests::Dice dice(7);
    int without = 0;
    for (int round = 0; round < 3'000; ++round) {
        const auto candidates = static_cast<std::size_t>(dice.roll(0, 9));
        Needs needs;
        for (std::int64_t i = dice.roll(0, 4); i > 0; --i) {
            needs.any_of.push_back(static_cast<Set>(dice.roll(1, 1'023)));
        }
        const Found found = search(candidates, needs);
        CAPTURE(round, candidates, needs.any_of);
        REQUIRE(found.victims == tried_one_by_one(candidates, needs));
        REQUIRE(found.gone_at_the_end == found.victims.value_or(0));
        without += found.victims ? 0 : 1;
    }
    CHECK(without > 500);
    CHECK(without < 2'700);
}

TEST_CASE("victims: few questions for few victims of many, or for none", "[sim][quota]") {
    const Found one = search(31, {{Set{1} << 30}});
    CHECK(one.victims == Set{1} << 30);
    CHECK(one.questions <= 5 + 1 + 2 * 5);
    const Found none = search(31, {});
    CHECK(!none.victims);
    CHECK(none.questions == 5);
}

TEST_CASE("victims: nobody where there is room already", "[sim][quota]") {
    CHECK(search(3, {{0}}).victims == Set{0});
}
