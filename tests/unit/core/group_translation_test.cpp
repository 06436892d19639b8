#include "core/group_allocator/group_translation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "core/group_allocator/best_tree.hpp"

namespace {

using namespace berth;
using core::Amount;
using core::GpuLevels;
using core::GroupAmountList;
using core::GroupAmounts;
using core::GroupStage;

/// Names below `resource/group/`, each with the amount 1.
GroupAmountList ones(const std::vector<std::string>& names) {
    GroupAmountList out;
    for (const std::string& name : names) {
        out.emplace_back("resource/group/" + name, 1);
    }
    std::ranges::sort(out);
    return out;
}

const GroupStage over_gpu{"/gpugrp0/", "/gpu/"};
const GroupStage over_group0{"/gpugrp1/", "/gpugrp0/"};

}  // namespace

TEST_CASE("translation: \"if we need two GPUs within the same Gpugrp0\", they share one Gpugrp1",
          "[core][group_allocator]") {
    GroupAmountList requests = ones({"gpugrp0/RA/gpu/gpu0/cards", "gpugrp0/RA/gpu/gpu1/cards"});
    CHECK(core::translate_stage(over_group0, requests));
    CHECK(requests ==
          ones({"gpugrp1/0/gpugrp0/RA/gpu/gpu0/cards", "gpugrp1/0/gpugrp0/RA/gpu/gpu1/cards"}));
}

TEST_CASE("translation: \"a unique Gpugrp1, a different one for each differing Gpugrp0\"",
          "[core][group_allocator]") {
    GroupAmountList requests = ones({"gpugrp0/RA/gpu/0/cards",
                                     "gpugrp0/RA/gpu/1/cards",
                                     "gpugrp0/RB/gpu/2/cards",
                                     "gpugrp0/RB/gpu/3/cards"});
    CHECK(core::translate_stage(over_group0, requests));
    CHECK(requests == ones({"gpugrp1/0/gpugrp0/RA/gpu/0/cards",
                            "gpugrp1/0/gpugrp0/RA/gpu/1/cards",
                            "gpugrp1/1/gpugrp0/RB/gpu/2/cards",
                            "gpugrp1/1/gpugrp0/RB/gpu/3/cards"}));
}

TEST_CASE("translation: requests that name both groups stay as they are",
          "[core][group_allocator]") {
    const GroupAmountList requests =
        ones({"gpugrp1/R0/gpugrp0/RA/gpu/gpu0/cards", "gpugrp1/R1/gpugrp0/RB/gpu/gpu1/cards"});
    CHECK(core::translate_gpu_requests(0, core::all_gpu_levels, requests) == requests);
}

TEST_CASE("translation: a stage renames by name alone", "[core][group_allocator]") {
    using Names = std::vector<std::string>;
    using Row = std::tuple<std::string, Names, Names>;
    const auto [what, before, after] = GENERATE(table<std::string, Names, Names>({
        Row{"what belongs to one GPU stays together",
            {"gpu/0/cards", "gpu/0/memory", "gpu/1/cards"},
            {"gpugrp0/0/gpu/0/cards", "gpugrp0/0/gpu/0/memory", "gpugrp0/1/gpu/1/cards"}},
        Row{"numbers go in byte order",
            {"gpu/10/cards", "gpu/2/cards"},
            {"gpugrp0/0/gpu/10/cards", "gpugrp0/1/gpu/2/cards"}},
        Row{"numbers begin above those in use",
            {"gpu/a/cards", "gpugrp0/7/gpu/b/cards", "gpugrp0/x/gpu/c/cards"},
            {"gpugrp0/8/gpu/a/cards", "gpugrp0/7/gpu/b/cards", "gpugrp0/x/gpu/c/cards"}},
        Row{"a signed number is a number, a negative one below all",
            {"gpu/a/cards", "gpugrp0/+3/gpu/b/cards", "gpugrp0/-9/gpu/c/cards"},
            {"gpugrp0/4/gpu/a/cards", "gpugrp0/+3/gpu/b/cards", "gpugrp0/-9/gpu/c/cards"}},
        Row{"a number too large for 64 bits is none",
            {"gpu/a/cards", "gpugrp0/99999999999999999999/gpu/b/cards"},
            {"gpugrp0/0/gpu/a/cards", "gpugrp0/99999999999999999999/gpu/b/cards"}},
        Row{"one number for one index, whatever encloses it",
            {"gpugrp1/0/gpu/a/cards", "gpugrp1/1/gpu/a/cards"},
            {"gpugrp1/0/gpugrp0/0/gpu/a/cards", "gpugrp1/1/gpugrp0/0/gpu/a/cards"}},
        Row{"a part that only begins as the next stage counts as enclosed",
            {"gpugrp0/0/gpux/a/cards", "gpugrp0/5/gpugrp9/a/gpu/b/cards"},
            {"gpugrp0/0/gpux/a/cards", "gpugrp0/5/gpugrp9/a/gpu/b/cards"}},
        Row{"a group directly before the GPUs encloses nothing: it has no index",
            {"gpugrp0/gpu/a/cards"},
            {"gpugrp0/gpugrp0/0/gpu/a/cards"}},
        Row{"the first such part is the one that gets a group",
            {"gpu/gpu/a/cards"},
            {"gpugrp0/0/gpu/gpu/a/cards"}},
        Row{"a GPU without anything below it is none", {"gpu/0"}, {"gpu/0"}},
        Row{"other letters are another name",
            {"Gpugrp0/A/gpu/0/cards"},
            {"Gpugrp0/A/gpugrp0/0/gpu/0/cards"}},
    }));
    CAPTURE(what);
    GroupAmountList requests = ones(before);
    CHECK(core::translate_stage(over_gpu, requests) == (ones(before) != ones(after)));
    CHECK(requests == ones(after));
}

