#include "core/support/free_lists.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory_resource>
#include <vector>

#include "tests/support/random_cluster.hpp"

using namespace berth;

TEST_CASE("free lists: no two pieces share a byte, whatever comes and goes", "[core][free_lists]") {
    struct Piece {
        unsigned char* bytes = nullptr;
        std::size_t size = 0;
        std::size_t alignment = 0;
        unsigned char mark = 0;
    };
    tests::Dice dice(1);
    core::FreeLists memory;
    std::vector<Piece> pieces;
    for (int step = 0; step < 20'000; ++step) {
        if (dice.chance(52) || pieces.empty()) {
            Piece piece;
            piece.size = static_cast<std::size_t>(dice.roll(1, dice.chance(5) ? 5'000 : 300));
            piece.alignment = std::size_t{1} << dice.roll(0, 6);
            piece.mark = static_cast<unsigned char>(step);
            piece.bytes = static_cast<unsigned char*>(memory.allocate(piece.size, piece.alignment));
            REQUIRE(reinterpret_cast<std::uintptr_t>(piece.bytes) % piece.alignment == 0);
            std::memset(piece.bytes, piece.mark, piece.size);
            pieces.push_back(piece);
        } else {
            std::swap(pieces[static_cast<std::size_t>(
                          dice.roll(0, static_cast<std::int64_t>(pieces.size()) - 1))],
                      pieces.back());
            const Piece& piece = pieces.back();
            REQUIRE(std::all_of(piece.bytes, piece.bytes + piece.size, [&](unsigned char byte) {
                return byte == piece.mark;
            }));
            memory.deallocate(piece.bytes, piece.size, piece.alignment);
            pieces.pop_back();
        }
    }
    for (const Piece& piece : pieces) {
        memory.deallocate(piece.bytes, piece.size, piece.alignment);
    }
}

TEST_CASE("free lists: what was given back is handed out again, the last first",
          "[core][free_lists]") {
    core::FreeLists memory;
    void* const first = memory.allocate(72, 8);
    void* const second = memory.allocate(72, 8);
    void* const other = memory.allocate(64, 8);
    memory.deallocate(first, 72, 8);
    memory.deallocate(second, 72, 8);
    memory.deallocate(other, 64, 8);
    CHECK(memory.allocate(72, 8) == second);
    CHECK(memory.allocate(68, 4) == first);
    CHECK(memory.allocate(64, 8) == other);

    std::pmr::map<int, int> map(&memory);
    map.emplace(1, 1);
    const void* const node = &*map.begin();
    map.clear();
    map.emplace(2, 2);
    CHECK(&*map.begin() == node);
}
