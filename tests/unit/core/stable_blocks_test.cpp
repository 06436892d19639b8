#include "core/support/stable_blocks.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace berth::core {
namespace {

TEST_CASE("stable blocks: no value moves, over several blocks") {
    using Value = std::array<std::uint64_t, 64>;
    StableBlocks<Value> blocks;
    std::vector<Value*> values;
    for (std::uint64_t i = 0; i < 3 * huge_page / sizeof(Value); ++i) {
        values.push_back(&blocks.add());
        CHECK(values.back()->front() == 0);
        values.back()->front() = i;
    }
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        wrong += values[i]->front() != i ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("stable blocks: a value larger than a page has a block of its own") {
    using Large = std::array<char, huge_page + 1>;
    StableBlocks<Large> blocks;
    Large& first = blocks.add();
    first.back() = 'a';
    blocks.add().back() = 'b';
    CHECK(first.back() == 'a');
}

TEST_CASE("stable blocks: what values hold goes with them") {
    const auto held = std::make_shared<int>();
    StableBlocks<std::shared_ptr<int>> blocks;
    blocks.add() = held;
    blocks.add() = held;
    REQUIRE(held.use_count() == 3);
    blocks.clear();
    CHECK(held.use_count() == 1);
    CHECK(blocks.add() == nullptr);
}

}  // namespace
}  // namespace berth::core
