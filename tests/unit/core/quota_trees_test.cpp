#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "quota_amounts.hpp"

using namespace berth;
using core::Amount;
using core::QuotaId;
using core::QuotaTrees;
using tests::amounts;
using tests::inner;
using tests::leaf;
using tests::not_lent;
using tests::Trees;
using tests::weighing;

namespace {

struct Ask {
    std::string quota;
    Amount amount = 0;
};

struct Row {
    std::string what;  ///< What the row shows, with the equation.
    Amount total = 0;
    std::vector<core::QuotaSpec> quotas;
    std::vector<Ask> asks;
    std::map<std::string, Amount> runtimes;
    bool scale_min = true;
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        Trees trees(row.total, row.scale_min);
        trees.add(row.quotas);
        for (const Ask& ask : row.asks) {
            trees.ask(ask.quota, ask.amount);
        }
        for (const auto& [name, runtime] : row.runtimes) {
            CAPTURE(row.what, name);
            CHECK(trees.runtime(name) == runtime);
        }
    }
}

}  // namespace

TEST_CASE("quota trees: what is left above min goes by weight", "[core][quota]") {
    const std::vector<core::QuotaSpec> seed{
        leaf("A", 10, 40), leaf("B", 15, 60), leaf("C", 20, 50), leaf("D", 15, 80)};
    check({
        {"5 + 15 + 20 + 15 first; 45 x 60, 50, 80 / 190 = 14, 12, 19; B's 9 x 50, 80 / 130 = 3, 6",
         100,
         seed,
         {{"A", 5}, {"B", 20}, {"C", 40}, {"D", 70}},
         {{"A", 5}, {"B", 20}, {"C", 35}, {"D", 40}}},
        {"the same, C asks for 30: it leaves what it does not want to D",
         100,
         seed,
         {{"A", 5}, {"B", 20}, {"C", 30}, {"D", 70}},
         {{"A", 5}, {"B", 20}, {"C", 30}, {"D", 45}}},
        {"nobody asks: nobody gets", 100, seed, {}, {{"A", 0}, {"B", 0}, {"C", 0}, {"D", 0}}},
        {"max is the most, however much is there", 1000, seed, {{"A", 500}}, {{"A", 40}}},
        {"a stated weight: 10 x 1, 4 / 5",
         10,
         {weighing(leaf("A", 0, 50), 1), weighing(leaf("B", 0, 50), 4)},
         {{"A", 50}, {"B", 50}},
         {{"A", 2}, {"B", 8}}},
        {"ties go by name: 1 / 2 each, and A is first",
         1,
         {leaf("B", 0, 5), leaf("A", 0, 5)},
         {{"A", 5}, {"B", 5}},
         {{"A", 1}, {"B", 0}}},
        {"weight 0 gets its min and no more; what is left stays unused",
         100,
         {weighing(leaf("A", 10, 50), 0)},
         {{"A", 50}},
         {{"A", 10}}},
    });
}

TEST_CASE("quota trees: requests go up to max, and up the tree", "[core][quota]") {
    Trees trees(100);
    trees.add({inner("P", 0, 40), leaf("c1", 0, 10, "P"), leaf("c2", 0, 20, "P")});
    trees.ask("c1", 50);
    trees.ask("c2", 15);
    QuotaTrees& quotas = trees.quotas;
    CHECK(quotas.request(trees.id("c1"), 0) == 50);
    CHECK(quotas.limited_request(trees.id("c1"), 0) == 10);
    CHECK(quotas.child_request(trees.id("P"), 0) == 10 + 15);
    CHECK(quotas.child_request(QuotaTrees::default_root, 0) == 25);
    quotas.update(trees.id("P"), inner("P", 0, 20));
    CHECK(quotas.child_request(trees.id("P"), 0) == 25);
    CHECK(quotas.limited_request(trees.id("P"), 0) == 20);
    CHECK(quotas.child_request(QuotaTrees::default_root, 0) == 20);
    // The children share P's 20: c1 asks for 10 and c2 for 15, so they get 20 x 10 / 30 = 7 and 20
    // x 20 / 30 = 13.
    CHECK(trees.runtime("c1") == 7);
    CHECK(trees.runtime("c2") == 13);
}

