#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace berth::core {

/// Of x86-64 and most of Arm.
constexpr std::size_t cache_line = 64;
/// Of x86-64, and of Arm with pages of 4 KiB.
constexpr std::size_t huge_page = std::size_t{2} << 20U;

/// Allocates arrays that may grow large and are read here and there. Those that fill a huge page
/// ask the system for such pages: the addresses of many small ones do not fit into the processor's
/// cache of addresses, and it would wait for these before it waits for what is there. Smaller
/// arrays begin at a multiple of `alignment`.
template <class T, std::size_t alignment = alignof(T)>
struct HugePages {
    using value_type = T;
    template <class Other>
    struct rebind {
        using other = HugePages<Other, alignment>;
    };

    HugePages() = default;
    template <class Other>
    explicit(false) HugePages(const HugePages<Other, alignment>& /*other*/) {}

    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* const memory = ::operator new(bytes, beginning(count));
        if (fills_a_page(count)) {
            // Where the system has none, small ones do.
            (void)::madvise(memory, bytes, MADV_HUGEPAGE);
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) { ::operator delete(memory, beginning(count)); }
    friend bool operator==(const HugePages& /*a*/, const HugePages& /*b*/) { return true; }

private:
    /// As far as whole elements do.
    static bool fills_a_page(std::size_t count) { return count >= huge_page / sizeof(T); }
    static std::align_val_t beginning(std::size_t count) {
        return std::align_val_t{fills_a_page(count) ? huge_page : alignment};
    }
};

}  // namespace berth::core
