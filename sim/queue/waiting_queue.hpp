#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/support/free_lists.hpp"
#include "sim/job/job.hpp"
#include "sim/job/pod_shape.hpp"
#include "sim/queue/duration_index.hpp"
#include "sim/queue/queue_key.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

/// Jobs that wait for a place, sorted by their ranks. Jobs that ask for the same have one shape;
/// jobs of a shape that also belong to one quota are one class. If one job of a class gets no
/// place, neither does the next one; so a cycle asks once per class, and once per shape if the
/// cluster has no room for it, not once per job. In a run with drains, jobs of one shape are also
/// expected to run for the same time, because that decides which servers refuse them.
///
/// Cost: O(log waiting) to add, take or wake; a cycle looks at each job that starts, at each open
///       shape once, and at each class that its quota refuses, which then stays out until it is
///       woken.
/// Shape: in a run without quotas whose policy tells users apart, a user's number stands for the
///        quota.
class WaitingQueue {
public:
    /// `preemptors`: if there are any, jobs of different priority are never alike, because one of
    /// them may preempt where the other may not.
    /// `durations`: jobs can also be found by how long they run, for first_within().
    /// `drains`: the run has drains.
    WaitingQueue(Preemptors preemptors, bool durations, bool drains = false)
        : preemptors_(preemptors), durations_(durations), drains_(drains) {}

    /// The owner rank of `key` is 0 here; in the order, it is what set_owner_rank() says.
    /// `duration`: how long the job is expected to run.
    void add(const Job& job,
             core::QuotaId quota,
             QueueKey key,
             std::uint32_t job_index,
             SimTime duration);
    void remove(const Job& job, core::QuotaId quota, QueueKey key);

    [[nodiscard]] std::size_t size() const { return size_; }

    /// Jobs that found no room are tried again once `releases` has changed; before that, nothing
    /// was given back that could help. To be called before next().
    void reopen_after(std::uint64_t releases);
    /// The next job to try in this cycle, or nothing.
    [[nodiscard]] std::optional<std::uint32_t> next();
    /// The job that next() gave found a place, or left for good.
    void taken();
    /// The cluster has no room for the job that next() gave. `for_its_shape`: it has none for any
    /// job of the same shape either, in any quota; jobs of other classes for which may_preempt()
    /// holds may still make room.
    void no_room(bool for_its_shape);
    /// Whether the job that next() gave may find victims: no job of its class has looked for any
    /// since its quota was last woken.
    [[nodiscard]] bool may_preempt() const { return !trying_->looked_for_victims; }
    /// The quota of the job that next() gave does not admit it.
    void over_quota();

    /// The quota may admit more than before, or its pods may find other victims.
    void wake(core::QuotaId quota);
    /// Wakes the classes that are held back by their quotas and for whose first job `admissible`
    /// holds. Returns whether there were any. Cost: O(classes held back).
    template <class Predicate>
    bool wake_if(Predicate admissible) {
        const std::size_t before = held_back_.size();
        for (std::size_t i = held_back_.size(); i-- > 0;) {
            if (admissible(held_back_[i]->jobs.begin()->second.job)) {
                release(*held_back_[i]);
            }
        }
        return held_back_.size() < before;
    }
    /// Changes the rank of a quota's jobs among those of other quotas. Cost: O(its classes).
    void set_owner_rank(core::QuotaId quota, std::int64_t rank);
    /// The same for all quotas of jobs that wait.
    template <class Rank>
    void rank_owners(Rank rank) {
        for (const auto& [quota, classes] : by_quota_) {
            if (std::ranges::any_of(classes, [](Class* one) { return !one->jobs.empty(); })) {
                set_owner_rank(quota, rank(quota));
            }
        }
    }

    /// Whether a waiting job, or one that asks for the same, may still be tried in this cycle.
    [[nodiscard]] bool may_be_tried(const Job& job, core::QuotaId quota);
    /// The number of a waiting job's kind: jobs with the same number ask for the same.
    [[nodiscard]] std::uint64_t alike(const Job& job) const;
    /// A job's place among all waiting jobs: its key as given to add(), with its owner's rank.
    [[nodiscard]] QueueKey in_order(core::QuotaId quota, QueueKey key) const;

