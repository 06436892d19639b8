#include "core/elastic_quota/quota_admission.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "quota_amounts.hpp"

using namespace berth;
using core::AdmissionRules;
using core::Amount;
using core::QuotaLimit;
using core::QuotaRefusal;
using core::QuotaTrees;
using tests::amounts;
using Reason = QuotaRefusal::Reason;

namespace {

constexpr std::uint64_t first = 1;   ///< The bit of resource 0.
constexpr std::uint64_t second = 2;  ///< The bit of resource 1.

core::QuotaSpec spec(std::string name,
                     std::string parent,
                     core::ResourceList min,
                     core::ResourceList max,
                     bool is_parent) {
    core::QuotaSpec out;
    out.name = std::move(name);
    out.parent = std::move(parent);
    out.min = std::move(min);
    out.max = std::move(max);
    out.is_parent = is_parent;
    return out;
}

struct Uses {
    std::string quota;
    std::vector<Amount> amounts;
    bool preemptible = true;
};

struct Row {
    std::string what;
    std::vector<Uses> used;
    std::vector<Amount> request;
    bool preemptible = true;
    AdmissionRules rules = {};
    std::optional<Reason> reason = std::nullopt;
    std::uint64_t exceeded = 0;
    std::string by = "q";
    std::string quota = "q";
    core::Members pods = 1;
};

/// The cluster has 100 of each resource. G (max 90) stands above P (60, 50), and P above q and r,
/// which have a max of 40 of each and a min of 20 of the first alone. The pods that wait in q ask
/// for all that q may have.
QuotaTrees sound_trees() {
    QuotaTrees trees(2);
    trees.set_cluster_total(amounts({{0, 100}, {1, 100}}));
    trees.add(spec("G", "", amounts({{0, 50}}), amounts({{0, 90}, {1, 90}}), true));
    trees.add(spec("P", "G", amounts({{0, 50}}), amounts({{0, 60}, {1, 50}}), true));
    trees.add(spec("q", "P", amounts({{0, 20}}), amounts({{0, 40}, {1, 40}}), false));
    trees.add(spec("r", "P", amounts({{0, 20}}), amounts({{0, 40}, {1, 40}}), false));
    trees.add_request(trees.find("q").value(), std::vector<Amount>{50, 50}, 1);
    return trees;
}

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.what);
        QuotaTrees trees = sound_trees();
        for (const Uses& uses : row.used) {
            trees.add_used(trees.find(uses.quota).value(), uses.amounts, 1, uses.preemptible);
        }
        std::uint64_t keys = 0;
        for (std::size_t r = 0; r < row.request.size(); ++r) {
            keys |= row.request[r] > 0 ? std::uint64_t{1} << r : 0;
        }
        const auto refusal = core::check_admission(trees,
                                                   trees.find(row.quota).value(),
                                                   row.request,
                                                   keys,
                                                   row.pods,
                                                   row.preemptible,
                                                   row.rules);
        CHECK(refusal.has_value() == row.reason.has_value());
        if (refusal && row.reason) {
            CHECK(refusal->reason == *row.reason);
            CHECK(refusal->exceeded == row.exceeded);
            CHECK(trees.name(refusal->quota) == row.by);
        }
    }
}

AdmissionRules limit(QuotaLimit by) {
    AdmissionRules rules;
    rules.limit = by;
    return rules;
}

AdmissionRules with_parents() {
    AdmissionRules rules;
    rules.check_parents = true;
    return rules;
}

}  // namespace

TEST_CASE("quota admission: used and requested within the runtime", "[core][quota]") {
    check({
        {"10 + 30 = 40", {{"q", {10, 0}}}, {30, 0}},
        {"10 + 31 > 40", {{"q", {10, 0}}}, {31, 0}, true, {}, Reason::limit, first},
        {"both resources", {{"q", {10, 10}}}, {31, 31}, true, {}, Reason::limit, first | second},
        {"over in one that the pod does not ask for",
         {{"q", {0, 41}}},
         {1, 0},
         true,
         {},
         Reason::limit,
         second},
        {"even a pod that asks for nothing",
         {{"q", {0, 41}}},
         {0, 0},
         true,
         {},
         Reason::limit,
         second},
        {"exactly at the limit there is room for a pod that asks for nothing of it",
         {{"q", {0, 40}}},
         {1, 0}},
        {"4 pods of 10", {}, {10, 0}, true, {}, std::nullopt, 0, "q", "q", 4},
        {"5 pods of 10", {}, {10, 0}, true, {}, Reason::limit, first, "q", "q", 5},
        // r asks for nothing, so its runtime is 0 and the pod's own request exceeds it.
        {"no request of its own yet", {}, {1, 0}, true, {}, Reason::limit, first, "r", "r"},
    });
}