TEST_CASE("quota trees: what does not lend keeps its min", "[core][quota]") {
    Trees trees(100);
    trees.add({inner("P", 30, 60), not_lent(leaf("N", 10, 20, "P")), leaf("L", 10, 60, "P")});
    trees.ask("N", 3);
    trees.ask("L", 60);
    const QuotaId n = trees.id("N");
    CHECK(trees.quotas.child_request(n, 0) == 3);
    CHECK(trees.quotas.request(n, 0) == 10);
    CHECK(trees.quotas.limited_request(n, 0) == 10);
    CHECK(trees.quotas.child_request(trees.id("P"), 0) == 70);
    CHECK(trees.runtime("P") == 60);
    CHECK(trees.runtime("N") == 10);
    CHECK(trees.runtime("L") == 50);
}

TEST_CASE("quota trees: min shrinks where the parent has less", "[core][quota]") {
    check({
        {"10 x 7, 11, 12 / 30 = 2, 3, 4; the 1 left goes to the largest remainder of weight",
         10,
         {leaf("A", 7, 7), leaf("B", 11, 11), leaf("C", 12, 12)},
         {{"A", 7}, {"B", 11}, {"C", 12}},
         {{"A", 2}, {"B", 3}, {"C", 5}}},
        {"without scaling each has its min, though there are only 10",
         10,
         {leaf("A", 7, 7), leaf("B", 11, 11), leaf("C", 12, 12)},
         {{"A", 7}, {"B", 11}, {"C", 12}},
         {{"A", 7}, {"B", 11}, {"C", 12}},
         false},
        {"P asks for 10 and hands down 10: mins of 5; b leaves its to a",
         100,
         {inner("P", 20, 40), leaf("a", 10, 20, "P"), leaf("b", 10, 20, "P")},
         {{"a", 10}},
         {{"P", 10}, {"a", 10}, {"b", 0}}},
        {"the same with weight 0: a gets less than the min it asks for",
         100,
         {inner("P", 20, 40), weighing(leaf("a", 10, 20, "P"), 0), leaf("b", 10, 20, "P")},
         {{"a", 10}},
         {{"P", 10}, {"a", 5}, {"b", 0}}},
        {"nothing there: no min at all", 0, {leaf("A", 7, 7)}, {}, {{"A", 0}}},
    });
}

TEST_CASE("quota trees: a total that was never known scales nothing", "[core][quota]") {
    Trees trees(0);
    trees.add({leaf("A", 7, 20)});
    trees.ask("A", 20);
    CHECK(trees.runtime("A") == 7);
    trees.quotas.set_cluster_total(amounts({{0, 12}}));
    CHECK(trees.runtime("A") == 12);
    trees.quotas.set_cluster_total(amounts({{0, 0}}));
    CHECK(trees.runtime("A") == 0);
    CHECK(trees.quotas.scaled_min(trees.id("A"), 0) == 0);
}

TEST_CASE("quota trees: a quota with another parent takes all with it", "[core][quota]") {
    Trees trees(100);
    trees.add({inner("P", 0, 50), inner("Q", 0, 50), leaf("x", 0, 30, "P"), leaf("y", 0, 9, "P")});
    trees.ask("x", 40);
    trees.ask("y", 5);
    trees.use("x", 12);
    trees.quotas.update(trees.id("x"), leaf("x", 0, 30, "Q"));
    CHECK(trees.quotas.limited_request(trees.id("P"), 0) == 5);
    CHECK(trees.quotas.limited_request(trees.id("Q"), 0) == 30);
    CHECK(trees.quotas.used(trees.id("P"), 0) == 0);
    CHECK(trees.quotas.used(trees.id("Q"), 0) == 12);
    CHECK(trees.quotas.used(QuotaTrees::default_root, 0) == 12);
    CHECK(trees.runtime("x") == 30);
}

