// Mehrotra, "Group Allocator": what the document says, example by example.

#include "core/group_allocator/group_allocator.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

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

namespace {

constexpr core::Amount gib = core::Amount{1} << 30;

/// The mapping of the first container, in full names.
GroupMapping mapping_of(const GroupMachine& machine, const GroupAsks& asks, bool found = true) {
    const core::GroupFit fit = machine.fit(asks);
    REQUIRE(fit.found == found);
    return machine.mapping(asks, fit).front();
}

/// Section II: four GPUs with differing memory.
const Short four_gpus{{"cpu", 4},
                      {"memory", 2 * gib},
                      {"gpu/dev0/cards", 1},
                      {"gpu/dev0/memory", 1 * gib},
                      {"gpu/dev1/cards", 1},
                      {"gpu/dev1/memory", 3 * gib},
                      {"gpu/dev2/cards", 1},
                      {"gpu/dev2/memory", 2 * gib},
                      {"gpu/dev3/cards", 1},
                      {"gpu/dev3/memory", 4 * gib}};
const Short two_of_them{{"cpu", 2},
                        {"memory", 1 * gib},
                        {"gpu/0/cards", 1},
                        {"gpu/0/memory", 1 * gib},
                        {"gpu/1/cards", 1},
                        {"gpu/1/memory", 2 * gib}};

/// Section IV: eight GPUs, pairs of them in Gpugrp0, pairs of pairs in Gpugrp1.
const Short nvlinked{{"Gpugrp1/0/Gpugrp0/0/gpu/dev0/cards", 1},
                     {"Gpugrp1/0/Gpugrp0/0/gpu/dev1/cards", 1},
                     {"Gpugrp1/0/Gpugrp0/1/gpu/dev2/cards", 1},
                     {"Gpugrp1/0/Gpugrp0/1/gpu/dev3/cards", 1},
                     {"Gpugrp1/1/Gpugrp0/2/gpu/dev4/cards", 1},
                     {"Gpugrp1/1/Gpugrp0/2/gpu/dev5/cards", 1},
                     {"Gpugrp1/1/Gpugrp0/3/gpu/dev6/cards", 1},
                     {"Gpugrp1/1/Gpugrp0/3/gpu/dev7/cards", 1}};

}  // namespace

TEST_CASE("groups: I.A, every requested resource is mapped to the resource of its name",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts({{"cpu", 4}, {"memory", 2 * gib}}));
    const GroupAsks asks = one({{"cpu", 2}, {"memory", 1 * gib}});

    CHECK(mapping_of(machine, asks) == group_mapping({{"cpu", "cpu"}, {"memory", "memory"}}));
    CHECK(machine.fit(asks).score == Approx(0.5 + 0.5));
}

TEST_CASE("groups: I, a location with too little of one resource or without it is not feasible",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts({{"cpu", 4}, {"memory", 2}}), group_amounts({}));

    CHECK(reasons_of(machine, one({{"cpu", 5}, {"memory", 1}})) ==
          std::vector<GroupReason>{{"c/resource/group/cpu", 5, 0, 4}});
    CHECK(reasons_of(machine, one({{"cpu", 1}, {"disk", 1}})) ==
          std::vector<GroupReason>{{"c/resource/group/disk", 1, 0, 0}});
}

TEST_CASE("groups: II.A.1, the requests make two subgroups, the resources four of two shapes",
          "[core][group_allocator]") {
    const core::GroupTree tree(group_amounts(four_gpus), {}, core::GroupOrder::natural);
    const core::GroupShape& root = tree.root_shape();
    REQUIRE(root.groups.size() == 1);
    CHECK(root.groups.front().name == "gpu");
    CHECK(root.groups.front().count == 4);
    CHECK(root.resources.size() == 2);
    CHECK(root.resource_count == 10);
    CHECK(tree.location(1).name == "resource/group/gpu/dev0");

    const core::GroupAmounts amounts = group_amounts(two_of_them);
    const core::GroupAmountList demands(amounts.begin(), amounts.end());
    core::GroupedRequest request;
    request.partition(demands, {}, core::GroupOrder::natural);
    const auto parts = request.parts(request.root());
    REQUIRE(parts.size() == 2);
    CHECK(request.bases(request.root()).size() == 2);
    CHECK(parts[0].full_name == "resource/group/gpu/0");
    CHECK(request.bases(parts[1])[1].key == "memory");
    CHECK(parts[0].kind != parts[1].kind);
}

