// Where the published program of the group allocator differs from its document.

#include <algorithm>
#include <catch2/catch.hpp>
#include <compare>
#include <string>
#include <tuple>
#include <utility>

#include "core/group_allocator/group_allocator.hpp"
#include "core/group_allocator/group_levels.hpp"
#include "core/group_allocator/group_translation.hpp"
#include "tests/support/group_machine.hpp"

using namespace berth;
using core::GroupReason;
using tests::group_amounts;
using tests::group_mapping;
using tests::GroupAsks;
using tests::GroupMachine;
using tests::GroupMapping;
using tests::one;
using tests::operator+;
using tests::reasons_of;
using tests::Short;

TEST_CASE("groups: where the published program differs", "[core][group_allocator]") {
    const auto both = [](const core::GroupAmounts& node,
                         const core::GroupAmounts& used,
                         const GroupAsks& asks,
                         const auto& look) {
        const GroupMachine paper(node, used);
        const GroupMachine published(node, used, core::published_group_rules);
        return std::pair(look(paper, asks, paper.fit(asks)),
                         look(published, asks, published.fit(asks)));
    };
    // The location that the last container's first request went to, the score, and the number of
    // reasons.
    const auto where =
        [](const GroupMachine& machine, const GroupAsks& asks, const core::GroupFit& fit) {
            const GroupMapping mapping = machine.mapping(asks, fit).back();
            return mapping.empty() ? "none" : mapping.begin()->second.substr(15);
        };
    const auto score = [](const auto&, const auto&, const core::GroupFit& fit) {
        return fit.score;
    };
    using Names = std::pair<std::string, std::string>;
    using Scores = std::pair<double, double>;
    const GroupAsks card = one({{"gpu/a/cards", 1}});

    SECTION("order: by number; as bytes, of which the last is taken") {
        const Short node{{"gpu/2/cards", 1}, {"gpu/9/cards", 1}, {"gpu/10/cards", 1}};
        CHECK(both(group_amounts(node), {}, card, where) == Names{"gpu/2/cards", "gpu/9/cards"});
        CHECK(core::compare_names("dev2", "dev10", core::GroupOrder::natural) ==
              std::strong_ordering::less);
        CHECK(core::compare_names("dev2", "dev10", core::GroupOrder::bytes) ==
              std::strong_ordering::greater);
        CHECK(core::compare_names("dev02", "dev2", core::GroupOrder::natural) ==
              std::strong_ordering::less);
        CHECK(core::compare_names("a1b10", "a1b9", core::GroupOrder::natural) ==
              std::strong_ordering::greater);
        CHECK(core::compare_names("a", "a0", core::GroupOrder::natural) ==
              std::strong_ordering::less);
        CHECK(core::compare_names("a1", "a1", core::GroupOrder::natural) ==
              std::strong_ordering::equal);
        CHECK(core::compare_names("1", "a", core::GroupOrder::natural) ==
              std::strong_ordering::less);
    }
    SECTION("mean_score: the sum; the mean over all resources") {
        const Short node{{"gpu/0/cards", 1}, {"gpu/0/memory", 8}, {"gpu/1/cards", 2}};
        CHECK(both(group_amounts(node), group_amounts({{"gpu/0/memory", 4}}), card, score) ==
              Scores{1.5, 0.5});
    }
    SECTION("last_of_equals: the first; the last, and none below zero") {
        const core::GroupAmounts node = group_amounts({{"gpu/0/cards", 1}, {"gpu/1/cards", 1}});
        CHECK(both(node, {}, card, where) == Names{"gpu/0/cards", "gpu/1/cards"});
        CHECK(both(group_amounts({{"gpu/0/cards", 1}}),
                   group_amounts({{"gpu/0/cards", -3}}),
                   card,
                   where) == Names{"gpu/0/cards", "none"});
    }
    SECTION("prefers_used: the best score; a location that the pod has taken before") {
        const Short slots{{"gpugrp0/0/a", 1}, {"gpugrp0/0/b", 1}, {"gpugrp0/0/c", 1}};
        const core::GroupAmounts node = group_amounts({{"gpugrp0/0/gpu/0/cards", 1},
                                                       {"gpugrp0/1/gpu/1/cards", 1},
                                                       {"gpugrp0/1/gpu/2/cards", 1},
                                                       {"gpugrp0/1/gpu/3/cards", 1}});
        const GroupAsks asks{
            {"run0",
             false,
             group_amounts({{"gpugrp0/A/gpu/0/cards", 1}, {"gpugrp0/A/gpu/1/cards", 1}})},
            {"run1", false, group_amounts({{"gpugrp0/A/gpu/0/cards", 1}})}};
        CHECK(both(node + group_amounts(slots), group_amounts(slots), asks, where) ==
              Names{"gpugrp0/0/gpu/0/cards", "gpugrp0/1/gpu/1/cards"});
    }
    SECTION("charges_init_stepwise: requests for one resource summed; passed as a maximum") {
        const core::GroupAmounts node = group_amounts({{"gpu/0/cards", 1}, {"gpu/1/cards", 1}});
        const GroupAsks asks{{"i", true, group_amounts({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}})}};
        CHECK(both(node, {}, asks, where) == Names{"gpu/0/cards", "none"});

        GroupAsks share{{"i", true, group_amounts({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}})}};
        GroupMachine paper(group_amounts({{"gpu/0/cards", 2}}));
        GroupMachine published(
            group_amounts({{"gpu/0/cards", 2}}), {}, core::published_group_rules);
        CHECK(paper.take(share, paper.fit(share)).front().pod == 2);
        CHECK(published.take(share, published.fit(share)).front().pod == 1);
    }
    SECTION("updates_unrequested: left alone; an enumeration forgets what the node was using") {
        const core::GroupAmounts node = group_amounts({{"gpu/0/cards", 4}, {"gpu/0/enumType", 3}});
        const GroupMachine paper(node, group_amounts({{"gpu/0/enumType", 2}}));
        const GroupMachine published(
            node, group_amounts({{"gpu/0/enumType", 2}}), core::published_group_rules);
        const GroupAsks asks{{"a", false, group_amounts({{"gpu/0/cards", 1}})},
                             {"b", false, group_amounts({{"gpu/0/enumType", 4}})}};
        const GroupReason reason = reasons_of(paper, asks).back();
        CHECK(reason == GroupReason{"b/resource/group/gpu/0/enumType", 4, 2, 3});
        CHECK(reasons_of(published, asks).back().used == 0);
    }
    SECTION("reasons_of_single_candidate: from every candidate; from an only one") {
        const auto count = [](const auto&, const auto&, const core::GroupFit& fit) {
            return fit.reasons.size();
        };
        const core::GroupAmounts two = group_amounts({{"gpu/0/cards", 1}, {"gpu/1/cards", 2}});
        const GroupAsks much = one({{"gpu/a/cards", 3}});
        using Counts = std::pair<std::size_t, std::size_t>;
        CHECK(both(two, {}, much, count) == Counts{3, 1});
        CHECK(both(group_amounts({{"gpu/0/cards", 1}}), {}, much, count) == Counts{2, 2});
        CHECK(both({}, {}, much, count) == Counts{1, 0});
    }
    SECTION("scores_last_running: after all containers; after the last running one that fits") {
        const core::GroupAmounts node = group_amounts({{"cpu", 8}});
        GroupAsks asks{{"a", false, group_amounts({{"cpu", 2}})},
                       {"b", false, group_amounts({{"cpu", 2}})},
                       {"i", true, group_amounts({{"cpu", 6}})}};
        CHECK(both(node, {}, asks, score) == Scores{0.75, 0.5});
        asks.insert(asks.begin() + 2, {"c", false, {}});
        CHECK(both(node, {}, asks, score) == Scores{0.75, 0});
        asks[2].requests = group_amounts({{"cpu", 9}});
        CHECK(both(node, {}, asks, score) == Scores{0, 0.5});
    }
    SECTION("keeps_partial_mapping: nothing of a mapping that fails; what fits of it") {
        GroupAsks asks = one({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}});
        asks[0].from = group_mapping({{"gpu/a/cards", "gpu/0/cards"}});
        asks.push_back({"d", false, group_amounts({{"gpu/a/cards", 1}})});
        CHECK(both(group_amounts({{"gpu/0/cards", 1}}), {}, asks, where) ==
              Names{"gpu/0/cards", "none"});
    }
}
