// The queue's classes, shapes and lists, compared with all waiting jobs.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/queue/waiting_queue.hpp"

namespace berth::sim {

using core::Violation;

namespace {

std::string text(const std::optional<QueueKey>& place) {
    return place ? fmt::format("at {}, {}, {}", place->owner, place->rank, place->number)
                 : std::string("nowhere");
}

Violation wrong(const char* invariant, std::string where, bool found) {
    return {invariant, std::move(where), found ? "there" : "absent", found ? "absent" : "there"};
}

/// A wrong number of entries in a list of shapes or classes without room.
Violation wrong_count(const char* invariant, std::string where, std::ptrdiff_t found, bool once) {
    return {invariant, std::move(where), fmt::format("{} times", found), once ? "once" : "never"};
}

}  // namespace

/// Checks that each waiting job is in the queue once, in the class of its kind.
std::optional<Violation> WaitingQueue::find_wrong_place(std::span<const Waits> all) const {
    for (const Waits& waits : all) {
        const std::string where = fmt::format("job {}", waits.job->name);
        constexpr const char* invariant =
            "a waiting job stands in the queue, in the class of its kind";
        const auto shape = shapes_.find(demand_of(*waits.job));
        if (shape == shapes_.end()) {
            return wrong(invariant, where, false);
        }
        const auto entry = shape->second.classes.find(class_of(*waits.job, waits.quota));
        if (entry == shape->second.classes.end()) {
            return wrong(invariant, where, false);
        }
        const auto place = entry->second.jobs.find(waits.key);
        if (place == entry->second.jobs.end() || place->second.job != waits.index ||
            place->second.duration != waits.duration) {
            return wrong(invariant, where, false);
        }
    }
    std::size_t standing = 0;
    for (const auto& [demand, shape] : shapes_) {
        for (const auto& [key, entry] : shape.classes) {
            standing += entry.jobs.size();
        }
    }
    if (standing != all.size() || size_ != all.size()) {
        return Violation{"the queue has as many jobs as wait",
                         "the queue",
                         fmt::format("{}, and a size of {}", standing, size_),
                         fmt::format("{}", all.size())};
    }
    return std::nullopt;
}

/// Checks that a class is in the lists where it belongs: the heads of its shape, the classes held
/// back, the classes without room, the classes of its quota.
std::optional<Violation> WaitingQueue::find_wrong_list(const Class& entry) const {
    const core::QuotaId quota = std::get<core::QuotaId>(entry.key);
    const std::string where = fmt::format("a class of owner {}", quota.index);
    std::optional<QueueKey> expected;
    if (!entry.jobs.empty() && !entry.held_back && !entry.no_room) {
        expected = entry.jobs.begin()->first;
        expected->owner = rank_of(quota);
    }
    const bool empty = std::ranges::count(empty_, &entry) == 1;
    if (entry.jobs.empty() != empty || (empty && !may_stay_empty(entry))) {
        return wrong("a class without jobs is kept for those to come", where, empty);
    }
    if (entry.listed != expected) {
        return Violation{"a class that may be tried stands at the place of its first job",
                         where,
                         text(entry.listed),
                         text(expected)};
    }
    const auto has = [&](const Heads& list) {
        const auto at = entry.listed ? list.find(*entry.listed) : list.end();
        return at != list.end() && at->second == &entry;
    };
    if (has(entry.shape->heads) != expected.has_value()) {
        return wrong("a class that may be tried is among the heads of its shape",
                     where,
                     has(entry.shape->heads));
    }
    const bool preempts = expected && may_find_victims(entry);
    if (has(entry.shape->preemptors) != preempts) {
        return wrong("a class that may find victims is among those of its shape",
                     where,
                     has(entry.shape->preemptors));
    }
    const bool held = entry.held_back ? *entry.held_back < held_back_.size() &&
                                            held_back_[*entry.held_back] == &entry
                                      : !std::ranges::count(held_back_, &entry);
    if (!held) {
        return wrong("a class that its quota holds back is listed once", where, !entry.held_back);
    }
    const auto without_room = std::ranges::count(classes_without_room_, &entry);
    if (without_room != (entry.no_room ? 1 : 0)) {
        return wrong_count("a class without room is listed", where, without_room, entry.no_room);
    }
    const auto of_quota = by_quota_.find(quota);
    if (of_quota == by_quota_.end() || std::ranges::count(of_quota->second, &entry) != 1) {
        return wrong("a class is listed once by its quota", where, false);
    }
    if (!durations_) {
        return std::nullopt;
    }
    std::vector<std::pair<QueueKey, SimTime>> jobs;
    for (const auto& [place, waiting] : entry.jobs) {
        jobs.emplace_back(place, waiting.duration);
    }
    return entry.by_duration.find_violation(jobs);
}

/// Checks that a shape is listed at its first class that may be tried, and knows no other classes.
std::optional<Violation> WaitingQueue::find_wrong_list(const Shape& shape) const {
    const std::string where = fmt::format("shape {}", shape.number);
    const auto& heads = shape.no_room ? shape.preemptors : shape.heads;
    const std::optional<QueueKey> expected =
        heads.empty() ? std::nullopt : std::optional(heads.begin()->first);
    const auto listed = shape.listed ? heads_.find(*shape.listed) : heads_.end();
    if (shape.listed != expected ||
        (expected && (listed == heads_.end() || listed->second != heads.begin()->second))) {
        return Violation{"a shape that may be tried stands at the place of its first class",
                         where,
                         text(shape.listed),
                         text(expected)};
    }
    const auto tried = std::ranges::count_if(
        shape.classes, [](const auto& entry) { return entry.second.listed.has_value(); });
    if (std::cmp_not_equal(shape.heads.size(), tried)) {
        return Violation{"the heads of a shape are its classes that may be tried",
                         where,
                         fmt::format("{}", shape.heads.size()),
                         fmt::format("{}", tried)};
    }
    const auto without_room = std::ranges::count(shapes_without_room_, &shape);
    if (without_room != (shape.no_room ? 1 : 0)) {
        return wrong_count("a shape without room is listed", where, without_room, shape.no_room);
    }
    const auto numbered = by_number_.find(shape.number);
    const bool known = numbered != by_number_.end() && numbered->second == &shape;
    return known == durations_
               ? std::nullopt
               : std::optional(wrong("a shape is found by its number", where, known));
}

std::optional<Violation> WaitingQueue::find_violation(std::span<const Waits> all) const {
    if (auto violation = find_wrong_place(all)) {
        return violation;
    }
    std::size_t tried = 0;
    std::size_t classes = 0;
    for (const auto& [demand, shape] : shapes_) {
        for (const auto& [key, entry] : shape.classes) {
            if (auto violation = find_wrong_list(entry)) {
                return violation;
            }
        }
        if (auto violation = find_wrong_list(shape)) {
            return violation;
        }
        tried += shape.listed ? 1 : 0;
        classes += shape.classes.size();
    }
    std::size_t by_quota = 0;
    for (const auto& [quota, of_quota] : by_quota_) {
        by_quota += of_quota.size();
    }
    const auto counts = [](std::size_t heads, std::size_t listed) {
        return fmt::format("{} shapes to try, {} classes by quota", heads, listed);
    };
    if (heads_.size() != tried || by_quota != classes) {
        return Violation{"the queue lists no shapes and classes but those that it has",
                         "the queue",
                         counts(heads_.size(), by_quota),
                         counts(tried, classes)};
    }
    return std::nullopt;
}

}  // namespace berth::sim
