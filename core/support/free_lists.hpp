#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "core/support/arena.hpp"

namespace berth::core {

/// Memory for the nodes of maps whose entries come and go: what was given back is handed out again,
/// by its size, the last first. It goes back to the system with this. Of one thread.
///
/// Cost: O(1), some ten instructions; std::pmr::unsynchronized_pool_resource, which also finds out
///       whose block a node is, takes ten times that.
class FreeLists final : public std::pmr::memory_resource {
public:
    FreeLists() = default;
    FreeLists(const FreeLists&) = delete;
    FreeLists& operator=(const FreeLists&) = delete;

private:
    using Word = std::uint64_t;
    struct Free {
        Free* next = nullptr;
    };
    static constexpr std::size_t words_max = 32;
    static std::size_t words_of(std::size_t bytes) {
        return (bytes + sizeof(Word) - 1) / sizeof(Word);
    }
    static bool is_large(std::size_t bytes, std::size_t alignment) {
        return words_of(bytes) > words_max || alignment > alignof(Word);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (is_large(bytes, alignment)) [[unlikely]] {
            return ::operator new(bytes, std::align_val_t{alignment});
        }
        Free*& first = free_[words_of(bytes)];
        if (first == nullptr) {
            return arena_.allocate<Word>(words_of(bytes));
        }
        Free* const piece = first;
        first = piece->next;
        return piece;
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        if (is_large(bytes, alignment)) [[unlikely]] {
            ::operator delete(memory, std::align_val_t{alignment});
            return;
        }
        Free*& first = free_[words_of(bytes)];
        first = new (memory) Free{first};
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    Arena arena_;
    std::array<Free*, words_max + 1> free_{};  ///< By the words of a piece.
};

}  // namespace berth::core
