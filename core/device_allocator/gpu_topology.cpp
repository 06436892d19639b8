#include "core/device_allocator/gpu_topology.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>
#include <variant>

#include "core/device_allocator/gpu_choice.hpp"

namespace berth::core {
namespace {

/// The best place found below a scope.
struct Found {
    DeviceMask gpus = 0;
    int depth = 0;         ///< The depth of the scope that holds them all; deeper is tighter.
    int in_use_count = 0;  ///< The number of scopes around them that are already in use.
    Amount score = 0;      ///< The score of a shared GPU.
};

class TopologySearch {
public:
    TopologySearch(const DeviceQuestion& question, Amount count, DeviceMask allowed)
        : question_(question),
          wanted_(question.plan.types[DeviceType::gpu]),
          count_(static_cast<int>(count)),
          required_(question.plan.required_scope) {
        const DevicesOfType& gpus = question.inventory.of(DeviceType::gpu);
        usable_ = question.views[DeviceType::gpu].fits & gpus.healthy & allowed;
        const bool is_one_device = count_ == 1 && !question.rules.device_scope_is_never_met;
        if (required_ == TopologyScope::device && is_one_device) {
            required_ = TopologyScope::machine;
        }
    }

    [[nodiscard]] std::optional<Found> search(const GpuScope& scope,
                                              int depth,
                                              int in_use_count) const {
        if (std::popcount(scope.gpus) < count_) {
            return std::nullopt;
        }
        ++depth;
        in_use_count += (scope.gpus & question_.views[DeviceType::gpu].in_use) != 0 ? 1 : 0;
        std::optional<Found> best;
        for (const GpuScope& inside : scope.inside) {
            const auto found = search(inside, depth, in_use_count);
            if (found && (!best || is_better(*found, *best))) {
                best = found;
            }
        }
        if (best || required_ > scope.scope) {
            return best;
        }
        Found here{0, depth, in_use_count, 0};
        if (!choose_within(scope, here)) {
            return std::nullopt;
        }
        return here;
    }

private:
    [[nodiscard]] bool is_better(const Found& found, const Found& best) const {
        if (found.depth != best.depth) {
            return found.depth > best.depth;
        }
        if (found.in_use_count != best.in_use_count) {
            return found.in_use_count > best.in_use_count;
        }
        return wanted_.is_shared && found.score > best.score;
    }

    bool choose_within(const GpuScope& scope, Found& found) const {
        const DeviceMask usable = usable_ & scope.gpus;
        if (std::popcount(usable) < count_) {
            return false;
        }
        if (wanted_.is_shared) {
            choose_shared(usable, found);
        } else if (question_.rules.lowest_minors_in_scope) {
            found.gpus = lowest(usable, count_);
        } else {
            found.gpus = on_fewest_switches(usable);
        }
        return true;
    }

    void choose_shared(DeviceMask usable, Found& found) const {
        found.score = -1;
        for_each_bit(usable, [&](std::size_t d) {
            const Amount score = question_.rules.score_of_shared_gpus_is_swapped
                                     ? question_.swapped_score(DeviceType::gpu, d)
                                     : question_.score(DeviceType::gpu, d);
            if (score > found.score) {
                found.score = score;
                found.gpus = bit(d);
            }
        });
    }

    [[nodiscard]] static DeviceMask lowest(DeviceMask usable, int count) {
        DeviceMask chosen = 0;
        for (; count > 0; --count) {
            chosen |= usable & (~usable + 1);
            usable &= usable - 1;
        }
        return chosen;
    }

    /// The usable GPUs of one switch.
    struct Switch {
        DeviceMask gpus = 0;
        int room = 0;
        bool is_in_use = false;
    };

    /// Fills the switches with the most room, and takes the rest from the one with the least room
    /// that is enough. Among equal switches it prefers one that is in use, then the lowest minors.
    [[nodiscard]] DeviceMask on_fewest_switches(DeviceMask usable) const {
        std::array<Switch, devices_of_type_max> switches;
        std::size_t count = 0;
        while (usable != 0) {
            switches[count] = switch_of(static_cast<std::size_t>(std::countr_zero(usable)), usable);
            usable &= ~switches[count++].gpus;
        }
        DeviceMask chosen = 0;
        for (int left = count_; left > 0;) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < count; ++i) {
                best = is_better_switch(switches[i], switches[best], left) ? i : best;
            }
            chosen |= lowest(switches[best].gpus, std::min(left, switches[best].room));
            left -= std::min(left, switches[best].room);
            switches[best] = {};
        }
        return chosen;
    }

