#include "sim/clock/event_queue.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

EventQueue::EventQueue() : heap_(root) {}

EventHandle EventQueue::push(SimTime at, EventKind kind, std::uint32_t subject) {
    BERTH_ASSERT(at >= SimTime(0), "nothing happens before the run begins");
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
        slot = static_cast<std::uint32_t>(slots_.size());
        BERTH_ASSERT(slot >> slot_bits == 0, "no more events at a time than slots can name");
        slots_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    BERTH_ASSERT(sequence_ >> sequence_bits == 0, "no more events than sequence numbers");
    slots_[slot].subject = subject;
    const std::uint64_t order = static_cast<std::uint64_t>(kind) << (sequence_bits + slot_bits) |
                                sequence_++ << slot_bits | slot;
    if (goes_apart(kind)) {
        put_apart({at.count(), order});
    } else {
        heap_.emplace_back();
        rise(heap_.size() - 1, {at.count(), order});
    }
    return {slot, slots_[slot].generation};
}

/// Sorts an event into the few that stand apart from the heap. They are of the kinds from
/// EventKind::submit on, because a run has only one event of each of these kinds at a time. A new
/// kind of which a run may have many events belongs before `submit`: after it, its events would
/// fill the places here, and events that come soon would have to go into the heap.
void EventQueue::put_apart(Entry entry) {
    std::size_t place = apart_count_++;
    for (; place > 0 && apart_[place - 1] < entry; --place) {
        apart_[place] = apart_[place - 1];
    }
    apart_[place] = entry;
}

void EventQueue::rise(std::size_t hole, Entry entry) {
    while (hole > root && entry < heap_[parent(hole)]) {
        heap_[hole] = heap_[parent(hole)];
        hole = parent(hole);
    }
    heap_[hole] = entry;
}

std::size_t EventQueue::earliest_of(const Entry* entries, std::size_t count) {
    std::size_t earliest = 0;
    for (std::size_t other = 1; other < count; ++other) {
        earliest = entries[other] < entries[earliest] ? other : earliest;
    }
    return earliest;
}

/// Has the processor fetch the children of these four entries, which are four cache lines: the line
/// that is needed next is on its way before it is known which one it is. Always inline, like
/// JobTable::fetch().
[[gnu::always_inline]] inline void EventQueue::fetch_grandchildren(std::size_t child) const {
    const Entry* first = &heap_[first_child(child)];
    __builtin_prefetch(first);
    __builtin_prefetch(first + arity);
    __builtin_prefetch(first + 2 * arity);
    __builtin_prefetch(first + 3 * arity);
}

EventQueue::Entry EventQueue::remove_first() {
    if (apart_count_ > 0 && (heap_.size() == root || apart_[apart_count_ - 1] < heap_[root])) {
        return apart_[--apart_count_];
    }
    return remove_first_of_heap();
}

EventQueue::Entry EventQueue::remove_first_of_heap() {
    BERTH_AUDIT(heap_.size() > root, "an event is left to remove");
    const Entry first = heap_[root];
    const Entry last = heap_.back();
    heap_.pop_back();
    const std::size_t end = heap_.size();
    if (end == root) {
        return first;
    }
    // The hole sinks along the earliest children to the bottom, where the last entry nearly always
    // belongs, and that entry then rises. This takes fewer comparisons than comparing at each step.
    std::size_t hole = root;
    const auto sink_to = [&](std::size_t earliest) {
        heap_[hole] = heap_[earliest];
        hole = earliest;
    };
    std::size_t child = first_child(hole);
    for (; first_child(child) + arity * arity <= end; child = first_child(hole)) {
        fetch_grandchildren(child);
        sink_to(child + earliest_of_four(&heap_[child]));
    }
    for (; child < end; child = first_child(hole)) {
        sink_to(child + (child + arity <= end ? earliest_of_four(&heap_[child])
                                              : earliest_of(&heap_[child], end - child)));
    }
    rise(hole, last);
    return first;
}

std::optional<Event> EventQueue::pop() {
    while (heap_.size() > root || apart_count_ > 0) {
        const Entry entry = remove_first();
        const std::uint32_t index = slot_of(entry);
        Slot& slot = slots_[index];
        const bool happens = !slot.cancelled;
        ++slot.generation;
        slot.cancelled = false;
        free_slots_.push_back(index);
        if (happens) {
            return Event{SimTime(entry.at), kind_of(entry), slot.subject};
        }
        BERTH_ASSERT(cancelled_ > 0, "an event that does not happen was cancelled");
        --cancelled_;
    }
    BERTH_ASSERT(free_slots_.size() == slots_.size() && cancelled_ == 0,
                 "where no event is left, none has a slot");
    return std::nullopt;
}

bool EventQueue::has_before(SimTime at, EventKind kind) const {
    const auto comes_before = [&](const Entry& entry) {
        return is_before(entry, at, kind) && !is_cancelled(entry);
    };
    return std::any_of(apart_.begin(), apart_.begin() + apart_count_, comes_before) ||
           heap_has_before(at, kind, root);
}

/// Whether an event at this entry or below it in the heap comes before that time and kind. A
/// cancelled entry may hide others below it.
bool EventQueue::heap_has_before(SimTime at, EventKind kind, std::size_t entry) const {
    if (entry >= heap_.size() || !is_before(heap_[entry], at, kind)) {
        return false;
    }
    if (!is_cancelled(heap_[entry])) {
        return true;
    }
    const std::size_t child = first_child(entry);
    return heap_has_before(at, kind, child) || heap_has_before(at, kind, child + 1) ||
           heap_has_before(at, kind, child + 2) || heap_has_before(at, kind, child + 3);
}

bool EventQueue::cancel(EventHandle handle) {
    BERTH_ASSERT(handle.slot < slots_.size(), "a handle comes from this queue");
    Slot& slot = slots_[handle.slot];
    if (slot.generation != handle.generation || slot.cancelled) {
        return false;
    }
    slot.cancelled = true;
    ++cancelled_;
    return true;
}

}  // namespace berth::sim
