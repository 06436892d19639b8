#include "core/device_allocator/exact_choice.hpp"

#include <algorithm>
#include <variant>

#include "core/device_allocator/exact_search.hpp"
#include "core/device_allocator/gpu_choice.hpp"

namespace berth::core {
namespace {

/// The widest scope in which the devices may lie; nothing when none will do.
std::optional<TopologyScope> widest_scope(const DeviceQuestion& question,
                                          DeviceType primary,
                                          std::span<const DeviceType> secondaries) {
    const TopologyScope required = question.plan.required_scope;
    const bool follows = question.plan.same_pcie &&
                         std::ranges::find(secondaries, DeviceType::gpu) != secondaries.end();
    if (required <= TopologyScope::machine || (primary != DeviceType::gpu && !follows)) {
        return required != TopologyScope::unset && primary == DeviceType::gpu &&
                       topology_failure(question)
                   ? std::nullopt
                   : std::optional(TopologyScope::machine);
    }
    if (topology_failure(question)) {
        return std::nullopt;
    }
    if (required == TopologyScope::device) {
        return question.rules.device_scope_is_never_met ||
                       question.plan.types[DeviceType::gpu].count > 1
                   ? std::nullopt
                   : std::optional(TopologyScope::pcie);
    }
    return required;
}

/// The best of the partitions that the pod can have.
std::optional<DevicePicks> choose_best_partition(const DeviceQuestion& question,
                                                 ExactSearch& search) {
    const auto feasible = feasible_partitions(question, ~DeviceMask{0}, false);
    const auto* list = std::get_if<std::vector<FeasiblePartition>>(&feasible);
    if (list == nullptr) {
        return std::nullopt;
    }
    const FeasiblePartition* best = nullptr;
    ExactRank best_rank;
    for (const FeasiblePartition& partition : *list) {
        const auto found = search.judge(partition.partition->mask);
        if (!found) {
            continue;
        }
        const auto order =
            best == nullptr ? std::strong_ordering::less : found->rank.compare(best_rank);
        const bool is_preferred = best != nullptr && order == 0 &&
                                  (partition.group < best->group ||
                                   (partition.group == best->group && partition.left > best->left));
        if (order < 0 || is_preferred) {
            best = &partition;
            best_rank = found->rank;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    DevicePicks picks;
    for (const std::size_t gpu : best->partition->gpus) {
        picks.add(gpu);
    }
    return picks;
}

}  // namespace

std::optional<DevicePicks> choose_exactly(const DeviceQuestion& question,
                                          DeviceType primary,
                                          std::span<const DeviceType> secondaries) {
    const TypePlan& wanted = question.plan.types[primary];
    const bool with_functions =
        primary != DeviceType::gpu || !question.rules.gpus_come_without_functions;
    ExactSearch search(question, primary, secondaries);
    if (primary == DeviceType::gpu && !wanted.is_shared) {
        if (auto picks = choose_best_partition(question, search)) {
            picks->with_functions = with_functions;
            return picks;
        }
        if (question.plan.honors_partitions) {
            return std::nullopt;
        }
    }
    const auto widest = widest_scope(question, primary, secondaries);
    if (!widest) {
        return std::nullopt;
    }
    const auto found = search.search(std::max<Amount>(1, wanted.count), *widest);
    if (!found) {
        return std::nullopt;
    }
    DevicePicks picks = DevicePicks::of(found->devices);
    picks.with_functions = with_functions;
    return picks;
}

}  // namespace berth::core
