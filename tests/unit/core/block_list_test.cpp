#include "core/support/block_list.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>

namespace berth::core {
namespace {

TEST_CASE("block list: values stand where they were put, in one block and in several") {
    constexpr std::size_t per_block = huge_page / sizeof(std::uint64_t);
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, per_block, 2 * per_block + 3}) {
        BlockList<std::uint64_t> list;
        CHECK(list.empty());
        for (std::size_t i = 0; i < count; ++i) {
            list.emplace_back() = 7 * i;
        }
        REQUIRE(list.size() == count);
        CHECK(list.empty() == (count == 0));
        std::size_t wrong = 0;
        std::size_t next = 0;
        list.each([&](std::uint64_t value) {
            wrong += value != 7 * next || list[next] != value ? 1 : 0;
            ++next;
        });
        CHECK(next == count);
        CHECK(wrong == 0);
    }
}

TEST_CASE("block list: beyond the first block nothing moves") {
    constexpr std::size_t per_block = huge_page / sizeof(std::uint64_t);
    BlockList<std::uint64_t> list;
    while (list.size() <= per_block) {
        list.emplace_back();
    }
    const std::uint64_t* const first = &list[0];
    const std::uint64_t* const last = &list[per_block];
    while (list.size() < 3 * per_block) {
        list.emplace_back();
    }
    CHECK(first == &list[0]);
    CHECK(last == &list[per_block]);
}

}  // namespace
}  // namespace berth::core
