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
/// At every sample, what a queue's workloads hold then is weighed in by how long ago the last
/// sample was. Whoever is admitted is charged at once what it will have used until the next one.
///
/// Shape:  amounts are in billionths, rounded down, as Kueue keeps them. Times never go back.
/// Cost:   a change of a queue costs its samples since the last one, until they change nothing any
///         more, which takes some hundred half-lives; usage() costs nothing more.
/// Source: Kueue, pkg/util/admissionfairsharing, pkg/controller/core/localqueue_controller.go,
///         workload_controller.go (updateAfsConsumedUsage).
class LocalQueueLedger {
public:
    using Nanoseconds = std::chrono::nanoseconds;

    /// `names`: with all resources that workloads ask for.
    LocalQueueLedger(AdmissionFairSharing settings, const Names& names);

    /// A queue that nobody has used, from time 0 on; of a weight of 0, usage is infinite.
    [[nodiscard]] LocalQueueId add(double weight);
    void set_weight(LocalQueueId queue, double weight);

    /// A workload got quota: it holds `held` from now on, and is charged for `requests`.
    void admit(LocalQueueId queue,
               const ResourceAmounts& held,
               const ResourceAmounts& requests,
               Nanoseconds now);
    /// It holds that no longer.
    void release(LocalQueueId queue, const ResourceAmounts& held, Nanoseconds now);

    /// Takes the samples of all queues until now, those of this instant too.
    void go_to(Nanoseconds now);
    /// Who has less goes first; as of the last sample or change.
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

    /// What share of the time until now counts for what is held now.
    [[nodiscard]] double alpha(Nanoseconds elapsed) const;
    [[nodiscard]] Billionths in_billionths(ResourceId resource, Amount amount) const;
    /// Returns whether it changed anything.
    [[nodiscard]] bool sample(Queue& queue, Nanoseconds now) const;
    void sample_until(Queue& queue, Nanoseconds now) const;
    void sum_up(Queue& queue) const;

    AdmissionFairSharing settings_;
    std::optional<ResourceId> cpu_;
    std::vector<Resource> resources_;  ///< In the order of their names.
    std::vector<Queue> queues_;
};

}  // namespace berth::core::kueue
