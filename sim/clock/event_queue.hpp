#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/clock/event.hpp"

namespace berth::sim {

/// Names one scheduled event, until it was popped or cancelled.
struct EventHandle {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

/// The future event list: a 4-ary implicit heap of (time, kind, sequence), with what an event is
/// about kept beside it, in a slot.
///
/// Shape: up to 2^24 events at a time, 2^36 in a run.
/// Cost:  push and pop O(log4 pending), no allocation once the queue has been as long; cancel O(1).
///        A cancelled event leaves the heap when its time comes.
/// Why:   a 4-ary heap is half as deep as a binary one, and the four children of a node are one
///        cache line of 16-byte entries (docs/explanation/performance.md; `berth bench
///        events` measures it beside std::priority_queue).
class EventQueue {
public:
    EventQueue();
    /// Schedules an event; `at` is not negative. Returns the handle that cancels it.
    EventHandle push(SimTime at, EventKind kind, std::uint32_t subject);
    /// Takes the first event, or nothing when none is left.
    std::optional<Event> pop();
    /// What the first event is about, if it is of that kind and was not cancelled. Its memory can
    /// be fetched while the event before it is handled.
    [[nodiscard]] std::optional<std::uint32_t> next_subject(EventKind kind) const {
        if (heap_.size() == root || kind_of(heap_[root]) != kind) {
            return std::nullopt;
        }
        const Slot& slot = slots_[slot_of(heap_[root])];
        return slot.cancelled ? std::nullopt : std::optional(slot.subject);
    }
    /// Whether the event was still to come; it will not happen then.
    bool cancel(EventHandle handle);
    /// Whether an event comes before all of this time and kind. O(1), and O(cancelled events) where
    /// such are the first.
    [[nodiscard]] bool has_before(SimTime at, EventKind kind) const;
    /// Events still to come.
    [[nodiscard]] std::size_t size() const { return heap_.size() - root - cancelled_; }
    [[nodiscard]] bool empty() const { return size() == 0; }

private:
    struct Entry {
        std::int64_t at = 0;
        std::uint64_t order = 0;  ///< Kind, sequence and slot, from the top: 4, 36 and 24 bits.
        friend bool operator<(const Entry& a, const Entry& b) {
            return a.at != b.at ? a.at < b.at : a.order < b.order;
        }
    };
    struct Slot {
        std::uint32_t generation = 0;
        std::uint32_t subject = 0;
        bool cancelled = false;
    };
    // Entries before the root stand empty, so that each group of children is one cache line.
    static constexpr std::size_t arity = 4;
    static constexpr std::size_t root = arity - 1;
    static constexpr int slot_bits = 24;
    static constexpr int sequence_bits = 36;
    static std::size_t parent(std::size_t entry) { return (entry / arity) + root - 1; }
    static std::size_t first_child(std::size_t entry) { return (entry - root + 1) * arity; }

    static std::size_t earliest_of(const Entry* entries, std::size_t count);
    static std::size_t earliest_of_four(const Entry* entries);
    void rise(std::size_t hole, Entry entry);
    Entry remove_first();
    [[nodiscard]] bool has_before(SimTime at, EventKind kind, std::size_t entry) const;
    static EventKind kind_of(const Entry& entry) {
        return static_cast<EventKind>(entry.order >> (sequence_bits + slot_bits));
    }
    static std::uint32_t slot_of(const Entry& entry) {
        return static_cast<std::uint32_t>(entry.order & ((1U << slot_bits) - 1));
    }

    std::vector<Entry, boost::alignment::aligned_allocator<Entry, 64>> heap_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::uint64_t sequence_ = 0;
    std::size_t cancelled_ = 0;
};

}  // namespace berth::sim
