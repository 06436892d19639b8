#include "core/group_allocator/group_exact.hpp"

#include <catch2/catch.hpp>

#include "tests/support/group_machine.hpp"

using namespace berth;
using tests::group_amounts;
using tests::group_mapping;
using tests::GroupAsks;
using tests::GroupMachine;
using Short = std::map<std::string, core::Amount>;

namespace {

std::string gpu(int index, const std::string& resource) {
    return "gpu/" + std::to_string(index) + "/" + resource;
}

}  // namespace

TEST_CASE("exact groups: what a greedy search misses is found", "[core][group_allocator]") {
    struct Row {
        std::string what;
        Short node;
        GroupAsks asks;
    };
    const std::vector<Row> rows{
        {"the lesser request must not take the only large GPU",
         {{"gpu/0/cards", 1}, {"gpu/0/memory", 32}, {"gpu/1/cards", 1}, {"gpu/1/memory", 8}},
         {{"c",
           false,
           group_amounts({{"gpu/a/cards", 1}, {"gpu/b/cards", 1}, {"gpu/b/memory", 32}})}}},
        {"a single GPU must not break the only pair",
         {{"gpugrp1/0/gpugrp0/0/gpu/0/cards", 1},
          {"gpugrp1/0/gpugrp0/0/gpu/1/cards", 1},
          {"gpugrp1/1/gpugrp0/1/gpu/2/cards", 1},
          {"gpugrp1/1/gpugrp0/2/gpu/3/cards", 1}},
         {{"c",
           false,
           group_amounts({{"gpugrp1/0/gpugrp0/0/gpu/0/cards", 1},
                          {"gpugrp1/1/gpugrp0/1/gpu/1/cards", 1},
                          {"gpugrp1/1/gpugrp0/1/gpu/2/cards", 1}})}}},
        {"of two containers neither",
         {{"gpugrp0/0/gpu/0/cards", 1},
          {"gpugrp0/0/gpu/1/cards", 1},
          {"gpugrp0/1/gpu/2/cards", 1},
          {"gpugrp0/1/slots", 4}},
         {{"a", false, group_amounts({{"gpugrp0/x/gpu/0/cards", 1}})},
          {"b",
           false,
           group_amounts({{"gpugrp0/x/gpu/0/cards", 1}, {"gpugrp0/x/gpu/1/cards", 1}})}}},
        {"nor one that brings its mapping: to it, equal GPUs are not equal",
         {{"gpu/0/cards", 1}, {"gpu/1/cards", 1}},
         {{"a", false, group_amounts({{"gpu/0/cards", 1}})},
          {"b",
           false,
           group_amounts({{"gpu/0/cards", 1}}),
           {},
           group_mapping({{"gpu/0/cards", "gpu/0/cards"}})}}},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        const GroupMachine machine(group_amounts(row.node));
        CHECK_FALSE(machine.fit(row.asks).found);
        const core::ExactGroupFit exact = machine.fit_exact(row.asks);
        CHECK(exact.proven);
        CHECK(exact.fit.found);
        CHECK(exact.fit.reasons.empty());
    }
}

TEST_CASE("exact groups: what does not exist is refused, with the greedy's reasons",
          "[core][group_allocator]") {
    const GroupMachine machine(group_amounts({{"gpu/0/cards", 1}}));
    const GroupAsks asks{{"c", false, group_amounts({{"gpu/a/cards", 2}})}};
    const core::ExactGroupFit exact = machine.fit_exact(asks);
    CHECK(exact.proven);
    CHECK_FALSE(exact.fit.found);
    CHECK(exact.fit.reasons == machine.fit(asks).reasons);
    CHECK_FALSE(exact.fit.reasons.empty());

    CHECK_FALSE(GroupMachine({}).fit_exact(asks).fit.found);
}

TEST_CASE("exact groups: the best of all allocations, not the first", "[core][group_allocator]") {
    // On the second machine, the greedy search gives gpu/0 to a and gpu/1 to b, which score 1/4 and
    // 4/8 by memory; the other way round it is 1/8 and 1.
    const GroupMachine machine(group_amounts({{"gpu/0/a", 1}, {"gpu/1/a", 2}, {"gpu/1/b", 4}}),
                               {},
                               core::published_group_rules);
    const GroupAsks asks{{"c", false, group_amounts({{"gpu/x/a", 1}, {"gpu/y/b", 4}})}};
    CHECK(machine.fit_exact(asks).fit.score == Approx((1.0 + 1) / 3));

    const GroupMachine flat(group_amounts(
        {{"gpu/0/cards", 1}, {"gpu/0/memory", 4}, {"gpu/1/cards", 1}, {"gpu/1/memory", 8}}));
    const GroupAsks two{
        {"c",
         false,
         group_amounts(
             {{"gpu/a/cards", 1}, {"gpu/a/memory", 1}, {"gpu/b/cards", 1}, {"gpu/b/memory", 4}})}};
    CHECK(flat.fit(two).score == Approx(2 + 1.0 / 4 + 4.0 / 8));
    CHECK(flat.fit_exact(two).fit.score == Approx(2 + 1 + 1.0 / 8));
}

TEST_CASE("exact groups: of equally good ones the one that leaves groups whole",
          "[core][group_allocator]") {
    // By the sum every GPU is worth 1, so all choices score the same; the exact solver takes both
    // GPUs from one group and leaves the other group whole.
    const GroupMachine machine(group_amounts({{"gpugrp0/0/gpu/0/cards", 1},
                                              {"gpugrp0/0/gpu/1/cards", 1},
                                              {"gpugrp0/1/gpu/2/cards", 1},
                                              {"gpugrp0/1/gpu/3/cards", 1}}));
    const GroupAsks asks{
        {"c", false, group_amounts({{"gpugrp0/a/gpu/0/cards", 1}, {"gpugrp0/b/gpu/0/cards", 1}})}};
    const core::GroupFit fit = machine.fit_exact(asks).fit;
    const tests::GroupMapping mapping = machine.mapping(asks, fit).front();
    CHECK(mapping.begin()->second.substr(0, 24) == mapping.rbegin()->second.substr(0, 24));
}

