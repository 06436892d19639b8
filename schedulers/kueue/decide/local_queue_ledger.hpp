#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/configuration.hpp"

namespace berth::core::kueue {

struct Names;

/// The usage of LocalQueues, as admission fair sharing counts it.
///
/// At every sample, what a queue's workloads hold at that time is averaged into its usage, weighted
/// by the time since the last sample. An admitted workload is charged at once for what it will have
/// used until the next one.
///
/// Shape:  amounts are in billionths, rounded down, as Kueue keeps them. Times never go back.
/// Cost:   a change of a queue costs its samples since the last change, until they change nothing
///         any more, which takes some hundred half-lives; usage() costs nothing more.
/// Source: Kueue, pkg/util/admissionfairsharing, pkg/controller/core/localqueue_controller.go,
///         workload_controller.go (updateAfsConsumedUsage).
class LocalQueueLedger {
public:
    using Nanoseconds = std::chrono::nanoseconds;

    /// `names` has all resources that workloads ask for.
    LocalQueueLedger(AdmissionFairSharing settings, const Names& names);

    /// Adds a queue that has used nothing, from time 0 on. With a weight of 0, its usage is
    /// infinite.
    [[nodiscard]] LocalQueueId add(double weight);
    void set_weight(LocalQueueId queue, double weight);

    /// Records that a workload got quota: it holds `held` from now on, and is charged for
    /// `requests`.
    void admit(LocalQueueId queue,
               const ResourceAmounts& held,
               const ResourceAmounts& requests,
               Nanoseconds now);
    /// Records that a workload no longer holds `held`.
    void release(LocalQueueId queue, const ResourceAmounts& held, Nanoseconds now);

    /// Takes the samples of all queues up to now, including those of this instant.
    void go_to(Nanoseconds now);
    /// The usage of a queue, as of the last sample or change. Queues with less usage go first.
    [[nodiscard]] double usage(LocalQueueId queue) const { return queues_[queue.index].usage; }
    /// When the next sample of any queue is taken; nothing without queues.
    [[nodiscard]] std::optional<Nanoseconds> next_sample() const;

private:
    /// Billionths of a resource's unit: a core, a byte, a GPU.
    using Billionths = boost::multiprecision::cpp_int;
    using Usage = std::map<ResourceId, Billionths>;
    struct Queue {
        double weight = 1;
        Usage consumed;
        ResourceAmounts held;
        Nanoseconds sampled{};
        double usage = 0;
    };
    struct Resource {
        ResourceId id;
        double weight = 1;
    };

    /// The weight, from 0 to 1, that a sample gives to what is held now after this time has passed.
    [[nodiscard]] double alpha(Nanoseconds elapsed) const;
    [[nodiscard]] Billionths in_billionths(ResourceId resource, Amount amount) const;
    /// Takes a sample. Returns whether it changed anything.
    [[nodiscard]] bool sample(Queue& queue, Nanoseconds now) const;
    void sample_until(Queue& queue, Nanoseconds now) const;
    void sum_up(Queue& queue) const;

    AdmissionFairSharing settings_;
    std::optional<ResourceId> cpu_;
    std::vector<Resource> resources_;  ///< Resources, in the order of their names.
    std::vector<Queue> queues_;
};

}  // namespace berth::core::kueue