TEST_CASE("quota trees: a family that is new is looked at", "[core][quota]") {
    Trees trees(100);
    trees.add({inner("P", 0, 50), leaf("A", 0, 50)});
    std::vector<bool> over;
    trees.quotas.find_over_use(over);
    CHECK(over == std::vector<bool>(trees.quotas.count(), false));
    // P had no children before; c uses 6 and asks for 2.
    trees.add({leaf("c", 0, 50, "P")});
    trees.ask("c", 2);
    trees.use("c", 6);
    trees.quotas.find_over_use(over);
    CHECK(over[trees.id("c").index]);
    CHECK(over[trees.id("P").index]);
    CHECK_FALSE(over[trees.id("A").index]);
    trees.ask("c", 4);
    trees.quotas.find_over_use(over);
    CHECK(over == std::vector<bool>(trees.quotas.count(), false));
    CHECK(trees.quotas.refreshed_runtime(trees.id("c"), 0) == 6);
}

TEST_CASE("quota trees: own pods count in the resources of max", "[core][quota]") {
    Trees trees(100);
    trees.add({leaf("A", 0, 30)});
    const QuotaId a = trees.id("A");
    trees.quotas.add_request(a, std::vector<Amount>{4, 6}, 2);
    trees.quotas.add_used(a, std::vector<Amount>{4, 6}, 1, true);
    CHECK(trees.quotas.request(a, 1) == 0);
    CHECK(trees.quotas.used(a, 1) == 0);
    core::QuotaSpec both = leaf("A", 0, 30);
    both.max = amounts({{0, 30}, {1, 5}});
    trees.quotas.update(a, both);
    CHECK(trees.quotas.request(a, 1) == 12);
    CHECK(trees.quotas.limited_request(a, 1) == 5);
    CHECK(trees.quotas.used(a, 1) == 6);
    CHECK(trees.quotas.used(QuotaTrees::default_root, 1) == 6);
    trees.quotas.update(a, leaf("A", 0, 30));
    CHECK(trees.quotas.used(QuotaTrees::default_root, 1) == 0);
}

TEST_CASE("quota trees: no limit where the parent's max has none", "[core][quota]") {
    Trees trees(100);
    core::QuotaSpec child = leaf("c", 0, 10, "P");
    child.max = amounts({{0, 10}, {1, 4}});
    trees.add({inner("P", 0, 50)});
    trees.quotas.add(child);
    trees.quotas.add_request(trees.id("c"), std::vector<Amount>{3, 9}, 1);
    CHECK(trees.quotas.runtime(trees.id("c"), 0) == 3);
    CHECK_FALSE(trees.quotas.runtime(trees.id("c"), 1).has_value());
    // At the root the resources of all quotas count: P, which has none of 1, gets none.
    CHECK(trees.quotas.runtime(trees.id("P"), 1) == 0);
}

TEST_CASE("quota trees: the special groups take what they use from the total", "[core][quota]") {
    Trees trees(100);
    trees.add({leaf("A", 0, 200)});
    trees.ask("A", 200);
    CHECK(trees.runtime("A") == 100);
    // Their weight is 0, so their requests take nothing.
    trees.ask(core::default_quota_name, 1000);
    trees.ask(core::system_quota_name, 1000);
    CHECK(trees.runtime("A") == 100);
    trees.use(core::default_quota_name, 30);
    CHECK(trees.runtime("A") == 70);
    trees.use(core::system_quota_name, 45);
    CHECK(trees.runtime("A") == 25);
    CHECK(trees.quotas.total(QuotaTrees::default_root)[0] == 25);
    trees.use(core::system_quota_name, 40);
    CHECK(trees.quotas.total(QuotaTrees::default_root)[0] == -15);
    CHECK(trees.runtime("A") == 0);
    for (const QuotaId special : {QuotaTrees::default_quota, QuotaTrees::system_quota}) {
        CHECK_FALSE(trees.quotas.runtime(special, 0).has_value());
    }
}