TEST_CASE("exact groups: too many states of unlike GPUs are an assignment problem",
          "[core][group_allocator]") {
    Short node;
    Short asked;
    for (int i = 0; i < 24; ++i) {
        node[gpu(i, "cards")] = 1;
        node[gpu(i, "memory")] = 100 + i;
    }
    for (int i = 0; i < 12; ++i) {
        asked[gpu(i, "cards")] = 1;
        asked[gpu(i, "memory")] = 100 + i;
    }
    const GroupMachine machine(group_amounts(node));
    GroupAsks asks{{"c", false, group_amounts(asked)}};
    const core::ExactGroupFit exact = machine.fit_exact(asks);
    CHECK(exact.proven);
    REQUIRE(exact.fit.found);
    CHECK(exact.fit.score == Approx(24));  // each request stands on the GPU that it fills

    // The same where the greedy search gives up: the last request needs a GPU that an earlier one
    // had to leave.
    asked[gpu(0, "memory")] = 1;
    asked[gpu(11, "memory")] = 123;
    asks[0].requests = group_amounts(asked);
    CHECK(machine.fit_exact(asks).proven);
    CHECK(machine.fit_exact(asks).fit.found);
    asked[gpu(10, "memory")] = 123;
    asks[0].requests = group_amounts(asked);
    CHECK(machine.fit_exact(asks).proven);
    CHECK_FALSE(machine.fit_exact(asks).fit.found);
}

TEST_CASE("exact groups: a search that is given up says so", "[core][group_allocator]") {
    // This is not an assignment problem, because the GPUs of a group are asked for together.
    Short node;
    Short asked;
    for (int i = 0; i < 24; ++i) {
        node["gpugrp0/" + std::to_string(i / 12) + "/" + gpu(i, "cards")] = 1;
        node["gpugrp0/" + std::to_string(i / 12) + "/" + gpu(i, "memory")] = 100 + i;
        asked["gpugrp0/" + std::to_string(i / 12) + "/" + gpu(i, "cards")] = 1;
    }
    const GroupMachine machine(group_amounts(node));
    asked.erase("gpugrp0/0/gpu/0/cards");
    asked.erase("gpugrp0/1/gpu/23/cards");
    for (int i = 1; i < 23; i += 2) {
        asked["gpugrp0/" + std::to_string(i / 12) + "/" + gpu(i, "memory")] = i;
    }
    const GroupAsks asks{{"c", false, group_amounts(asked)}};
    const core::ExactGroupFit exact = machine.fit_exact(asks);
    CHECK_FALSE(exact.proven);
    CHECK(exact.fit.found == machine.fit(asks).found);
}

TEST_CASE("exact groups: of equal siblings one is tried", "[core][group_allocator]") {
    // 24 requests for a part of a GPU's memory on 64 equal GPUs: some 6 000 states with 4 kinds of
    // GPUs each.
    Short node;
    for (int i = 0; i < 64; ++i) {
        node[gpu(i, "memory")] = 8;
    }
    Short asked;
    for (int i = 0; i < 24; ++i) {
        asked[gpu(i, "memory")] = 1;
    }
    const GroupMachine machine(group_amounts(node));
    const core::ExactGroupFit exact = machine.fit_exact({{"c", false, group_amounts(asked)}});
    CHECK(exact.proven);
    CHECK(exact.fit.found);
}

TEST_CASE("exact groups: odd machines and pods are answered", "[core][group_allocator]") {
    SECTION("a pod that asks for nothing fits a node with too much use") {
        const GroupMachine machine(group_amounts({{"gpu/0/cards", 1}}),
                                   group_amounts({{"gpu/0/cards", 2}}));
        CHECK(machine.fit({{"c", false, {}}}).found);
        CHECK(machine.fit_exact({{"c", false, {}}}).fit.found);
    }
    SECTION("bits that are brought to one resource are accepted together") {
        const GroupMachine machine(group_amounts({{"gpu/0/enumType", 1}}));
        const GroupAsks asks{{"c",
                              false,
                              group_amounts({{"gpu/a/enumType", 2}, {"gpu/b/enumType", 1}}),
                              {},
                              group_mapping({{"gpu/a/enumType", "gpu/0/enumType"},
                                             {"gpu/b/enumType", "gpu/0/enumType"}})}};
        CHECK(machine.fit(asks).found);
        CHECK(machine.fit_exact(asks).fit.found);
    }
    SECTION("where a request's own scorer accepts a bit that the resource has not") {
        const GroupMachine machine(group_amounts({{"gpu/0/enumType", 5}}));
        const GroupAsks asks{
            {"c",
             false,
             group_amounts({{"gpu/a/enumType", 1}, {"gpu/b/enumType", 2}}),
             {{"resource/group/gpu/b/enumType", core::find_group_scorer("leftover")}}}};
        CHECK(machine.fit(asks).found);
        CHECK(machine.fit_exact(asks).fit.found);
    }
    SECTION("a mapping that is not to be had") {
        const GroupMachine machine(group_amounts({{"gpu/0/cards", 1}}));
        GroupAsks asks{
            {"c", false, group_amounts({{"gpu/a/cards", 1}}), {}, tests::GroupMapping{}}};
        CHECK_FALSE(machine.fit_exact(asks).fit.found);
    }
}
