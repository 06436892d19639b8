// Compares the blocked list with a plain vector that is sorted anew.

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/index/sorted_children.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

namespace {

template <core::ChildOrder order>
void check_walk(const core::SortedChildren& list,
                std::vector<core::Child> shadow,
                core::Members min) {
    std::ranges::sort(shadow, core::TriedBefore<order>());
    if (order == core::ChildOrder::increasing_fit) {
        std::erase_if(shadow, [&](const core::Child& child) { return child.fit < min; });
    }
    auto cursor = list.walk(order, min);
    for (const core::Child& child : shadow) {
        REQUIRE_FALSE(cursor.done());
        REQUIRE(cursor.child().node == child.node);
        REQUIRE(cursor.child().fit == child.fit);
        cursor.next();
    }
    REQUIRE(cursor.done());
}

}  // namespace

TEST_CASE("sorted children: agree with a list that is sorted anew", "[property][sorted_children]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(20); ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const std::int64_t count = dice.roll(1, 700);
        const std::int64_t fits = dice.chance(50) ? 5 : 1000;  // many ties, or hardly any
        std::vector<core::Child> shadow;
        for (std::uint32_t node = 0; node < count; ++node) {
            shadow.push_back({dice.roll(-3, fits), core::NodeId{node}});
        }
        core::SortedChildren list(shadow);
        for (int step = 0; step < 400; ++step) {
            core::Child& child = shadow[static_cast<std::size_t>(dice.roll(0, count - 1))];
            const core::Members fit = dice.roll(-3, fits);
            list.change_fit(child.node, child.fit, fit);
            child.fit = fit;
            REQUIRE(list.size() == shadow.size());
            const core::Members min = dice.roll(-4, fits + 1);
            REQUIRE(list.count_below(min) ==
                    static_cast<std::size_t>(std::ranges::count_if(
                        shadow, [&](const core::Child& other) { return other.fit < min; })));
            if (step % 40 == 0) {
                check_walk<core::ChildOrder::increasing_fit>(list, shadow, min);
                check_walk<core::ChildOrder::decreasing_fit>(list, shadow, min);
            }
        }
    }
}