TEST_CASE("quota admission: what cannot be preempted stays within min", "[core][quota]") {
    check({
        {"15 + 5 = 20", {{"q", {15, 0}, false}}, {5, 0}, false},
        {"15 + 6 > 20", {{"q", {15, 0}, false}}, {6, 0}, false, {}, Reason::min, first},
        {"a pod that can be preempted may go on", {{"q", {15, 0}, false}}, {6, 0}, true},
        {"what can be preempted does not count", {{"q", {15, 0}}}, {20, 0}, false},
        {"min says nothing of the second resource: up to the runtime",
         {{"q", {0, 30}, false}},
         {0, 10},
         false},
        {"over min in a resource that it does not ask for",
         {{"q", {21, 0}, false}},
         {0, 1},
         false,
         {},
         Reason::min,
         first},
        {"the limit is looked at first",
         {{"q", {30, 0}, false}},
         {11, 0},
         false,
         {},
         Reason::limit,
         first},
    });
}

TEST_CASE("quota admission: min counts unscaled", "[core][quota]") {
    QuotaTrees trees = sound_trees();
    // P gets 20 x 50 / 50 = 20, of which 20 x 20 / 40 = 10 are the min of q; r leaves q the rest.
    trees.set_cluster_total(amounts({{0, 20}, {1, 100}}));
    const core::QuotaId q = trees.find("q").value();
    CHECK(trees.scaled_min(q, 0) == 10);
    CHECK(trees.runtime(q, 0) == 20);
    const std::vector<Amount> all{20, 0};
    CHECK_FALSE(core::check_admission(trees, q, all, first, 1, false, {}).has_value());
}

TEST_CASE("quota admission: the quotas above, if they are asked", "[core][quota]") {
    // P's runtime is 40, which is what q asks for; with the 20 of r it is 60.
    check({
        {"P has 25 + 16 > 40 of the first", {{"r", {25, 0}}}, {16, 0}},
        {"the same, asked",
         {{"r", {25, 0}}},
         {16, 0},
         true,
         with_parents(),
         Reason::parent,
         first,
         "P"},
        {"25 + 15 = 40", {{"r", {25, 0}}}, {15, 0}, true, with_parents()},
        {"P is over in what the pod does not ask for",
         {{"r", {0, 45}}},
         {1, 0},
         true,
         with_parents()},
        {"its own limit first",
         {{"q", {40, 0}}, {"r", {25, 0}}},
         {1, 0},
         true,
         with_parents(),
         Reason::limit,
         first,
         "q"},
        {"the nearest first, though G is exceeded too",
         {{"r", {25, 0}}},
         {40, 0},
         true,
         with_parents(),
         Reason::parent,
         first,
         "P"},
    });
}

TEST_CASE("quota admission: a fixed limit instead of the runtime", "[core][quota]") {
    AdmissionRules max_of_parents = limit(QuotaLimit::max);
    max_of_parents.check_parents = true;
    check({
        {"max: r asks for nothing, and may have 40 all the same",
         {},
         {40, 40},
         true,
         limit(QuotaLimit::max),
         std::nullopt,
         0,
         "r",
         "r"},
        {"max: 41", {}, {41, 0}, true, limit(QuotaLimit::max), Reason::limit, first},
        {"max of P: 30 + 31 > 60",
         {{"r", {30, 0}}},
         {31, 0},
         true,
         max_of_parents,
         Reason::parent,
         first,
         "P"},
        {"min: 20", {}, {20, 0}, true, limit(QuotaLimit::min)},
        {"min: 21", {}, {21, 0}, true, limit(QuotaLimit::min), Reason::limit, first},
        {"min: nothing of what max names and min does not",
         {},
         {0, 1},
         true,
         limit(QuotaLimit::min),
         Reason::limit,
         second},
    });
}

TEST_CASE("quota admission: a resource that max lacks has no limit", "[core][quota]") {
    QuotaTrees trees(2);
    trees.set_cluster_total(amounts({{0, 100}, {1, 100}}));
    trees.add(spec("A", "", amounts({{0, 5}}), amounts({{0, 10}}), false));
    const core::QuotaId a = trees.find("A").value();
    trees.add_request(a, std::vector<Amount>{10, 0}, 1);
    const std::vector<Amount> request{10, 1'000'000};
    for (const QuotaLimit by : {QuotaLimit::runtime, QuotaLimit::max}) {
        CHECK_FALSE(core::check_admission(trees, a, request, first | second, 1, true, limit(by))
                        .has_value());
    }
}

TEST_CASE("quota admission: the default group has the limit it was given", "[core][quota]") {
    QuotaTrees trees = sound_trees();
    const auto refused = [&](std::vector<Amount> request, const AdmissionRules& rules) {
        return core::check_admission(
                   trees, QuotaTrees::default_quota, request, first | second, 1, true, rules)
            .has_value();
    };
    CHECK_FALSE(refused({1000, 1000}, {}));
    trees.set_special_max(QuotaTrees::default_quota, amounts({{0, 7}}));
    CHECK_FALSE(refused({7, 1000}, {}));
    CHECK(refused({8, 0}, {}));
    // The real system forgets that max where runtimes limit.
    AdmissionRules published;
    published.default_group_max = false;
    CHECK_FALSE(refused({8, 0}, published));
    published.limit = QuotaLimit::max;
    CHECK(refused({8, 0}, published));
}
