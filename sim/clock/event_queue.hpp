#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/huge_pages.hpp"
#include "sim/clock/event.hpp"

namespace berth::sim {

/// Names one scheduled event until it is popped or cancelled.
struct EventHandle {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

/// The future event list: a 4-ary implicit heap of (time, kind, sequence). What an event is about
/// is kept in a slot beside the heap. Arrivals, timers and samples, which are few at a time and
/// mostly come next, stand apart from the heap, in sorted order.
///
/// Shape: up to 2^24 events at a time, 2^36 in a run.
/// Cost:  push and pop O(log4 pending), or O(1) for events that stand apart, without allocation
///        once the queue has been as long; cancel O(1). A cancelled event is removed when its time
///        comes.
/// Why:   a 4-ary heap is half as deep as a binary one, and the four children of a node are one
///        cache line of 16-byte entries (docs/explanation/performance.md; `berth bench
///        events` measures it beside std::priority_queue).
class EventQueue {
public:
    EventQueue();
    /// Schedules an event; `at` is not negative. Returns the handle that cancels it.
    EventHandle push(SimTime at, EventKind kind, std::uint32_t subject);
    /// Takes out and returns the first event, or nothing when none is left.
    std::optional<Event> pop();
    /// The subject of the first event in the heap, if that event is of this kind and was not
    /// cancelled. The caller can have its memory fetched while the events before it are handled.
    [[nodiscard]] std::optional<std::uint32_t> next_subject(EventKind kind) const {
        return heap_.size() == root ? std::nullopt : subject_of(heap_[root], kind);
    }
    /// The same for the event after it.
    [[nodiscard]] std::optional<std::uint32_t> second_subject(EventKind kind) const {
        constexpr std::size_t child = arity;
        return heap_.size() < child + arity
                   ? std::nullopt
                   : subject_of(heap_[child + earliest_of_four(&heap_[child])], kind);
    }
    /// Has the processor fetch what next_subject() and second_subject() will read.
    [[gnu::always_inline]] void fetch_subjects() const {
        for (std::size_t next = root; next < std::min(root + 1 + arity, heap_.size()); ++next) {
            __builtin_prefetch(&slots_[slot_of(heap_[next])]);
        }
    }
    /// Cancels an event, which will then not happen. Returns whether it was still to come.
    bool cancel(EventHandle handle);
    /// Whether an event comes before all events of this time and kind. O(1), or O(cancelled events)
    /// where the first ones are cancelled.
    [[nodiscard]] bool has_before(SimTime at, EventKind kind) const;
    /// Events still to come.
    [[nodiscard]] std::size_t size() const {
        return heap_.size() - root + apart_count_ - cancelled_;
    }
    [[nodiscard]] bool empty() const { return size() == 0; }

private:
    struct Entry {
        std::int64_t at = 0;
        std::uint64_t order = 0;  ///< Kind, sequence and slot, from the top bit: 4, 36 and 24 bits.
        friend bool operator<(const Entry& a, const Entry& b) {
            return a.at != b.at ? a.at < b.at : a.order < b.order;
        }
    };
    struct Slot {
        std::uint32_t generation = 0;
        std::uint32_t subject = 0;
        bool cancelled = false;
    };
    // The entries before the root stay empty, so that each group of children is one cache line.
    static constexpr std::size_t arity = 4;
    static constexpr std::size_t root = arity - 1;
    static constexpr int slot_bits = 24;
    static constexpr int sequence_bits = 36;
    static constexpr std::size_t apart_max = 8;
    static std::size_t parent(std::size_t entry) { return (entry / arity) + root - 1; }
    static std::size_t first_child(std::size_t entry) { return (entry - root + 1) * arity; }

    static std::size_t earliest_of(const Entry* entries, std::size_t count);
    /// Index of the earliest of four entries. Where their times differ, it compares the times
    /// alone, so that no branch depends on them.
    [[gnu::always_inline]] static std::size_t earliest_of_four(const Entry* entries) {
        const std::int64_t first_pair = std::min(entries[0].at, entries[1].at);
        const std::int64_t second_pair = std::min(entries[2].at, entries[3].at);
        const bool tie = (entries[0].at == entries[1].at) | (entries[2].at == entries[3].at) |
                         (first_pair == second_pair);
        if (tie) {
            return earliest_of(entries, arity);
        }
        // Masks, because a compiler would turn `second ? b : a` into a branch that is mispredicted
        // half the time.
        const auto a = static_cast<std::size_t>(entries[1].at < entries[0].at);
        const auto b = 2 + static_cast<std::size_t>(entries[3].at < entries[2].at);
        const std::size_t second = 0 - static_cast<std::size_t>(second_pair < first_pair);
        return (a & ~second) | (b & second);
    }
    void fetch_grandchildren(std::size_t child) const;
    void rise(std::size_t hole, Entry entry);
    Entry remove_first_of_heap();
    Entry remove_first();
    [[nodiscard]] bool goes_apart(EventKind kind) const {
        return kind >= EventKind::submit && apart_count_ < apart_max;
    }
    void put_apart(Entry entry);
    [[nodiscard]] bool heap_has_before(SimTime at, EventKind kind, std::size_t entry) const;
    [[nodiscard]] bool is_cancelled(const Entry& entry) const {
        return slots_[slot_of(entry)].cancelled;
    }
    static bool is_before(const Entry& entry, SimTime at, EventKind kind) {
        return entry.at != at.count() ? entry.at < at.count() : kind_of(entry) < kind;
    }
    [[nodiscard]] std::optional<std::uint32_t> subject_of(const Entry& entry,
                                                          EventKind kind) const {
        const Slot& slot = slots_[slot_of(entry)];
        return kind_of(entry) != kind || slot.cancelled ? std::nullopt
                                                        : std::optional(slot.subject);
    }
    static EventKind kind_of(const Entry& entry) {
        return static_cast<EventKind>(entry.order >> (sequence_bits + slot_bits));
    }
    static std::uint32_t slot_of(const Entry& entry) {
        return static_cast<std::uint32_t>(entry.order & ((1U << slot_bits) - 1));
    }

    std::vector<Entry, core::HugePages<Entry, core::cache_line>> heap_;
    std::array<Entry, apart_max> apart_;  ///< The first apart_count_ are used, the earliest event
                                          ///< last.
    std::size_t apart_count_ = 0;
    std::vector<Slot, core::HugePages<Slot>> slots_;
    std::vector<std::uint32_t, core::HugePages<std::uint32_t>> free_slots_;
    std::uint64_t sequence_ = 0;
    std::size_t cancelled_ = 0;
};

}  // namespace berth::sim
