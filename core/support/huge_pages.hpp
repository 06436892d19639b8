#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace berth::core {

/// The size on x86-64 and most Arm processors.
constexpr std::size_t cache_line = 64;
/// The size on x86-64, and on Arm with pages of 4 KiB.
constexpr std::size_t huge_page = std::size_t{2} << 20U;

/// Allocates arrays that may grow large and are read in random order. An array that fills a huge
/// page asks the system for huge pages: the addresses of many small pages do not fit into the
/// processor's cache of addresses, and the processor would have to wait for these before it could
/// wait for the data. A smaller array begins at a multiple of `alignment`.
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
            // Small pages will do where the system has no huge ones.
            (void)::madvise(memory, bytes, MADV_HUGEPAGE);
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) { ::operator delete(memory, beginning(count)); }
    friend bool operator==(const HugePages& /*a*/, const HugePages& /*b*/) { return true; }

private:
    /// Whether `count` whole elements fill a huge page, or all but a part too small for another
    /// element.
    static bool fills_a_page(std::size_t count) { return count >= huge_page / sizeof(T); }
    static std::align_val_t beginning(std::size_t count) {
        return std::align_val_t{fills_a_page(count) ? huge_page : alignment};
    }
};

}  // namespace berth::core