TEST_CASE("translation: after the largest number comes the smallest, and a name it meets stays",
          "[core][group_allocator]") {
    const std::string largest = "resource/group/gpugrp0/9223372036854775807/gpu/b/cards";
    const std::string smallest = "resource/group/gpugrp0/-9223372036854775808/gpu/a/cards";
    GroupAmountList requests{
        {smallest, 2}, {largest, 3}, {"resource/group/gpu/a/cards", 1}, {"cpu", 4}};
    std::ranges::sort(requests);
    CHECK(core::translate_stage(over_gpu, requests));
    CHECK(requests == GroupAmountList{{"cpu", 4}, {smallest, 2}, {largest, 3}});
}

TEST_CASE("translation: a node shows its levels by its names", "[core][group_allocator]") {
    using Row = std::pair<std::string, GpuLevels>;
    const auto [name, levels] = GENERATE(table<std::string, GpuLevels>({
        Row{"resource/group/gpu/0/cards", {true, false, false}},
        Row{"resource/group/gpu/0/cardsAndMore", {true, false, false}},
        Row{"resource/group/gpu/0/memory", {false, false, false}},
        Row{"resource/groups/gpu/0/cards", {true, false, false}},
        Row{"resource/grp/gpu/0/cards", {false, false, false}},
        Row{"resource/group/gpugrp0/0/gpu/0/cards", {true, true, false}},
        Row{"resource/group/gpugrp1/0/gpugrp0/0/gpu/0/cards", {true, true, true}},
        Row{"resource/group/gpugrp1/0/gpu/0/cards", {true, false, false}},
        Row{"resource/group/gpugrp1/0/gpugrp0/0/memory", {false, false, true}},
        Row{"nvidia.com/gpu", {false, false, false}},
    }));
    CAPTURE(name);
    CHECK(core::gpu_levels({{name, 1}}) == levels);
}

TEST_CASE("translation: a number of GPUs becomes cards, each in groups of its own",
          "[core][group_allocator]") {
    const GroupAmountList requests{{"cpu", 4}, {"nvidia.com/gpu", 2}};
    const auto translate = [&](const GpuLevels& levels) {
        GroupAmountList out = core::translate_gpu_requests(2, levels, requests);
        CHECK(GroupAmountList(out.begin(), out.begin() + 2) == requests);
        out.erase(out.begin(), out.begin() + 2);
        return out;
    };
    CHECK(translate(core::all_gpu_levels) ==
          ones({"gpugrp1/0/gpugrp0/0/gpu/0/cards", "gpugrp1/1/gpugrp0/1/gpu/1/cards"}));
    CHECK(translate({true, true, false}) ==
          ones({"gpugrp0/0/gpu/0/cards", "gpugrp0/1/gpu/1/cards"}));
    CHECK(translate({true, false, true}) == ones({"gpu/0/cards", "gpu/1/cards"}));
    // A node without cards is asked for none: whether it has GPUs at all is for another filter to
    // decide.
    CHECK(translate({false, true, true}).empty());
}