TEST_CASE("groups: II.B.1, gpu/0 goes to dev0 and gpu/1 to dev2, as eq. 15 maps them",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts(four_gpus));
    const GroupAsks asks = one(two_of_them);

    CHECK(mapping_of(machine, asks) == group_mapping({{"cpu", "cpu"},
                                                      {"memory", "memory"},
                                                      {"gpu/0/cards", "gpu/dev0/cards"},
                                                      {"gpu/0/memory", "gpu/dev0/memory"},
                                                      {"gpu/1/cards", "gpu/dev2/cards"},
                                                      {"gpu/1/memory", "gpu/dev2/memory"}}));
    CHECK(machine.fit(asks).score == Approx(0.5 + 0.5 + 2 + 2));
}

TEST_CASE("groups: II.B, one subgroup without a location fails the whole request",
          "[core][group_allocator]") {
    GroupMachine machine(group_amounts(four_gpus));
    Short asked = two_of_them;
    asked["gpu/1/memory"] = 5 * gib;

    const std::vector<GroupReason> reasons = reasons_of(machine, one(asked));
    REQUIRE(reasons.size() == 6);  // dev0 also lacks the card, which gpu/0 has taken
    CHECK(reasons.front() == GroupReason{"c/resource/group/gpu/1", 0, 0, 0});
    CHECK(std::ranges::count(
              reasons, GroupReason{"c/resource/group/gpu/1/memory", 5 * gib, 0, 4 * gib}) == 1);
}

TEST_CASE("groups: eq. 17, a location's score is the sum over its resources",
          "[core][group_allocator]") {
    // By the sum, dev1 with 3/4 + 3/4 is better than dev0 with 1; by the mean it would not be.
    const GroupMachine machine(
        group_amounts({{"gpu/dev0/memory", 6}, {"gpu/dev1/memory", 8}, {"gpu/dev1/slots", 4}}),
        group_amounts({{"gpu/dev1/memory", 0}, {"gpu/dev1/slots", 3}}));

    CHECK(mapping_of(machine, one({{"gpu/a/memory", 6}})) ==
          group_mapping({{"gpu/a/memory", "gpu/dev1/memory"}}));
    CHECK(machine.fit(one({{"gpu/a/memory", 6}})).score == Approx(1.5));
}

TEST_CASE("groups: eq. 1, of equally good locations the first is taken, dev2 before dev10",
          "[core][group_allocator]") {
    const GroupMachine machine(
        group_amounts({{"gpu/dev10/cards", 1}, {"gpu/dev2/cards", 1}, {"gpu/dev3/cards", 1}}));

    CHECK(mapping_of(machine, one({{"gpu/a/cards", 1}})) ==
          group_mapping({{"gpu/a/cards", "gpu/dev2/cards"}}));
    CHECK(mapping_of(machine, one({{"gpu/2/cards", 1}, {"gpu/10/cards", 1}})) ==
          group_mapping({{"gpu/2/cards", "gpu/dev2/cards"}, {"gpu/10/cards", "gpu/dev3/cards"}}));
}

TEST_CASE("groups: eqs. 19 to 21, running containers add up for the pod and for the node",
          "[core][group_allocator]") {
    GroupMachine machine(group_amounts({{"cpu", 8}}), group_amounts({{"cpu", 1}}));
    const GroupAsks asks{{"a", false, group_amounts({{"cpu", 2}})},
                         {"b", false, group_amounts({{"cpu", 3}})}};
    const core::GroupFit fit = machine.fit(asks);
    REQUIRE(fit.found);
    CHECK(fit.score == Approx((1.0 + 2 + 3) / 8));

    const auto charges = machine.take(asks, fit);
    REQUIRE(charges.size() == 1);
    CHECK(charges[0].pod == 5);
    CHECK(charges[0].used == 6);
    CHECK(machine.used("resource/group/cpu") == 6);
}

