#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

#include "sim/time.hpp"

namespace berth::sim {

/// What happens at one instant. Enumerator order is the order within an instant: what was held comes
/// back before anyone asks for it, the scheduler wakes when all who arrive have arrived, and a
/// sample sees the settled state.
enum class EventKind : std::uint8_t { finish, resize, submit, cycle, sample };

/// One entry of the future event list. Order is total: (at, kind, sequence), so two runs of one
/// seed handle the same events on every machine and under every queue implementation.
struct Event {
    SimTime at{};
    std::uint64_t order = 0;    ///< The kind in the top byte, then the insertion number.
    std::uint32_t subject = 0;  ///< Job index, by kind; no part of the order.
    std::uint32_t slot = 0;     ///< The queue's own, for cancellation.

    [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(order >> 56); }

    friend bool operator<(const Event& a, const Event& b) {
        return a.at != b.at ? a.at < b.at : a.order < b.order;
    }
};

}  // namespace berth::sim
