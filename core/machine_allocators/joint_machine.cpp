#include <algorithm>
#include <map>

#include "core/device_allocator/device_allocator.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/machine_views/device_object_view.hpp"
#include "core/support/assert.hpp"
#include "core/support/interner.hpp"

namespace berth::core {
namespace {

struct StateHash {
    std::size_t operator()(const DeviceState& state) const { return state.hash(); }
};

/// device-allocator: joint device allocation. Under the published program's rules a machine's score
/// is the published one; otherwise it says how near the pod's devices would be to each other.
class JointMachine final : public MachineAllocator {
public:
    JointMachine(const MachineType& type, const MachineRules& rules)
        : MachineAllocator(type),
          inventory_(std::make_shared<const DeviceInventory>(
              type.device_object != nullptr ? *type.device_object : device_object_view(type))),
          states_(DeviceState(*inventory_)) {
        options_.rules = rules.published ? published_rules() : documented_rules();
        options_.solver = rules.exact ? DeviceSolver::exact : DeviceSolver::greedy;
        if (rules.published) {
            DeviceScorer scorer;  // the program's default
            for (const std::string_view resource : {device_resource::gpu_memory_ratio,
                                                    device_resource::gpu_memory,
                                                    device_resource::rdma,
                                                    device_resource::fpga}) {
                scorer.weights.emplace(resource, 1);
            }
            options_.scorer = std::move(scorer);
        }
    }

    [[nodiscard]] MachineState without(MachineState state, const MachineAnswer& answer) override {
        BERTH_ASSERT(answer.fits && answer.grant < grants_.size(),
                     "what is given back was granted");
        DeviceState left = states_[state];
        left.give_back(*inventory_, grants_[answer.grant]);
        return states_.number(std::move(left));
    }

    [[nodiscard]] bool is_free(MachineState state, const MachineAnswer& answer) const override {
        return states_[state].has_free(*inventory_, grants_[answer.grant]);
    }

    [[nodiscard]] MachineState with(MachineState state, const MachineAnswer& answer) override {
        DeviceState taken = states_[state];
        taken.take_what_is_free(*inventory_, grants_[answer.grant]);
        return states_.number(std::move(taken));
    }

    [[nodiscard]] MachineState either(MachineState one, MachineState other) override {
        DeviceState taken = states_[one];
        taken.take_either(states_[other]);
        return states_.number(std::move(taken));
    }

    [[nodiscard]] std::string why_not(const PodDevices& pod, MachineState state) override {
        const DeviceAllocator* allocator = allocator_of(pod);
        if (allocator == nullptr) {
            return "the request is none";
        }
        const DeviceOutcome outcome = allocator->allocate(states_[state]);
        const auto* refusal = std::get_if<DeviceRefusal>(&outcome);
        return refusal != nullptr ? refusal->text() : "";
    }

protected:
    [[nodiscard]] DeviceMask gpus_in_use(MachineState state) const override {
        const DevicesOfType& gpus = inventory_->of(DeviceType::gpu);
        DeviceMask used = 0;
        for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
            used |= states_[state].is_in_use(*inventory_, DeviceType::gpu, gpu) ? bit(gpu) : 0;
        }
        return used;
    }
    [[nodiscard]] DeviceMask nics_exhausted(MachineState state) const override {
        const DevicesOfType& nics = inventory_->of(DeviceType::rdma);
        DeviceMask full = states_[state].closed(DeviceType::rdma);
        for (std::size_t nic = 0; nic < nics.size(); ++nic) {
            for (std::size_t r = 0; r < nics.resources.size(); ++r) {
                const std::size_t at = nic * nics.resources.size() + r;
                const bool gone = states_[state].used(nics.first_used + at) >= nics.total[at];
                full |= nics.total[at] > 0 && gone ? bit(nic) : 0;
            }
        }
        return full;
    }

    [[nodiscard]] MachineAnswer decide(const PodDevices& pod, MachineState state) override {
        MachineAnswer answer{.after = state};
        const DeviceAllocator* allocator = allocator_of(pod);
        if (allocator == nullptr) {
            return answer;
        }
        DeviceOutcome outcome = allocator->allocate(states_[state]);
        auto* granted = std::get_if<GrantedDevices>(&outcome);
        if (granted == nullptr) {
            return answer;
        }
        answer.fits = true;
        answer.gpus = mask_of(granted->devices[DeviceType::gpu]);
        answer.nics = mask_of(granted->devices[DeviceType::rdma]);
        answer.score = granted->score
                           ? std::min<std::int64_t>(*granted->score << 18U, machine_score_max)
                           : nearness(granted->devices);
        DeviceState after = states_[state];
        after.take(*inventory_, granted->devices);
        answer.after = states_.number(std::move(after));
        answer.grant = grants_.size();
        grants_.push_back(std::move(granted->devices));
        return answer;
    }

private:
    [[nodiscard]] std::int64_t nearness(const DeviceAllocation& devices) const {
        const DeviceLocality locality = device_locality(*inventory_, devices);
        const std::int64_t scope = locality.gpu_scope == TopologyScope::machine     ? 0
                                   : locality.gpu_scope == TopologyScope::numa_node ? 1
                                                                                    : 2;
        const std::int64_t beside = locality.every_gpu_has_nic_beside ? 1 : 0;
        return machine_score_max * (2 * scope + beside) / 5;
    }

    /// The allocator for a pod's request, compiled once for each pod; nullptr if the request is
    /// invalid or empty.
    const DeviceAllocator* allocator_of(const PodDevices& pod) {
        const auto [known, fresh] = allocators_.try_emplace(pod.text);
        if (fresh) {
            auto request = translate(pod.pod, options_.rules);
            if (auto* valid = std::get_if<DeviceRequest>(&request); valid && !valid->empty()) {
                known->second = std::make_unique<DeviceAllocator>(inventory_, *valid, options_);
            }
        }
        return known->second.get();
    }

    std::shared_ptr<const DeviceInventory> inventory_;
    DeviceOptions options_;
    Interner<DeviceState, StateHash> states_;
    std::map<std::string, std::unique_ptr<DeviceAllocator>, std::less<>> allocators_;
    std::vector<DeviceAllocation> grants_;
};

}  // namespace

std::unique_ptr<MachineAllocator> make_joint_machine(const MachineType& type,
                                                     const MachineRules& rules) {
    return std::make_unique<JointMachine>(type, rules);
}

}  // namespace berth::core