TEST_CASE("groups: eqs. 22 to 25, an init container needs what exceeds the pod's use",
          "[core][group_allocator]") {
    using Row = std::tuple<std::string, core::Amount, bool, core::Amount>;
    const auto [what, asked, found, used] =
        GENERATE(table<std::string, core::Amount, bool, core::Amount>({
            Row{"as much as the running ones have is free of charge", 5, true, 6},
            Row{"the excess is charged", 7, true, 8},
            Row{"more than the node has left beside the pod does not fit", 8, false, 1},
        }));
    CAPTURE(what);
    GroupMachine machine(group_amounts({{"cpu", 8}}), group_amounts({{"cpu", 1}}));
    const GroupAsks asks{{"a", false, group_amounts({{"cpu", 2}})},
                         {"b", false, group_amounts({{"cpu", 3}})},
                         {"i", true, group_amounts({{"cpu", asked}})},
                         {"j", true, group_amounts({{"cpu", 4}})}};
    const core::GroupFit fit = machine.fit(asks);
    CHECK(fit.found == found);
    if (found) {
        CHECK(fit.score == Approx(static_cast<double>(used) / 8));
        CHECK(machine.take(asks, fit).front().pod == used - 1);
    }
    CHECK(machine.used("resource/group/cpu") == used);
}

TEST_CASE("groups: II.C, a pod that leaves gives back its whole use", "[core][group_allocator]") {
    GroupMachine machine(group_amounts({{"cpu", 8}}), group_amounts({{"cpu", 1}}));
    const core::GroupState* before = machine.state;
    const GroupAsks asks{{"a", false, group_amounts({{"cpu", 2}})},
                         {"i", true, group_amounts({{"cpu", 5}})}};
    const auto charges = machine.take(asks, machine.fit(asks));
    CHECK(machine.used("resource/group/cpu") == 6);

    machine.give_back(charges);
    CHECK(machine.state == before);
}

TEST_CASE("groups: IV, R0 gets a linked pair and R1 two pairs of one outer group",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts(nvlinked));
    const GroupAsks asks = one({{"Gpugrp1/R0/Gpugrp0/RA/gpu/gpu0/cards", 1},
                                {"Gpugrp1/R0/Gpugrp0/RA/gpu/gpu1/cards", 1},
                                {"Gpugrp1/R1/Gpugrp0/RA/gpu/gpu2/cards", 1},
                                {"Gpugrp1/R1/Gpugrp0/RA/gpu/gpu3/cards", 1},
                                {"Gpugrp1/R1/Gpugrp0/RB/gpu/gpu4/cards", 1},
                                {"Gpugrp1/R1/Gpugrp0/RB/gpu/gpu5/cards", 1}});

    const std::string a = "Gpugrp1/0/Gpugrp0/0/gpu/";
    const std::string b = "Gpugrp1/1/Gpugrp0/";
    CHECK(mapping_of(machine, asks) ==
          group_mapping({{"Gpugrp1/R0/Gpugrp0/RA/gpu/gpu0/cards", a + "dev0/cards"},
                         {"Gpugrp1/R0/Gpugrp0/RA/gpu/gpu1/cards", a + "dev1/cards"},
                         {"Gpugrp1/R1/Gpugrp0/RA/gpu/gpu2/cards", b + "2/gpu/dev4/cards"},
                         {"Gpugrp1/R1/Gpugrp0/RA/gpu/gpu3/cards", b + "2/gpu/dev5/cards"},
                         {"Gpugrp1/R1/Gpugrp0/RB/gpu/gpu4/cards", b + "3/gpu/dev6/cards"},
                         {"Gpugrp1/R1/Gpugrp0/RB/gpu/gpu5/cards", b + "3/gpu/dev7/cards"}}));
    CHECK(machine.fit(asks).score == Approx(6));
}

