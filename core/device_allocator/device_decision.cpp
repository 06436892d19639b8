#include "core/device_allocator/device_decision.hpp"

#include <algorithm>
#include <span>

#include "core/device_allocator/joint_allocation.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

class Decision {
public:
    Decision(const DeviceQuestion& question, DeviceSolver solver, bool primary_only)
        : question_(question), solver_(solver) {
        const DevicePlan& plan = question.plan;
        for (const DeviceType type : device_request_order) {
            const bool skipped = primary_only && plan.skips_secondaries && !plan.joint.empty() &&
                                 type != plan.joint.front();
            if (plan.types[type].requested && !skipped) {
                types_[count_++] = type;
            }
        }
    }

    std::variant<DeviceAllocation, DeviceFailures> decide() {
        for (const auto what : {TypePlan::Missing::devices, TypePlan::Missing::functions}) {
            collect_missing(what);
            if (!failures_.messages.empty()) {
                return failures_;
            }
        }
        ByDeviceType<std::optional<DevicePicks>> chosen;
        if (count_ > 1 && !question_.plan.joint.empty()) {
            auto jointly = choose_jointly(question_, solver_);
            if (const auto* failure = std::get_if<DeviceFailure>(&jointly)) {
                add(*failure);
                return failures_;
            }
            chosen = std::get<JointChoice>(jointly);
        }
        for (const DeviceType type : types()) {
            if (!chosen[type]) {
                const DeviceChoice alone = choose_alone(question_, solver_, type);
                if (const auto* failure = std::get_if<DeviceFailure>(&alone)) {
                    add(*failure);
                } else {
                    chosen[type] = std::get<DevicePicks>(alone);
                }
            }
        }
        if (!failures_.messages.empty()) {
            return failures_;
        }
        DeviceAllocation allocation;
        for (const DeviceType type : types()) {
            BERTH_ASSERT(chosen[type], "without a failure, every type has its devices");
            allocation[type] = grant(type, *chosen[type]);
        }
        return allocation;
    }

private:
    [[nodiscard]] std::span<const DeviceType> types() const {
        return std::span(types_).first(count_);
    }

    void add(const DeviceFailure& failure) {
        failures_.resolvable =
            failures_.messages.empty() ? failure.resolvable : failures_.resolvable;
        failures_.messages.push_back(failure.message);
    }

    void collect_missing(TypePlan::Missing what) {
        for (const DeviceType type : types()) {
            if (question_.plan.types[type].missing == what) {
                add(what == TypePlan::Missing::devices ? insufficient_devices(type, false)
                                                       : insufficient_functions(type));
            }
        }
    }

    [[nodiscard]] DeviceGrants grant(DeviceType type, const DevicePicks& picks) const {
        const DevicesOfType& of = question_.inventory.of(type);
        const TypePlan& plan = question_.plan.types[type];
        DeviceGrants grants;
        BERTH_ASSERT(plan.each.size() == of.resources.size(),
                     "amounts are by the resources of the type");
        grants.devices.assign(picks.begin(), picks.end());
        grants.amounts.reserve(picks.size() * plan.each.size());
        for (const std::size_t d : picks) {
            grants.amounts.insert(grants.amounts.end(), plan.each.begin(), plan.each.end());
            if (type == DeviceType::gpu) {
                fill_memory(std::span(grants.amounts).last(plan.each.size()),
                            std::span(of.total).subspan(d * plan.each.size(), plan.each.size()));
            }
        }
        if (plan.wants_vf && picks.with_functions) {
            for (const std::size_t d : picks) {
                const auto function = question_.free_function(type, d);
                BERTH_ASSERT(function, "a device was picked for a function that it has free");
                grants.vfs.push_back(static_cast<std::int32_t>(*function));
            }
        }
        if (!question_.rules.exclusive_is_ignored && plan.exclusive != ExclusivePolicy::unset) {
            grants.closed = picks.mask();
            if (plan.exclusive == ExclusivePolicy::pcie_level) {
                const DeviceMask switches = question_.switches_of(type, grants.closed);
                grants.closed |= question_.on_switches(type, of.all(), switches);
            }
        }
        return grants;
    }

    /// A grant of memory says its ratio, and a ratio how much memory that is.
    static void fill_memory(std::span<Amount> amounts, std::span<const Amount> total) {
        __extension__ using Wide = __int128;
        Amount& memory = amounts[gpu_position::memory];
        Amount& ratio = amounts[gpu_position::memory_ratio];
        const Amount all = total[gpu_position::memory];
        const bool has_memory = memory != DeviceGrants::absent;
        const bool has_ratio = ratio != DeviceGrants::absent;
        if (has_memory && !has_ratio) {
            // As the program computes it, in floating point: 30% may come out as 29.
            ratio = all == 0 ? 0
                             : static_cast<Amount>(static_cast<double>(memory) /
                                                   static_cast<double>(all) * 100);
        } else if (!has_memory) {
            memory = static_cast<Amount>(Wide{has_ratio ? ratio : 0} * all / 100);
        }
    }

    const DeviceQuestion& question_;
    DeviceSolver solver_;
    std::array<DeviceType, device_type_count> types_{};
    std::size_t count_ = 0;
    DeviceFailures failures_;
};

}  // namespace

std::variant<DeviceAllocation, DeviceFailures> decide(const DeviceQuestion& question,
                                                      DeviceSolver solver,
                                                      bool primary_only) {
    return Decision(question, solver, primary_only).decide();
}

}  // namespace berth::core