TEST_CASE("translation: cards that are named count, whatever their amount",
          "[core][group_allocator]") {
    const GpuLevels flat{true, false, false};
    GroupAmountList requests{{"resource/group/gpu/3/cards", 0}, {"resource/group/gpu/x/cards", 1}};
    CHECK(core::translate_gpu_requests(2, flat, requests) == requests);
    requests.insert(requests.begin() + 1, {"resource/group/gpu/4/cards", 1});
    CHECK(core::translate_gpu_requests(
              3, flat, {{"resource/group/gpu/3/cards", 0}, {"resource/group/gpu/x/cards", 1}}) ==
          requests);
    CHECK(core::translate_gpu_requests(-1, flat, requests) == requests);
}

TEST_CASE("translation: a number alone gives what the cards by name give",
          "[core][group_allocator]") {
    const int count = GENERATE(1, 2, 9, 10, 11, 12, 100, 101, 345);
    const GpuLevels levels{true, GENERATE(false, true), GENERATE(false, true)};
    CAPTURE(count, levels.group0, levels.group1);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.push_back("gpu/" + std::to_string(i) + "/cards");
    }
    // These two sort between the cards that come out.
    GroupAmountList other{{"resource/group/gpugrp1", 5}, {"resource/group/gpugrp1/1", 6}};
    GroupAmountList by_name = ones(names);
    by_name.insert(by_name.end(), other.begin(), other.end());
    std::ranges::sort(by_name);
    CHECK(core::translate_gpu_requests(count, levels, other) ==
          core::translate_gpu_requests(0, levels, by_name));
}

TEST_CASE("best tree: groups by size, larger and closer ones first", "[core][group_allocator]") {
    const auto tree_of = [](const std::vector<std::string>& names) {
        const GroupAmountList list = ones(names);
        return core::gpu_tree(GroupAmounts(list.begin(), list.end()));
    };
    const core::GpuTree tree = tree_of({"gpugrp1/a/gpugrp0/0/gpu/0/cards",
                                        "gpugrp1/b/gpugrp0/0/gpu/1/cards",
                                        "gpugrp1/b/gpugrp0/1/gpu/2/cards",
                                        "gpugrp1/c/gpugrp0/0/gpu/3/cards",
                                        "gpugrp1/c/gpugrp0/0/gpu/4/cards",
                                        "gpu/5/cards"});
    CHECK(core::to_string(tree) == "5(2(2) 2(1 1) 1(1))");
    // Each family of siblings counts with its level times its mean: (2 + 2 + 1) / 3, then 2 * 2 + 2
    // * (1 + 1) / 2 + 2 * 1.
    CHECK(core::tree_score(tree) == Approx(5.0 / 3 + 4 + 2 + 2));
    CHECK(std::isnan(core::tree_score(tree_of({"gpu/0/cards"}))));
    CHECK(core::to_string(tree_of({"gpugrp1/0/cards"})) == "0");
    CHECK_FALSE(core::same_shape(tree, tree_of({"gpugrp1/a/gpugrp0/0/gpu/0/cards"})));
}

TEST_CASE("best tree: requests fill the best tree that is large enough",
          "[core][group_allocator]") {
    const auto node = [](std::vector<int> sizes) {
        GroupAmounts out;
        int gpu = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            for (int k = 0; k < sizes[i]; ++k) {
                out["resource/group/gpugrp1/0/gpugrp0/" + std::to_string(i) + "/gpu/" +
                    std::to_string(gpu++) + "/cards"] = 1;
            }
        }
        return out;
    };
    core::GpuTreeCache trees;
    trees.add("none", {});
    trees.add("pairs", node({2, 2}));
    trees.add("four", node({4}));
    trees.add("pairs too", node({2, 2}));
    trees.add("flat", {{"resource/group/gpu/0/cards", 1}});
    REQUIRE(trees.entries().size() == 3);
    CHECK(trees.entries()[0].nodes == std::vector<std::string>{"pairs", "pairs too"});
    CHECK(trees.best(5) == nullptr);
    REQUIRE(trees.best(3) != nullptr);
    CHECK(core::to_string(*trees.best(3)) == "4(4(4))");
    CHECK(core::request_tree(
              core::gpu_tree(node({1, 2})), 5, {{"cpu", 1}, {"resource/group/gpu/0/memory", 8}}) ==
          GroupAmounts{{"cpu", 1},
                       {"resource/group/gpugrp1/0/gpugrp0/0/gpu/0/cards", 1},
                       {"resource/group/gpugrp1/0/gpugrp0/0/gpu/1/cards", 1},
                       {"resource/group/gpugrp1/0/gpugrp0/1/gpu/0/cards", 1}});
}
