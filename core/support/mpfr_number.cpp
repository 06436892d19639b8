#include "core/support/mpfr_number.hpp"

#include <gmp.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// GMP ends the program when memory runs out, and no exception may pass through it. The few numbers
/// that it needs then get this room, and the next request for memory elsewhere says that there is
/// none.
class Reserve {
public:
    void* take(std::size_t bytes) {
        const std::lock_guard guard(mutex_);
        constexpr std::size_t unit = alignof(std::max_align_t);
        const std::size_t begin = (used_ + unit - 1) / unit * unit;
        BERTH_ASSERT(bytes <= room_.size() - begin, "memory has run out, and the reserve too");
        used_ = begin + bytes;
        ++taken_;
        return room_.data() + begin;
    }
    [[nodiscard]] bool has(const void* place) const {
        const auto* const byte = static_cast<const std::byte*>(place);
        return !std::less()(byte, room_.data()) && std::less()(byte, room_.data() + room_.size());
    }
    void give_back() {
        const std::lock_guard guard(mutex_);
        used_ = --taken_ == 0 ? 0 : used_;
    }

private:
    std::mutex mutex_;
    std::size_t used_ = 0;
    std::size_t taken_ = 0;
    alignas(std::max_align_t) std::array<std::byte, std::size_t{1} << 18> room_{};
};

Reserve reserve;

void* allocate(std::size_t bytes) {
    void* const place = std::malloc(bytes);
    return place != nullptr ? place : reserve.take(bytes);
}

void release(void* place, std::size_t /*bytes*/) {
    if (reserve.has(place)) {
        reserve.give_back();
    } else {
        std::free(place);
    }
}

void* reallocate(void* place, std::size_t before, std::size_t bytes) {
    void* const other = allocate(bytes);
    std::memcpy(other, place, before < bytes ? before : bytes);
    release(place, before);
    return other;
}

}  // namespace

void MpfrNumber::use_reserve() {
    static const bool once = [] {
        mp_set_memory_functions(allocate, reallocate, release);
        return true;
    }();
    static_cast<void>(once);
}

void MpfrNumber::forget_when_thread_ends() {
    // Not a thread_local object with a destructor: the C library ends the program when it has no
    // memory to register that destructor.
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        const int why = ::pthread_key_create(&made, [](void*) { mpfr_free_cache(); });
        BERTH_ASSERT(why == 0, "few keys are asked for");
        return made;
    }();
    if (::pthread_getspecific(key) == nullptr) {
        ::pthread_setspecific(key, &reserve);  // any pointer but null will do
    }
}

}  // namespace berth::core