    struct Place {
        QueueKey key;
        std::uint32_t job = 0;
        std::uint32_t alike = 0;  ///< Jobs with the same number ask for the same.
    };
    /// The numbers of all kinds of waiting jobs: see alike().
    [[nodiscard]] std::vector<std::uint64_t> kinds() const;
    /// The first job of a kind after `after` that runs for at most `most`, except jobs held back by
    /// their quotas. Cost: DurationIndex::first() for each class of the kind.
    [[nodiscard]] std::optional<Place> first_within(std::uint64_t kind,
                                                    SimTime most,
                                                    const QueueKey& after) const;
    /// All waiting jobs in their order, except those held back by their quotas.
    /// Cost: O(waiting x log waiting).
    [[nodiscard]] std::vector<Place> in_order() const;
    /// The indexes of all waiting jobs, in the order of their entries.
    /// Cost: O(waiting x log waiting).
    [[nodiscard]] std::vector<std::uint32_t> everybody() const;
    /// A waiting job, as it was given to add().
    struct Waits {
        std::uint32_t index = 0;
        const Job* job = nullptr;
        core::QuotaId quota;
        QueueKey key;
        SimTime duration{};
    };
    /// Compares the queue with all waiting jobs, given in any order: each is in the queue once, in
    /// the class of its kind, and every list of classes has those that belong there.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::span<const Waits> all) const;
    /// The rank that set_owner_rank() set last, or 0.
    [[nodiscard]] std::int64_t owner_rank(core::QuotaId quota) const { return rank_of(quota); }
    /// Selects the job to which taken() and over_quota() refer, as next() does. Returns whether the
    /// job may be tried, that is, whether its quota does not hold it back.
    [[nodiscard]] bool select(const Job& job, core::QuotaId quota, QueueKey key);

private:
    /// What jobs of one shape ask for.
    struct Demand {
        PodShape pod;
        core::Members size = 0;
        core::Members min_available = 0;
        bool group = false;
        std::vector<std::int64_t> constraints;
        SimTime expected{};
    };
    /// The same for a job, to find its shape without making one.
    struct DemandOf {
        ShapeOf pod;
        core::Members size = 0;
        core::Members min_available = 0;
        bool group = false;
        std::span<const std::int64_t> constraints;
        SimTime expected{};
    };
    struct DemandLess {
        using is_transparent = void;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            if (const PodShapeLess less; less(a.pod, b.pod) || less(b.pod, a.pod)) {
                return less(a.pod, b.pod);
            }
            const auto numbers = [](const auto& of) {
                return std::tuple(of.size, of.min_available, of.group, of.expected);
            };
            return numbers(a) != numbers(b)
                       ? numbers(a) < numbers(b)
                       : std::ranges::lexicographical_compare(a.constraints, b.constraints);
        }
    };
    using ClassKey = std::tuple<core::QuotaId, bool, std::int32_t>;
    struct Shape;
    struct Waiting {
        std::uint32_t job = 0;
        SimTime duration{};
    };
    struct Class;
    using Heads = std::pmr::map<QueueKey, Class*>;
    struct Class {
        explicit Class(std::pmr::memory_resource* memory) : jobs(memory) {}
        Shape* shape = nullptr;
        ClassKey key;
        std::pmr::map<QueueKey, Waiting> jobs;
        DurationIndex by_duration;             ///< Used only if jobs are found by their durations.
        std::optional<std::size_t> held_back;  ///< Its index in held_back_.
        bool no_room = false;
        bool looked_for_victims = false;
        std::optional<QueueKey> listed;  ///< Its place among its shape's heads.
        bool preempts = false;           ///< Whether it is also among its shape's preemptors there.
    };
    struct Shape {
        explicit Shape(std::pmr::memory_resource* memory) : heads(memory), preemptors(memory) {}
        const Demand* demand = nullptr;
        std::uint64_t number = 0;
        std::map<ClassKey, Class> classes;
        Heads heads;       ///< Heads of the classes that may be tried.
        Heads preemptors;  ///< Classes without room for whose jobs may_preempt() holds.
        bool no_room = false;
        std::optional<QueueKey> listed;
    };

    [[nodiscard]] DemandOf demand_of(const Job& job) const;
    [[nodiscard]] ClassKey class_of(const Job& job, core::QuotaId quota) const;
    [[nodiscard]] std::int64_t rank_of(core::QuotaId owner) const;
    [[nodiscard]] Class& find(const Job& job, core::QuotaId quota);
    [[nodiscard]] bool may_find_victims(const Class& entry) const;
    void list(Class& entry);
    void list(Shape& shape);
    [[nodiscard]] std::optional<core::Violation> find_wrong_place(std::span<const Waits> all) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_list(const Class& entry) const;
    [[nodiscard]] std::optional<core::Violation> find_wrong_list(const Shape& shape) const;
    void erase_job(Class& entry, QueueKey job);
    [[nodiscard]] bool may_stay_empty(const Class& entry) const;
    void keep_empty(Class& entry);
    void forget_empty(const Shape& shape);
    void erase(Class& entry);
    void hold_back(Class& entry);
    void release(Class& entry);

    /// Keeps the memory of jobs that leave for jobs that come.
    core::FreeLists memory_;
    Preemptors preemptors_;
    bool durations_;
    bool drains_;
    std::map<Demand, Shape, DemandLess> shapes_;
    mutable std::vector<std::int64_t> constraints_;  ///< Used only by demand_of().
    std::map<std::uint64_t, Shape*> by_number_;      ///< Used only if jobs are found by their
                                                     ///< durations.
    std::map<core::QuotaId, std::vector<Class*>> by_quota_;
    std::map<core::QuotaId, std::int64_t> owner_rank_;
    Heads heads_{&memory_};  ///< The first class of each shape that may be tried.
    std::vector<Shape*> shapes_without_room_;
    std::vector<Class*> classes_without_room_;
    std::vector<Class*> held_back_;  ///< Classes held back by their quotas.
    /// Classes without jobs, the one that was left first in front. They are kept because classes of
    /// pods that find a place at once would otherwise be made and deleted each time. No shape
    /// without room has one.
    std::vector<Class*> empty_;
    std::size_t size_ = 0;
    std::uint64_t releases_ = 0;
    std::uint64_t shapes_made_ = 0;
    Class* trying_ = nullptr;
    QueueKey trying_job_;
};

}  // namespace berth::sim