TEST_CASE("quota trees: a tree of its own has its own total", "[core][quota]") {
    const bool ignored = GENERATE(false, true);
    CAPTURE(ignored);
    Trees trees(100);
    core::QuotaSpec top = inner("T", 0, 20);
    top.tree_id = "t";
    top.total_resource = amounts({{0, 30}});
    top.ignore_default_tree = ignored;
    core::QuotaSpec below = leaf("u", 0, 50, "T");
    below.tree_id = "t";
    trees.add({top, below, leaf("A", 0, 500)});
    trees.ask("u", 50);
    trees.ask("A", 500);
    const QuotaId root = trees.quotas.parent(trees.id("T"));
    CHECK(trees.quotas.total(root)[0] == 30);
    CHECK(trees.runtime("T") == 20);  // its max limits its tree
    CHECK(trees.runtime("u") == 20);
    const Amount left = ignored ? 100 : 70;
    CHECK(trees.quotas.total(QuotaTrees::default_root)[0] == left);
    CHECK(trees.runtime("A") == left);
    // What the special groups use is taken from the default tree alone.
    trees.use(core::default_quota_name, 10);
    CHECK(trees.quotas.total(root)[0] == 30);
    CHECK(trees.runtime("A") == left - 10);
    trees.quotas.remove(trees.id("u"));
    trees.quotas.remove(trees.id("T"));
    CHECK(trees.runtime("A") == 90);
    CHECK(trees.quotas.total(root).empty());
}

// Where the published program goes astray ---------------------------------------------------------

TEST_CASE("quota trees: the first reader sees all mins scaled", "[core][quota][surprise]") {
    // Each min becomes 10 x 10 / 30 = 3. Z asks for nothing, and X and Y share the 4 that are left
    // by halves: 5 and 5. The published program at first scales only the min of the quota that is
    // read: X gets 3, since Y keeps its 10.
    for (const char* first : {"X", "Y"}) {
        Trees trees(10);
        trees.add({leaf("X", 10, 20), leaf("Y", 10, 20), leaf("Z", 10, 20)});
        trees.ask("X", 10);
        trees.ask("Y", 10);
        CHECK(trees.runtime(first) == 5);
        CHECK(trees.runtime("X") == 5);
        CHECK(trees.runtime("Y") == 5);
    }
}

TEST_CASE("quota trees: a new quota that does not lend competes at once",
          "[core][quota][surprise]") {
    // Each min becomes 10 x 10 / 30 = 3, and Z leaves its 3. Of the 4 that are left X takes 4 x 20
    // / 30 and N 4 x 10 / 30: 3 and 1. The published program assumes that N asks for nothing until
    // its first pod: X would have 7 and N 3.
    Trees trees(10);
    trees.add({leaf("X", 10, 20), leaf("Z", 10, 20)});
    trees.ask("X", 20);
    CHECK(trees.runtime("X") == 10);
    trees.add({not_lent(leaf("N", 10, 10))});
    CHECK(trees.runtime("X") == 6);
    CHECK(trees.runtime("N") == 4);
    CHECK(trees.runtime("Z") == 0);
}

TEST_CASE("quota trees: a deleted child takes its limited request along",
          "[core][quota][surprise]") {
    // P asks for min(50, 10) + 20, and for 20 without C. The published program subtracts 50, and D
    // has 0.
    Trees trees(100);
    trees.add({inner("P", 0, 100), leaf("C", 0, 10, "P"), leaf("D", 0, 100, "P")});
    trees.ask("C", 50);
    trees.ask("D", 20);
    CHECK(trees.quotas.child_request(trees.id("P"), 0) == 30);
    CHECK(trees.runtime("D") == 20);
    trees.quotas.remove(trees.id("C"));
    CHECK(trees.quotas.child_request(trees.id("P"), 0) == 20);
    CHECK(trees.runtime("P") == 20);
    CHECK(trees.runtime("D") == 20);
}

TEST_CASE("quota trees: weights beyond 64 bits together share all the same",
          "[core][quota][surprise]") {
    // Three times the max that the profile controller writes, in thousandths of a core.
    constexpr Amount max = INT64_MAX / 2000 * 1000;
    check({{"90 x max / 3 max, though 3 max is more than an int64",
            90,
            {leaf("A", 0, max), leaf("B", 0, max), leaf("C", 0, max)},
            {{"A", 50}, {"B", 60}, {"C", 70}},
            {{"A", 30}, {"B", 30}, {"C", 30}}}});
}

