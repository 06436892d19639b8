#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/event.hpp"

namespace berth::sim {

/// Names one scheduled event, until it was popped or cancelled.
struct EventHandle {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

/// The future event list: a 4-ary implicit heap.
///
/// Cost:  push and pop O(log4 pending), no allocation once the queue has been as long; cancel O(1).
///        A cancelled event leaves the heap when its time comes.
/// Why:   a 4-ary heap is half as deep as a binary one and its children share cache lines; measured
///        against std::priority_queue by `berth bench events` (docs/performance.md).
class EventQueue {
public:
    /// Schedules an event. Returns the handle that cancels it.
    EventHandle push(SimTime at, EventKind kind, std::uint32_t subject);
    /// Takes the first event, or nothing when none is left.
    std::optional<Event> pop();
    /// Whether the event was still to come; it will not happen then.
    bool cancel(EventHandle handle);
    /// Events still to come.
    [[nodiscard]] std::size_t size() const { return heap_.size() - cancelled_; }
    [[nodiscard]] bool empty() const { return size() == 0; }

private:
    struct Slot {
        std::uint32_t generation = 0;
        bool cancelled = false;
    };
    Event remove_first();

    std::vector<Event> heap_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::uint64_t sequence_ = 0;
    std::size_t cancelled_ = 0;
};

}  // namespace berth::sim
