#include "sim/queue/waiting_queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

WaitingQueue::DemandOf WaitingQueue::demand_of(const Job& job) const {
    constraints_.clear();
    for (std::uint32_t level = 0; job.constraints && level < job.constraints->level_count();
         ++level) {
        const core::LevelConstraint& constraint = job.constraints->at(core::Level{level});
        constraints_.insert(constraints_.end(),
                            {static_cast<std::int64_t>(constraint.affinity),
                             constraint.hard ? 1 : 0,
                             constraint.range ? constraint.range->min : 0,
                             constraint.range ? constraint.range->max : 0,
                             static_cast<std::int64_t>(constraint.partitions),
                             constraint.factor,
                             static_cast<std::int64_t>(constraint.scope)});
    }
    return {{job},
            job.size,
            job.min_available,
            job.group,
            constraints_,
            drains_ ? job.expected : never};
}

WaitingQueue::ClassKey WaitingQueue::class_of(const Job& job, core::QuotaId quota) const {
    return {quota, job.preemptible, preemptors_ != Preemptors::none ? job.priority : 0};
}

/// Whether jobs of a class may find victims. A class whose jobs never preempt is not asked for
/// victims.
bool WaitingQueue::may_find_victims(const Class& entry) const {
    const bool group = entry.shape->demand->group;
    const bool preempts =
        preemptors_ == Preemptors::all || (preemptors_ == Preemptors::single_pods && !group);
    return preempts && !entry.looked_for_victims;
}

/// Puts a class at its place among its shape's heads, or removes it from them.
void WaitingQueue::list(Class& entry) {
    std::optional<QueueKey> head;
    if (!entry.jobs.empty() && !entry.held_back && !entry.no_room) {
        head = entry.jobs.begin()->first;
        head->owner = rank_of(std::get<core::QuotaId>(entry.key));
    }
    const bool preempts = head && may_find_victims(entry);
    if (head != entry.listed || preempts != entry.preempts) {
        if (entry.listed) {
            entry.shape->heads.erase(*entry.listed);
            entry.shape->preemptors.erase(*entry.listed);
        }
        if (head) {
            entry.shape->heads.emplace(*head, &entry);
        }
        if (preempts) {
            entry.shape->preemptors.emplace(*head, &entry);
        }
        entry.listed = head;
        entry.preempts = preempts;
    }
    list(*entry.shape);
}

void WaitingQueue::list(Shape& shape) {
    const auto& heads = shape.no_room ? shape.preemptors : shape.heads;
    const auto head = heads.empty() ? std::nullopt : std::optional(heads.begin()->first);
    if (head == shape.listed) {
        return;
    }
    if (shape.listed) {
        heads_.erase(*shape.listed);
    }
    if (head) {
        heads_.emplace(*head, heads.begin()->second);
    }
    shape.listed = head;
}

void WaitingQueue::add(const Job& job,
                       core::QuotaId quota,
                       QueueKey position,
                       std::uint32_t job_index,
                       SimTime duration) {
    const DemandOf asked = demand_of(job);
    auto at = shapes_.find(asked);
    const bool new_shape = at == shapes_.end();
    if (new_shape) {
        Demand demand{PodShape(job),
                      asked.size,
                      asked.min_available,
                      asked.group,
                      constraints_,
                      asked.expected};
        at = shapes_.try_emplace(std::move(demand), &memory_).first;
    }
    Shape& shape = at->second;
    if (new_shape) {
        shape.demand = &at->first;
        shape.number = shapes_made_++;
        if (durations_) {
            by_number_.emplace(shape.number, &shape);
        }
    }
    const ClassKey key = class_of(job, quota);
    const auto [known, fresh] = shape.classes.try_emplace(key, &memory_);
    Class& entry = known->second;
    if (fresh) {
        entry.shape = &shape;
        entry.key = key;
        by_quota_[quota].push_back(&entry);
    } else if (entry.jobs.empty()) {
        std::erase(empty_, &entry);
    }
    BERTH_ASSERT(position.owner == 0, "the rank of the owner is known here");
    BERTH_ASSERT(entry.jobs.emplace(position, Waiting{job_index, duration}).second,
                 "no two jobs have one place");
    if (durations_) {
        entry.by_duration.add(position, duration);
    }
    ++size_;
    list(entry);
}

WaitingQueue::Class& WaitingQueue::find(const Job& job, core::QuotaId quota) {
    const auto shape = shapes_.find(demand_of(job));
    BERTH_ASSERT(shape != shapes_.end(), "only a waiting job leaves the queue");
    const auto entry = shape->second.classes.find(class_of(job, quota));
    BERTH_ASSERT(entry != shape->second.classes.end(), "only a waiting job leaves the queue");
    return entry->second;
}