    [[nodiscard]] Switch switch_of(std::size_t gpu, DeviceMask usable) const {
        const DevicesOfType& gpus = question_.inventory.of(DeviceType::gpu);
        const std::int16_t at = gpus.pcie[gpu];
        Switch out;
        for (std::size_t d = 0; d < gpus.size(); ++d) {
            if (gpus.pcie[d] == at && (at != DevicesOfType::nowhere || d == gpu)) {
                out.gpus |= usable & bit(d);
                out.is_in_use =
                    out.is_in_use || (question_.views[DeviceType::gpu].in_use & bit(d)) != 0;
            }
        }
        out.room = std::popcount(out.gpus);
        return out;
    }

    [[nodiscard]] static bool is_better_switch(const Switch& a, const Switch& b, int left) {
        if ((a.room >= left) != (b.room >= left)) {
            return a.room >= left;
        }
        if (a.room != b.room) {
            return a.room >= left ? a.room < b.room : a.room > b.room;
        }
        return a.is_in_use && !b.is_in_use;
    }

    const DeviceQuestion& question_;
    const TypePlan& wanted_;
    int count_;
    TopologyScope required_;
    DeviceMask usable_ = 0;
};

}  // namespace

GpuScope make_gpu_tree(std::span<const GpuPlace> places, DeviceMask all) {
    std::map<std::int32_t, std::map<std::string_view, DeviceMask>> by_numa;
    for (const GpuPlace& place : places) {
        by_numa[place.numa][place.pcie] |= bit(place.gpu);
    }
    GpuScope machine{TopologyScope::machine, all, {}};
    for (const auto& [number, switches] : by_numa) {
        GpuScope numa{TopologyScope::numa_node, 0, {}};
        for (const auto& [name, gpus] : switches) {
            numa.gpus |= gpus;
            numa.inside.push_back({TopologyScope::pcie, gpus, {}});
        }
        machine.inside.push_back(std::move(numa));
    }
    return machine;
}

std::optional<DeviceFailure> topology_failure(const DeviceQuestion& question) {
    const TypePlan& wanted = question.plan.types[DeviceType::gpu];
    if (question.inventory.gpu_tree() == nullptr) {
        return DeviceFailure{"node(s) missing GPU Device Topology Tree", false};
    }
    if (wanted.is_shared && wanted.count > 1) {
        return DeviceFailure{"node(s) Unsupported Multi-Shared GPU", false};
    }
    return std::nullopt;
}

DeviceChoice choose_gpus_by_topology(const DeviceQuestion& question,
                                     DeviceCount count,
                                     DeviceMask allowed) {
    const TopologyScope required = question.plan.required_scope;
    if (const auto failure = topology_failure(question)) {
        return required != TopologyScope::unset
                   ? DeviceChoice(*failure)
                   : choose_by_order(question, DeviceType::gpu, count, nullptr, allowed);
    }
    // By topology, the number is always the one that the pod asks for.
    const Amount wanted = question.plan.types[DeviceType::gpu].count;
    if (wanted <= static_cast<Amount>(devices_of_type_max)) {
        const TopologySearch search(question, wanted, allowed);
        if (const auto found = search.search(*question.inventory.gpu_tree(), 0, 0)) {
            DevicePicks picks = DevicePicks::of(found->gpus);
            picks.with_functions = !question.rules.gpus_come_without_functions;
            return picks;
        }
    }
    return DeviceFailure{required != TopologyScope::unset
                             ? "Insufficient Topology Scoped GPU Devices"
                             : "Insufficient GPU Devices"};
}

DeviceChoice choose_gpus(const DeviceQuestion& question, DeviceCount count, DeviceMask allowed) {
    if (!question.plan.types[DeviceType::gpu].is_shared) {
        DeviceChoice choice = choose_partition(question, allowed);
        if (std::holds_alternative<DevicePicks>(choice) || question.plan.honors_partitions) {
            return choice;
        }
    }
    return choose_gpus_by_topology(question, count, allowed);
}

}  // namespace berth::core
