#include <catch2/catch.hpp>
#include <numeric>
#include <string>

#include "core/elastic_quota/water_filling.hpp"

using namespace berth;
using core::Amount;
using core::Share;

namespace {

struct Sibling {
    Amount min = 0;
    Amount weight = 0;
    Amount request = 0;
    bool lent = true;
};

std::vector<Amount> share(Amount total, const std::vector<Sibling>& siblings) {
    std::vector<Share> shares;
    for (const Sibling& sibling : siblings) {
        shares.push_back({sibling.request, sibling.weight, sibling.min, 0, sibling.lent});
    }
    core::WaterFilling().share(total, shares);
    std::vector<Amount> runtimes;
    for (const Share& share : shares) {
        runtimes.push_back(share.runtime);
    }
    return runtimes;
}

}  // namespace

TEST_CASE("water filling: what each sibling gets", "[core][quota]") {
    struct Row {
        std::string what;
        Amount total;
        std::vector<Sibling> siblings;
        std::vector<Amount> runtimes;
    };
    const Row row = GENERATE(values<Row>({
        // The mins, up to the requests, are 5 + 15 + 20 + 15 and leave 45, which go 14 + 12 + 19 by
        // 60:50:80. B gives 9 back, which go 3 + 6 by 50:80.
        {"the seed's worked example",
         100,
         {{10, 40, 5}, {15, 60, 20}, {20, 50, 40}, {15, 80, 70}},
         {5, 20, 35, 40}},
        {"the seed's first figure, in which C asks for 30",
         100,
         {{10, 40, 5}, {15, 60, 20}, {20, 50, 30}, {15, 80, 70}},
         {5, 20, 30, 45}},
        {"who does not lend keeps its min", 10, {{6, 1, 0, false}, {0, 1, 9}}, {6, 4}},
        {"a weight of 0 gets its min and no more", 10, {{2, 0, 9}, {2, 1, 3}}, {2, 3}},
        {"nothing left: min, even if the sum is more", 5, {{4, 1, 9}, {4, 1, 9}}, {4, 4}},
        {"a negative total is none left", -5, {{4, 1, 2}, {0, 1, 9}}, {2, 0}},
        {"the largest remainder gets the odd unit", 10, {{0, 2, 99}, {0, 1, 99}}, {7, 3}},
        {"equal remainders: the first by name", 1, {{0, 1, 9}, {0, 1, 9}, {0, 1, 9}}, {1, 0, 0}},
        {"nobody", 10, {}, {}},
        // Three weights of 2^63 / 2 add up beyond 64 bits: the published program then shares
        // nothing.
        {"a sum of weights beyond 64 bits",
         90,
         {{0, INT64_MAX / 2, 99}, {0, INT64_MAX / 2, 99}, {0, INT64_MAX / 2, 99}},
         {30, 30, 30}},
    }));
    CAPTURE(row.what);
    CHECK(share(row.total, row.siblings) == row.runtimes);
}

TEST_CASE("water filling: large amounts lose no unit", "[core][quota]") {
    const Amount total = (Amount{1} << 55) + 12345;
    std::vector<Sibling> siblings;
    for (Amount i = 1; i <= 1000; ++i) {
        siblings.push_back({0, (Amount{1} << 40) + i * i, INT64_MAX, true});
    }
    const std::vector<Amount> large = share(total, siblings);
    CHECK(std::accumulate(large.begin(), large.end(), Amount{0}) == total);
    // Below 2^54 quotients come from doubles; they agree with 128-bit division to the unit.
    const Amount smaller = (Amount{1} << 53) + 12345;
    const std::vector<Amount> runtimes = share(smaller, siblings);
    CHECK(std::accumulate(runtimes.begin(), runtimes.end(), Amount{0}) == smaller);
    __extension__ using Wide = __int128;
    Wide weights = 0;
    for (const Sibling& sibling : siblings) {
        weights += sibling.weight;
    }
    for (std::size_t i = 0; i < siblings.size(); ++i) {
        const auto exact = static_cast<Amount>(Wide{siblings[i].weight} * smaller / weights);
        REQUIRE((runtimes[i] == exact || runtimes[i] == exact + 1));
    }
}

TEST_CASE("water filling: a request above the water line changes nothing", "[core][quota]") {
    std::vector<Share> shares{{50, 1, 0, 0, true}, {40, 1, 0, 0, true}, {3, 1, 0, 0, true}};
    core::WaterFilling().share(30, shares);
    CHECK(shares[0].runtime == 14);  // the third uses 3 of its 10, the rest goes by halves
    CHECK(shares[0].indifferent_to(1000));
    CHECK(shares[0].indifferent_to(15));
    CHECK_FALSE(shares[0].indifferent_to(14));
    CHECK_FALSE(shares[2].indifferent_to(4));
    const Share kept{1, 1, 5, 5, false};
    CHECK(kept.indifferent_to(4));
    CHECK_FALSE(kept.indifferent_to(6));
}