TEST_CASE("groups: IV, three linked GPUs are not to be had in pairs", "[core][group_allocator]") {
    const GroupMachine machine(group_amounts(nvlinked));
    const GroupAsks asks = one({{"Gpugrp1/R/Gpugrp0/R/gpu/0/cards", 1},
                                {"Gpugrp1/R/Gpugrp0/R/gpu/1/cards", 1},
                                {"Gpugrp1/R/Gpugrp0/R/gpu/2/cards", 1}});
    mapping_of(machine, asks, false);
}

TEST_CASE("groups: V, a request for two GPUs of one Gpugrp0 is put into a Gpugrp1 and fits",
          "[core][group_allocator]") {
    const core::GroupAmounts node = group_amounts(nvlinked);
    const GroupMachine machine(node);
    const core::GroupAmounts asked =
        group_amounts({{"Gpugrp0/RA/gpu/gpu0/cards", 1}, {"Gpugrp0/RA/gpu/gpu1/cards", 1}});
    const GroupAsks asks{{"c", false, core::GroupLevels(node).translate(0, asked)}};

    CHECK(asks[0].requests == group_amounts({{"Gpugrp1/0/Gpugrp0/RA/gpu/gpu0/cards", 1},
                                             {"Gpugrp1/0/Gpugrp0/RA/gpu/gpu1/cards", 1}}));
    CHECK(mapping_of(machine, asks) ==
          group_mapping(
              {{"Gpugrp1/0/Gpugrp0/RA/gpu/gpu0/cards", "Gpugrp1/0/Gpugrp0/0/gpu/dev0/cards"},
               {"Gpugrp1/0/Gpugrp0/RA/gpu/gpu1/cards", "Gpugrp1/0/Gpugrp0/0/gpu/dev1/cards"}}));
}

TEST_CASE("groups: a rejected candidate leaves no trace", "[core][group_allocator]") {
    // For run0, gpugrp0/0 is tried and rejected, because it has no slot. The trial leaves no use
    // behind: run1 still finds all four cards there.
    const core::GroupAmounts node = group_amounts({{"gpugrp0/0/gpu/0/cards", 4},
                                                   {"gpugrp0/1/gpu/1/cards", 1},
                                                   {"gpugrp0/1/gpu/2/cards", 1},
                                                   {"gpugrp0/1/slots", 1},
                                                   {"gpugrp0/2/gpu/3/cards", 1}});
    const GroupMachine machine(node);
    const GroupAsks asks{
        {"run0", false, group_amounts({{"gpugrp0/a/gpu/0/cards", 1}, {"gpugrp0/a/slots", 1}})},
        {"run1", false, group_amounts({{"gpugrp0/a/gpu/0/cards", 4}})},
        {"run2", false, group_amounts({{"gpugrp0/a/gpu/0/cards", 1}})}};
    core::GroupFit fit = machine.fit(asks);
    REQUIRE(fit.found);
    CHECK(fit.reasons.empty());
    CHECK(machine.mapping(asks, fit)[1].begin()->second == "resource/group/gpugrp0/0/gpu/0/cards");
    CHECK(fit.score == Approx(1 + 1 + 1 + 1));
}

TEST_CASE("groups: an init container with two cards fits on two GPUs", "[core][group_allocator]") {
    const core::GroupAmounts node = group_amounts({{"gpu/0/cards", 1}, {"gpu/1/cards", 1}});
    const GroupAsks asks{{"i", true, group_amounts({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}})}};

    CHECK(mapping_of(GroupMachine(node), asks) ==
          group_mapping({{"gpu/a/cards", "gpu/0/cards"}, {"gpu/b/cards", "gpu/1/cards"}}));
    CHECK(reasons_of(GroupMachine(node, {}, core::published_group_rules), asks) ==
          std::vector<GroupReason>{{"resource/group/gpu/1/cards", 2, 0, 1}});
}

