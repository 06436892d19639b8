#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

#include "sim/job/demand.hpp"

using namespace berth;
using core::Amount;
using sim::Demand;

namespace {

std::vector<Amount> random_amounts(std::mt19937& random) {
    std::vector<Amount> amounts(random() % 9);
    for (Amount& amount : amounts) {
        amount = static_cast<Amount>(random() % 3);
    }
    return amounts;
}

}  // namespace

TEST_CASE("demand: a demand is a vector of amounts, few or many", "[sim][job]") {
    std::mt19937 random(1);
    for (int i = 0; i < 2'000; ++i) {
        std::vector<Amount> plain = random_amounts(random);
        Demand demand = plain;
        REQUIRE(demand.in_a_vector() == plain);
        Demand copy = demand;
        copy.resize(copy.size() + 1);
        REQUIRE(demand.in_a_vector() == plain);  // a copy is independent

        plain.push_back(4);
        demand.push_back(4);
        REQUIRE(demand.in_a_vector() == plain);
        const std::size_t size = random() % 9;
        plain.resize(size);
        demand.resize(size);
        REQUIRE(demand.in_a_vector() == plain);
        if (!plain.empty()) {
            plain[0] += 5;
            demand[0] += 5;
        }
        Demand moved = std::move(demand);
        REQUIRE(moved.in_a_vector() == plain);
        demand = moved;
        REQUIRE(demand.in_a_vector() == plain);

        const std::vector<Amount> other = random_amounts(random);
        REQUIRE((moved == Demand(other)) == (plain == other));
        REQUIRE((moved < Demand(other)) == (plain < other));
        moved = Demand(other);
        REQUIRE(moved.in_a_vector() == other);
    }
}

TEST_CASE("demand: amounts that a demand gains are none", "[sim][job]") {
    Demand demand{1, 2, 3, 4, 5, 6};
    demand.resize(1);
    demand.resize(4);
    CHECK(demand == Demand{1, 0, 0, 0});
    demand.resize(7);
    CHECK(demand == Demand{1, 0, 0, 0, 0, 0, 0});
    CHECK(Demand().empty());
}