void WaitingQueue::remove(const Job& job, core::QuotaId quota, QueueKey key) {
    erase_job(find(job, quota), key);
}

bool WaitingQueue::select(const Job& job, core::QuotaId quota, QueueKey key) {
    trying_ = &find(job, quota);
    trying_job_ = key;
    return !trying_->held_back;
}

bool WaitingQueue::may_be_tried(const Job& job, core::QuotaId quota) {
    const Class& entry = find(job, quota);
    const auto& of_shape = entry.shape->no_room ? entry.shape->preemptors : entry.shape->heads;
    return entry.listed && of_shape.contains(*entry.listed);
}

std::uint64_t WaitingQueue::alike(const Job& job) const {
    const auto shape = shapes_.find(demand_of(job));
    BERTH_ASSERT(shape != shapes_.end(), "only a job that waits is like others");
    return shape->second.number;
}

QueueKey WaitingQueue::in_order(core::QuotaId quota, QueueKey key) const {
    key.owner = rank_of(quota);
    return key;
}

std::vector<WaitingQueue::Place> WaitingQueue::in_order() const {
    std::vector<Place> places;
    places.reserve(size_);
    std::uint32_t alike = 0;
    for (const auto& [demand, shape] : shapes_) {
        for (const auto& [key, entry] : shape.classes) {
            if (entry.held_back) {
                continue;
            }
            for (const auto& [position, waiting] : entry.jobs) {
                places.push_back({position, waiting.job, alike});
                places.back().key.owner = rank_of(std::get<core::QuotaId>(key));
            }
        }
        ++alike;
    }
    std::ranges::sort(places, {}, &Place::key);
    BERTH_ASSERT(places.size() <= size_, "no more are tried than wait");
    return places;
}

std::vector<std::uint32_t> WaitingQueue::everybody() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
    all.reserve(size_);
    for (const auto& [demand, shape] : shapes_) {
        for (const auto& [key, entry] : shape.classes) {
            for (const auto& [position, waiting] : entry.jobs) {
                all.emplace_back(position.number, waiting.job);
            }
        }
    }
    std::ranges::sort(all);
    std::vector<std::uint32_t> jobs(all.size());
    std::ranges::transform(all, jobs.begin(), [](const auto& one) { return one.second; });
    return jobs;
}

std::vector<std::uint64_t> WaitingQueue::kinds() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, shape] : by_number_) {
        numbers.push_back(number);
    }
    return numbers;
}

std::optional<WaitingQueue::Place> WaitingQueue::first_within(std::uint64_t kind,
                                                              SimTime most,
                                                              const QueueKey& after) const {
    BERTH_ASSERT(durations_, "jobs are found by their durations where that was asked for");
    std::optional<Place> first;
    const auto shape = by_number_.find(kind);
    if (shape == by_number_.end()) {
        return first;
    }
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    for (const auto& [key, entry] : shape->second->classes) {
        const std::int64_t owner = rank_of(std::get<core::QuotaId>(key));
        if (entry.held_back || owner < after.owner) {
            continue;
        }
        // A class stores its jobs without their owner's rank.
        const QueueKey behind =
            owner > after.owner ? QueueKey{0, lowest, 0} : QueueKey{0, after.rank, after.number};
        if (auto place = entry.by_duration.first(behind, most)) {
            const std::uint32_t job = entry.jobs.at(*place).job;
            place->owner = owner;
            if (!first || *place < first->key) {
                first = {*place, job, 0};
            }
        }
    }
    return first;
}

void WaitingQueue::erase_job(Class& entry, QueueKey job) {
    const auto waiting = entry.jobs.find(job);
    BERTH_ASSERT(waiting != entry.jobs.end(), "only a waiting job leaves the queue");
    if (durations_) {
        entry.by_duration.remove(job);
    }
    entry.jobs.erase(waiting);
    --size_;
    list(entry);
    if (entry.jobs.empty()) {
        if (may_stay_empty(entry)) {
            keep_empty(entry);
        } else {
            erase(entry);
        }
    }
}

/// Whether a class without jobs is the same as one that is made anew.
bool WaitingQueue::may_stay_empty(const Class& entry) const {
    return !durations_ && !entry.no_room && !entry.held_back && !entry.shape->no_room;
}

void WaitingQueue::keep_empty(Class& entry) {
    constexpr std::size_t kept_max = 16;
    if (empty_.size() == kept_max) {
        Class& first = *empty_.front();
        empty_.erase(empty_.begin());
        erase(first);
    }
    entry.looked_for_victims = false;
    empty_.push_back(&entry);
}