TEST_CASE("groups: scorers go by name, the default by the resource's", "[core][group_allocator]") {
    CHECK(core::find_group_scorer("leftover") != nullptr);
    CHECK(core::find_group_scorer("best") == nullptr);
    const auto name_of = [](const std::string& resource) {
        const core::GroupScorer* scorer = &core::default_group_scorer(resource);
        return std::string(std::ranges::find(core::group_scorers(), scorer, [](const auto& entry) {
                               return &entry.get();
                           })->name);
    };
    CHECK(name_of("resource/group/gpu/0/cards") == "leftover");
    CHECK(name_of("resource/group/gpu/0/enumType") == "enumeration");
    CHECK(name_of("resource/group/gpu/0/ENUM") == "enumeration");
    CHECK(name_of("resource/group/enum/0/cards") == "leftover");
    CHECK(name_of("enumType") == "leftover");

    using Row = std::tuple<std::string, core::Amount, bool, double, core::Amount>;
    const auto [scorer, asked, found, score, used] =
        GENERATE(table<std::string, core::Amount, bool, double, core::Amount>({
            Row{"leftover", 3, true, 4.0 / 6, 4},
            Row{"leftover", 5, true, 1, 6},
            Row{"leftover", 6, false, 7.0 / 6, 7},
            Row{"always-found", 3, true, 4.0 / 6, 4},
            Row{"always-found", 6, true, 5.0 / 6, 7},
            Row{"always-found", 60, true, 0, 61},
            Row{"enumeration", 3, true, 0.5, 0},  // 6 is bits 1 and 2, 3 is bits 0 and 1
            Row{"enumeration", 9, false, 0, 0},
            Row{"enumeration", 0, true, 0, 0},
        }));
    CAPTURE(scorer, asked);
    const core::GroupScore answer = core::find_group_scorer(scorer)->score(6, 0, 1, asked, false);
    CHECK(answer.found == found);
    CHECK(answer.score == Approx(score));
    CHECK(answer.node == used);

    // The scorer that the node has for a resource decides.
    const core::GroupScorers scorers{
        {"resource/group/gpu/0/bits", core::find_group_scorer(scorer)}};
    const GroupMachine machine(group_amounts({{"gpu/0/bits", 6}}),
                               group_amounts({{"gpu/0/bits", 1}}),
                               core::paper_group_rules,
                               scorers);
    CHECK(machine.fit(one({{"gpu/a/bits", asked}})).found == found);
}

TEST_CASE("groups: a request's own scorer decides beside that of the resource",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts({{"gpu/0/kinds", 6}, {"gpu/1/kinds", 8}}));
    GroupAsks asks = one({{"gpu/a/kinds", 2}});
    CHECK(mapping_of(machine, asks).begin()->second == "resource/group/gpu/0/kinds");

    asks[0].scorers["resource/group/gpu/a/kinds"] = core::find_group_scorer("enumeration");
    asks[0].requests = group_amounts({{"gpu/a/kinds", 8}});
    CHECK(mapping_of(machine, asks).begin()->second == "resource/group/gpu/1/kinds");
    asks[0].requests = group_amounts({{"gpu/a/kinds", 1}});  // a bit that neither GPU has
    mapping_of(machine, asks, false);
    // This shares bits with both GPUs, but is too much for either.
    asks[0].requests = group_amounts({{"gpu/a/kinds", 10}});
    mapping_of(machine, asks, false);
}

TEST_CASE("groups: a mapping that is brought is charged whole or not at all",
          "[core][group_allocator]") {
    const core::GroupAmounts node = group_amounts({{"gpu/0/cards", 1}, {"gpu/1/cards", 1}});
    GroupMachine machine(node, group_amounts({{"gpu/1/cards", 1}}));
    GroupAsks asks = one({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}});
    asks[0].from = group_mapping({{"gpu/a/cards", "gpu/0/cards"}, {"gpu/b/cards", "gpu/1/cards"}});
    asks.push_back({"d", false, group_amounts({{"gpu/a/cards", 1}})});

    const core::GroupFit fit = machine.fit(asks);
    CHECK_FALSE(fit.found);
    CHECK(fit.reasons == std::vector<GroupReason>{{"resource/group/gpu/1/cards", 1, 1, 1}});
    CHECK(machine.mapping(asks, fit)[1].size() == 1);  // gpu/0 stayed free for d

    machine.use("resource/group/gpu/1/cards", 0);
    asks.pop_back();
    CHECK(mapping_of(machine, asks) == *asks[0].from);
    asks[0].from->erase("resource/group/gpu/b/cards");
    CHECK(reasons_of(machine, asks) ==
          std::vector<GroupReason>{{"resource/group/gpu/b/cards", 1, 0, 0}});
}

