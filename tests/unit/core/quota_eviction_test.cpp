#include "core/elastic_quota/quota_eviction.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "quota_amounts.hpp"

using namespace berth;
using core::Amount;
using core::PreemptionCode;
using core::QuotaPod;
using core::ResourceList;
using core::RevokeRules;
using tests::amounts;

namespace {

/// A preemptible pod that uses resource 0 alone.
QuotaPod pod(std::int32_t priority, std::int64_t start, Amount amount) {
    return {priority, start, amounts({{0, amount}}), true};
}

QuotaPod fixed(std::int32_t priority, std::int64_t start, Amount amount) {
    QuotaPod out = pod(priority, start, amount);
    out.preemptible = false;
    return out;
}

using Indices = std::vector<std::size_t>;

struct Row {
    std::string what;
    ResourceList used;
    ResourceList limit;
    std::vector<QuotaPod> pods;
    Indices revoked;
};

void check(const std::vector<Row>& rows, RevokeRules rules) {
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(core::pods_to_revoke(row.used, row.limit, row.pods, rules) == row.revoked);
    }
}

ResourceList one(Amount amount) {
    return amounts({{0, amount}});
}

}  // namespace

TEST_CASE("quota eviction: the least important go until use is within the limit", "[core][quota]") {
    const std::vector<Row> rows{
        {"not over", one(10), one(10), {pod(0, 0, 5), pod(0, 1, 5)}, {}},
        {"the lower priority goes, though it started first",
         one(10),
         one(8),
         {pod(0, 0, 5), pod(1, 9, 5)},
         {0}},
        {"of one priority the later start goes",
         one(10),
         one(8),
         {pod(0, 0, 5), pod(0, 9, 5)},
         {1}},
        {"of one start the later arrival goes", one(10), one(8), {pod(0, 3, 5), pod(0, 3, 5)}, {1}},
        {"two go, the more important of them first",
         one(9),
         one(5),
         {pod(1, 0, 3), pod(0, 0, 3), pod(0, 5, 3)},
         {1, 2}},
        {"what was taken first and fits beside the rest stays: 10 - 1 - 5 + 1 <= 6",
         one(10),
         one(6),
         {pod(0, 0, 1), pod(1, 0, 5), pod(2, 0, 4)},
         {1}},
        {"the most important is given back first: of 5 spare, 4 and not 3",
         one(20),
         one(11),
         {pod(0, 0, 3), pod(1, 0, 4), pod(2, 0, 7), pod(3, 0, 6)},
         {2, 0}},
        {"one that cannot be preempted is passed over",
         one(10),
         one(6),
         {pod(3, 0, 5), fixed(0, 0, 5)},
         {0}},
        {"not enough: all that can go, the least important first",
         one(12),
         one(3),
         {pod(1, 0, 4), pod(0, 0, 4), fixed(0, 0, 4)},
         {1, 0}},
        {"nothing can go", one(12), one(3), {fixed(1, 0, 4), fixed(0, 0, 8)}, {}},
        {"a resource without a limit is not over",
         amounts({{0, 5}, {1, 99}}),
         one(5),
         {pod(0, 0, 5)},
         {}},
    };
    check(rows, RevokeRules::documented);
    check(rows, RevokeRules::published);
}

TEST_CASE("quota eviction: over in any resource is over", "[core][quota]") {
    // The use is 10 and 10 where 8 and 5 are allowed: a pod has 2 of the first alone, another 5 of
    // the second.
    const QuotaPod small{0, 0, amounts({{0, 2}}), true};
    const QuotaPod large{1, 0, amounts({{1, 5}}), true};
    const ResourceList used = amounts({{0, 10}, {1, 10}});
    const ResourceList limit = amounts({{0, 8}, {1, 5}});
    check({{"both must go", used, limit, {small, large}, {1, 0}}}, RevokeRules::documented);
    // By the published rules, once the small pod is taken only its resource is looked at, and the
    // second is forgotten.
    check({{"the second resource is forgotten", used, limit, {small, large}, {0}}},
          RevokeRules::published);
}

TEST_CASE("quota eviction: a pod is given back only if no resource is over", "[core][quota]") {
    // The use is 9 and 9 where 6 and 9 are allowed. The low pod is taken (9 - 1 = 8), then the high
    // one (4). The high one is not given back; the low one is, with its 1 of the first and 4 of the
    // second.
    const QuotaPod low{0, 0, amounts({{0, 1}, {1, 4}}), true};
    const QuotaPod high{1, 0, amounts({{0, 4}, {1, 1}}), true};
    check({{"documented", amounts({{0, 9}, {1, 9}}), amounts({{0, 6}, {1, 9}}), {low, high}, {1}}},
          RevokeRules::documented);
}

// Preemption --------------------------------------------------------------------------------------

