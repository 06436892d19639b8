// Mehrotra, "Group Allocator", section V: requests that leave groups out.

#include "core/group_allocator/group_levels.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/group_machine.hpp"

using namespace berth;
using tests::group_amounts;
using Short = std::map<std::string, core::Amount>;

namespace {

const Short two_levels{{"Gpugrp1/0/Gpugrp0/0/gpu/dev0/cards", 1},
                       {"Gpugrp1/0/Gpugrp0/0/gpu/dev0/memory", 16},
                       {"Gpugrp1/0/Gpugrp0/1/gpu/dev1/cards", 1},
                       {"Gpugrp1/1/Gpugrp0/2/gpu/dev2/cards", 1}};

}  // namespace

TEST_CASE("group levels: the missing groups are put around a request", "[core][group_allocator]") {
    struct Row {
        std::string what;
        Short node;
        std::int64_t count = 0;
        Short asked;
        Short expected;
    };
    const std::vector<Row> rows{
        {"V: two GPUs of one Gpugrp0 stay in one Gpugrp1",
         two_levels,
         0,
         {{"Gpugrp0/RA/gpu/gpu0/cards", 1}, {"Gpugrp0/RA/gpu/gpu1/cards", 1}},
         {{"Gpugrp1/0/Gpugrp0/RA/gpu/gpu0/cards", 1}, {"Gpugrp1/0/Gpugrp0/RA/gpu/gpu1/cards", 1}}},
        {"V: each differing Gpugrp0 gets a Gpugrp1 of its own",
         two_levels,
         0,
         {{"Gpugrp0/RA/gpu/gpu0/cards", 1}, {"Gpugrp0/RB/gpu/gpu0/cards", 1}},
         {{"Gpugrp1/0/Gpugrp0/RA/gpu/gpu0/cards", 1}, {"Gpugrp1/1/Gpugrp0/RB/gpu/gpu0/cards", 1}}},
        {"all resources of a GPU stay together",
         two_levels,
         0,
         {{"gpu/a/cards", 1}, {"gpu/a/memory", 8}},
         {{"Gpugrp1/0/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp1/0/Gpugrp0/0/gpu/a/memory", 8}}},
        {"a group may be left out between two that are given",
         two_levels,
         0,
         {{"Gpugrp1/R/gpu/a/cards", 1}, {"Gpugrp1/R/gpu/b/cards", 1}},
         {{"Gpugrp1/R/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp1/R/Gpugrp0/1/gpu/b/cards", 1}}},
        {"GPUs of one name in two outer groups are two GPUs",
         two_levels,
         0,
         {{"Gpugrp1/A/gpu/a/cards", 1}, {"Gpugrp1/B/gpu/a/cards", 1}},
         {{"Gpugrp1/A/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp1/B/Gpugrp0/1/gpu/a/cards", 1}}},
        {"new numbers are above those in use",
         two_levels,
         0,
         {{"Gpugrp1/7/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp0/B/gpu/a/cards", 1}},
         {{"Gpugrp1/7/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp1/8/Gpugrp0/B/gpu/a/cards", 1}}},
        {"a complete request stays as it is",
         two_levels,
         0,
         {{"Gpugrp1/R/Gpugrp0/R/gpu/a/cards", 1}, {"cpu", 2}},
         {{"Gpugrp1/R/Gpugrp0/R/gpu/a/cards", 1}, {"cpu", 2}}},
        {"as does one for groups that the node has not",
         two_levels,
         0,
         {{"tpu/0/cards", 1}, {"socket/0/gpu/0/cards", 1}},
         {{"tpu/0/cards", 1}, {"socket/0/gpu/0/cards", 1}}},
        {"a number of GPUs is as many requests",
         two_levels,
         2,
         {},
         {{"Gpugrp1/0/Gpugrp0/0/gpu/0/cards", 1}, {"Gpugrp1/1/Gpugrp0/1/gpu/1/cards", 1}}},
        {"those that are named count for it",
         two_levels,
         2,
         {{"gpu/4/cards", 1}},
         {{"Gpugrp1/0/Gpugrp0/0/gpu/4/cards", 1}, {"Gpugrp1/1/Gpugrp0/1/gpu/5/cards", 1}}},
        {"more named than asked for",
         two_levels,
         1,
         {{"gpu/a/cards", 1}, {"gpu/b/cards", 1}},
         {{"Gpugrp1/0/Gpugrp0/0/gpu/a/cards", 1}, {"Gpugrp1/1/Gpugrp0/1/gpu/b/cards", 1}}},
        {"flat GPUs need no groups", {{"gpu/dev0/cards", 1}}, 1, {}, {{"gpu/0/cards", 1}}},
        {"three levels",
         {{"a/0/b/0/c/0/gpu/0/cards", 1}},
         0,
         {{"b/R/gpu/0/cards", 1}},
         {{"a/0/b/R/c/0/gpu/0/cards", 1}}},
        {"of two ways the shorter",
         {{"a/0/b/0/gpu/0/cards", 1}, {"c/0/gpu/0/cards", 1}},
         1,
         {},
         {{"c/0/gpu/0/cards", 1}}},
        {"a node without GPUs takes no number", {{"tpu/0/cards", 1}}, 2, {}, {}},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        const core::GroupLevels levels(group_amounts(row.node));
        CHECK(levels.translate(row.count, group_amounts(row.asked)) == group_amounts(row.expected));
    }
}

TEST_CASE("group levels: other resources are none of its business", "[core][group_allocator]") {
    const core::GroupLevels levels(group_amounts(two_levels));
    const core::GroupAmounts asked{{"cpu", 2}, {"gpu/0/cards", 1}, {"nvidia.com/gpu", 1}};
    CHECK(levels.translate(0, asked) == asked);
    CHECK(levels.has_gpus());
    CHECK_FALSE(core::GroupLevels({{"gpu/0/cards", 1}}).has_gpus());
    CHECK_FALSE(core::GroupLevels(group_amounts({{"gpu/0/memory", 1}})).has_gpus());
}