TEST_CASE("groups: a pod's score is that of the node after all its containers",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts({{"gpu/0/cards", 2}, {"gpu/1/cards", 2}}),
                               group_amounts({{"gpu/1/cards", 1}}));
    const GroupAsks asks{{"a", false, group_amounts({{"gpu/0/cards", 1}})},
                         {"b", false, {}},
                         {"i", true, group_amounts({{"gpu/0/cards", 2}})}};
    const core::GroupFit fit = machine.fit(asks);
    REQUIRE(fit.found);
    // a fills gpu/1 up; the init container needs a whole GPU, so it takes the other one.
    CHECK(machine.mapping(asks, fit)[0].begin()->second == "resource/group/gpu/1/cards");
    CHECK(fit.score == Approx(2));
}

TEST_CASE("groups: reasons come from every candidate", "[core][group_allocator]") {
    const GroupMachine machine(
        group_amounts({{"gpu/0/cards", 2}, {"gpu/1/cards", 3}, {"gpu/2/slots", 1}}),
        group_amounts({{"gpu/1/cards", 3}}));
    CHECK(reasons_of(machine, one({{"gpu/a/cards", 4}})) ==
          std::vector<GroupReason>{{"c/resource/group/gpu/a", 0, 0, 0},
                                   {"c/resource/group/gpu/a/cards", 4, 0, 0},
                                   {"c/resource/group/gpu/a/cards", 4, 0, 2},
                                   {"c/resource/group/gpu/a/cards", 4, 3, 3}});
    CHECK(reasons_of(machine, one({{"tpu/a/cards", 4}})) ==
          std::vector<GroupReason>{{"c/resource/group/tpu/a", 0, 0, 0}});
    CHECK(reasons_of(GroupMachine({{"cpu", 4}}), one({{"gpu/a/cards", 4}})) ==
          std::vector<GroupReason>{{"c/resource/group/gpu/a/cards", 4, 0, 0}});
}

TEST_CASE("groups: the work follows the kinds of locations, not their number",
          "[core][group_allocator]") {
    const auto tried = [](int gpus, const core::GroupRules& rules) {
        Short node;
        for (int i = 0; i < gpus; ++i) {
            node["gpugrp1/" + std::to_string(i / 4) + "/gpugrp0/" + std::to_string(i / 2) +
                 "/gpu/" + std::to_string(i) + "/cards"] = 1;
        }
        const GroupMachine machine(group_amounts(node), {}, rules);
        const GroupAsks asks = one({{"gpugrp1/0/gpugrp0/0/gpu/0/cards", 1}});
        core::GroupAllocator allocator(rules);
        REQUIRE(allocator.fit(machine.tree, *machine.state, machine.pod(asks)).found);
        return allocator.locations_tried();
    };
    const core::GroupRules rules = GENERATE(core::paper_group_rules, core::published_group_rules);
    CHECK(tried(8, rules) == 4);  // the root, and one location of each level
    CHECK(tried(256, rules) == tried(8, rules));
}

TEST_CASE("groups: two allocations by one allocator do not disturb each other",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts(four_gpus));
    const GroupAsks asks = one(two_of_them);
    core::GroupAllocator allocator(machine.rules);
    const core::GroupFit first = allocator.fit(machine.tree, *machine.state, machine.pod(asks));
    const core::GroupFit second = allocator.fit(machine.tree, *machine.state, machine.pod(asks));
    CHECK(first.found);
    CHECK(first.allocate_from == second.allocate_from);
    CHECK(first.score == second.score);
}