void WaitingQueue::forget_empty(const Shape& shape) {
    for (std::size_t i = empty_.size(); i-- > 0;) {
        if (empty_[i]->shape == &shape) {
            Class& entry = *empty_[i];
            empty_.erase(empty_.begin() + static_cast<std::ptrdiff_t>(i));
            erase(entry);
        }
    }
}

void WaitingQueue::erase(Class& entry) {
    BERTH_ASSERT(entry.jobs.empty() && !entry.listed, "a class without jobs is nowhere tried");
    if (entry.no_room) {
        std::erase(classes_without_room_, &entry);
    }
    if (entry.held_back) {
        release(entry);
    }
    const auto of_quota = by_quota_.find(std::get<core::QuotaId>(entry.key));
    BERTH_ASSERT(of_quota != by_quota_.end(), "a class is one of its quota's");
    std::erase(of_quota->second, &entry);
    if (of_quota->second.empty()) {
        by_quota_.erase(of_quota);
    }
    Shape& shape = *entry.shape;
    shape.classes.erase(ClassKey(entry.key));
    if (shape.classes.empty()) {
        if (shape.no_room) {
            std::erase(shapes_without_room_, &shape);
        }
        if (durations_) {
            by_number_.erase(shape.number);
        }
        shapes_.erase(shapes_.find(*shape.demand));
    }
}

void WaitingQueue::reopen_after(std::uint64_t releases) {
    if (releases == releases_) {
        return;
    }
    releases_ = releases;
    for (Shape* shape : shapes_without_room_) {
        shape->no_room = false;
        list(*shape);
    }
    shapes_without_room_.clear();
    for (Class* entry : classes_without_room_) {
        entry->no_room = false;
        list(*entry);
    }
    classes_without_room_.clear();
}

std::optional<std::uint32_t> WaitingQueue::next() {
    if (heads_.empty()) {
        return std::nullopt;
    }
    BERTH_ASSERT(!heads_.begin()->second->jobs.empty(), "a class that may be tried has a job");
    Class& entry = *heads_.begin()->second;
    trying_ = &entry;
    trying_job_ = entry.jobs.begin()->first;
    return entry.jobs.begin()->second.job;
}

void WaitingQueue::taken() {
    BERTH_ASSERT(trying_ != nullptr, "a job is taken that was tried");
    erase_job(*trying_, trying_job_);
}

void WaitingQueue::no_room(bool for_its_shape) {
    BERTH_ASSERT(trying_ != nullptr && !trying_->jobs.empty(),
                 "there is no room for a job that was tried");
    trying_->looked_for_victims = true;
    if (for_its_shape) {
        if (!trying_->shape->no_room) {
            forget_empty(*trying_->shape);
            trying_->shape->no_room = true;
            shapes_without_room_.push_back(trying_->shape);
        }
        list(*trying_);
    } else {
        trying_->no_room = true;
        classes_without_room_.push_back(trying_);
        list(*trying_);
    }
}

void WaitingQueue::over_quota() {
    hold_back(*trying_);
}

void WaitingQueue::hold_back(Class& entry) {
    BERTH_ASSERT(!entry.held_back, "a class that is tried is not held back");
    entry.held_back = held_back_.size();
    held_back_.push_back(&entry);
    list(entry);
}

void WaitingQueue::release(Class& entry) {
    BERTH_ASSERT(entry.held_back && held_back_[*entry.held_back] == &entry,
                 "a class stands at its place among those that are held back");
    Class* last = held_back_.back();
    held_back_[*entry.held_back] = last;
    last->held_back = entry.held_back;
    held_back_.pop_back();
    entry.held_back.reset();
    list(entry);
}

void WaitingQueue::wake(core::QuotaId quota) {
    const auto classes = by_quota_.find(quota);
    if (classes == by_quota_.end()) {
        return;
    }
    for (Class* entry : classes->second) {
        const bool looked = std::exchange(entry->looked_for_victims, false);
        if (entry->held_back) {
            release(*entry);
        } else if (looked) {
            list(*entry);
        }
    }
}

std::int64_t WaitingQueue::rank_of(core::QuotaId owner) const {
    const auto known = owner_rank_.find(owner);
    return known == owner_rank_.end() ? 0 : known->second;
}

void WaitingQueue::set_owner_rank(core::QuotaId quota, std::int64_t rank) {
    std::int64_t& known = owner_rank_[quota];
    if (known == rank) {
        return;
    }
    known = rank;
    const auto classes = by_quota_.find(quota);
    if (classes == by_quota_.end()) {
        return;
    }
    for (Class* entry : classes->second) {
        list(*entry);
    }
}

}  // namespace berth::sim
