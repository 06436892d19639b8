#include "sim/event_queue.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

constexpr std::size_t arity = 4;

}  // namespace

EventHandle EventQueue::push(SimTime at, EventKind kind, std::uint32_t subject) {
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
        slot = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    const std::uint64_t order = static_cast<std::uint64_t>(kind) << 56 | sequence_++;
    const Event event{at, order, subject, slot};
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / arity;
        if (!(event < heap_[parent])) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = event;
    return {slot, slots_[slot].generation};
}

Event EventQueue::remove_first() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    // The hole sinks along the earliest children to the bottom, where the last entry nearly always
    // belongs, and that entry then rises: fewer comparisons than asking at each step.
    for (std::size_t child = 1; child < size; child = hole * arity + 1) {
        const std::size_t end = std::min(child + arity, size);
        std::size_t earliest = child;
        for (std::size_t other = child + 1; other < end; ++other) {
            earliest = heap_[other] < heap_[earliest] ? other : earliest;
        }
        heap_[hole] = heap_[earliest];
        hole = earliest;
    }
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / arity;
        if (!(last < heap_[parent])) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    if (size > 0) {
        heap_[hole] = last;
    }
    return first;
}

std::optional<Event> EventQueue::pop() {
    while (!heap_.empty()) {
        const Event event = remove_first();
        Slot& slot = slots_[event.slot];
        const bool happens = !slot.cancelled;
        ++slot.generation;
        slot.cancelled = false;
        free_slots_.push_back(event.slot);
        if (happens) {
            return event;
        }
        --cancelled_;
    }
    return std::nullopt;
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