// Work --------------------------------------------------------------------------------------------

namespace {

/// Three levels: `fanout` organizations of as many teams of as many leaves, each of which asks for
/// half its min, so that any change of a leaf goes up to the root.
Trees three_levels(int fanout) {
    const Amount quotas = fanout;
    Trees trees(1000 * quotas * quotas * quotas);
    for (int org = 0; org < fanout; ++org) {
        const std::string above = "org-" + std::to_string(org);
        trees.add({inner(above, 100 * quotas * quotas, 200 * quotas * quotas)});
        for (int team = 0; team < fanout; ++team) {
            const std::string name = above + "-" + std::to_string(team);
            trees.add({inner(name, 100 * quotas, 200 * quotas, above)});
            for (int i = 0; i < fanout; ++i) {
                const std::string own = name + "-" + std::to_string(i);
                trees.add({leaf(own, 100, 200, name)});
                trees.ask(own, 50);
            }
        }
    }
    trees.quotas.refresh();
    return trees;
}

}  // namespace

TEST_CASE("quota trees: a change above the water line shares nothing anew", "[core][quota][work]") {
    Trees trees(100);
    trees.add({leaf("A", 10, 400), leaf("B", 10, 400), leaf("C", 10, 400)});
    trees.ask("A", 200);
    trees.ask("B", 300);
    trees.ask("C", 5);
    CHECK(trees.runtime("A") == 48);  // 10 + 75 / 2; the odd unit goes to the first by name
    const std::uint64_t sharings = trees.quotas.sharings();
    const std::uint64_t changes = trees.quotas.changes();
    for (int i = 0; i < 100; ++i) {
        trees.ask("A", i % 2 == 0 ? 60 : -60);
        trees.ask("B", 1);
        CHECK(trees.runtime("A") == 48);
        CHECK(trees.runtime("B") == 47);
    }
    CHECK(trees.quotas.sharings() == sharings);
    CHECK(trees.quotas.changes() == changes);
    trees.ask("C", 1);
    CHECK(trees.runtime("A") == 47);
    CHECK(trees.quotas.sharings() == sharings + 1);
}

TEST_CASE("quota trees: a leaf's change shares one family a level", "[core][quota][work]") {
    for (const int fanout : {2, 22}) {  // 14 quotas, 11 154
        CAPTURE(fanout);
        Trees trees = three_levels(fanout);
        const std::string changed = "org-1-0-1";
        const std::uint64_t sharings = trees.quotas.sharings();
        const std::uint64_t visits = trees.quotas.visits();
        trees.ask(changed, 7);
        CHECK(trees.runtime(changed) == 57);
        CHECK(trees.quotas.sharings() == sharings + 3);
        // Each sibling on the path is visited once, and again while it asks for more.
        CHECK(trees.quotas.visits() <= visits + 3 * 2 * static_cast<std::uint64_t>(fanout));
        // Everything else is unchanged, and reading all of it does no more work.
        trees.quotas.refresh();
        CHECK(trees.quotas.sharings() == sharings + 3);
        CHECK(trees.runtime("org-0-0-0") == 50);
        CHECK(trees.quotas.sharings() == sharings + 3);
    }
}

TEST_CASE("quota trees: a reader shares its own path alone", "[core][quota][work]") {
    for (const int fanout : {2, 22}) {
        CAPTURE(fanout);
        Trees trees = three_levels(fanout);
        // There is a change in each of two organizations; reading in one does no work for the
        // other.
        trees.ask("org-0-0-0", 1);
        trees.ask("org-1-1-1", 1);
        const std::uint64_t sharings = trees.quotas.sharings();
        CHECK(trees.runtime("org-0-0-0") == 51);
        CHECK(trees.quotas.sharings() == sharings + 3);
        CHECK(trees.runtime("org-1-1-1") == 51);
        CHECK(trees.quotas.sharings() == sharings + 5);
    }
}