namespace {

struct Node {
    std::string what;
    Amount request = 0;
    Amount available = 0;
    Amount used = 0;
    ResourceList limit;
    std::vector<QuotaPod> pods;
    PreemptionCode code = PreemptionCode::success;
    Indices victims;
};

void check(const std::vector<Node>& rows) {
    for (const Node& row : rows) {
        CAPTURE(row.what);
        const core::PreemptionView view{one(row.request),
                                        amounts({{0, row.available}, {1, 100}}),
                                        amounts({{0, row.used}, {1, 0}}),
                                        row.limit,
                                        amounts({{0, 0}, {1, 0}})};
        const core::Victims victims = core::select_victims(view, row.pods);
        CHECK(victims.code == row.code);
        CHECK(victims.pods == row.victims);
    }
}

}  // namespace

TEST_CASE("quota preemption: the victims on one node", "[core][quota]") {
    check({
        {"nobody there", 1, 0, 0, one(10), {}, PreemptionCode::unresolvable, {}},
        {"too little even without all of them",
         9,
         0,
         8,
         one(10),
         {pod(0, 0, 4), pod(1, 0, 4)},
         PreemptionCode::unschedulable,
         {}},
        {"for room: the more important one is spared",
         4,
         0,
         8,
         one(100),
         {pod(1, 0, 4), pod(0, 0, 4)},
         PreemptionCode::success,
         {1}},
        {"for room: the earlier start is spared",
         4,
         0,
         8,
         one(100),
         {pod(0, 5, 4), pod(0, 1, 4)},
         PreemptionCode::success,
         {0}},
        {"for the quota: 4 + 4 = 8 spares one, 8 + 4 > 8 not both",
         4,
         100,
         8,
         one(8),
         {pod(0, 0, 4), pod(1, 0, 4)},
         PreemptionCode::success,
         {0}},
        {"all fit, all are spared", 1, 1, 2, one(100), {pod(0, 0, 1), pod(0, 0, 1)}, {}, {}},
        {"two victims, as they fail to be spared",
         6,
         0,
         9,
         one(100),
         {pod(0, 0, 3), pod(2, 0, 3), pod(1, 0, 3)},
         PreemptionCode::success,
         {2, 0}},
        {"a small one behind a victim is spared: 7 free, 5 wanted",
         5,
         0,
         7,
         one(100),
         {pod(1, 0, 5), pod(0, 0, 2)},
         PreemptionCode::success,
         {0}},
        {"neither fits nor is within the quota: the program gives up the node",
         4,
         0,
         20,
         one(10),
         {pod(0, 0, 4)},
         PreemptionCode::error,
         {}},
        {"the quota is over whoever goes: they go in vain",
         4,
         100,
         20,
         one(10),
         {pod(0, 0, 4), pod(1, 0, 4)},
         PreemptionCode::success,
         {1, 0}},
        {"use does not fall below 0: 0 + 4 + 3 > 6, though 2 + 3 is not",
         3,
         100,
         2,
         one(6),
         {pod(0, 0, 4)},
         PreemptionCode::success,
         {0}},
        {"a limit in what it does not ask for is not looked at",
         1,
         100,
         5,
         amounts({{1, -1}}),
         {pod(0, 0, 1)},
         PreemptionCode::success,
         {}},
    });
}

TEST_CASE("quota preemption: what does not count for the quota frees nothing of it",
          "[core][quota]") {
    // The quota counts resource 1 alone. One pod holds 4 of the 5 that are used of it, and another
    // pod holds 4 of resource 0.
    const core::PreemptionView view{amounts({{0, 2}, {1, 2}}),
                                    amounts({{0, 9}, {1, 9}}),
                                    amounts({{1, 5}}),
                                    amounts({{1, 5}}),
                                    amounts({{1, 0}})};
    const std::vector<QuotaPod> pods{{0, 0, amounts({{0, 4}}), true},
                                     {1, 0, amounts({{1, 4}}), true}};
    const core::Victims victims = core::select_victims(view, pods);
    CHECK(victims.code == PreemptionCode::success);
    CHECK(victims.pods == Indices{1});
}

TEST_CASE("quota preemption: victims are those without whom the node serves", "[core][quota]") {
    // Nothing is free on the node, and the preemptor wants two units. Any two pods would do, but it
    // wants what the first two have together, like two halves of one GPU.
    const core::PreemptionView view{
        amounts({{0, 2}}), amounts({{0, 0}}), amounts({}), amounts({}), amounts({})};
    const std::vector<QuotaPod> pods{{2, 0, amounts({{0, 1}}), true},
                                     {2, 1, amounts({{0, 1}}), true},
                                     {1, 0, amounts({{0, 1}}), true},
                                     {9, 0, amounts({{0, 1}}), true}};
    CHECK(core::select_victims(view, pods).pods == Indices{1, 2});
    const auto serves = [](std::span<const std::size_t> gone) {
        return std::ranges::count(gone, 0U) == 1 && std::ranges::count(gone, 1U) == 1;
    };
    CHECK(core::select_victims(view, pods, serves).pods == Indices{0, 1});
    const auto never = [](std::span<const std::size_t> /*gone*/) { return false; };
    CHECK(core::select_victims(view, pods, never).code == PreemptionCode::unschedulable);
}
