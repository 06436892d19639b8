#include <algorithm>
#include <bit>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/assert.hpp"
#include "core/support/interner.hpp"

namespace berth::core {
namespace {

/// What is taken: GPUs as a whole, and hundredths of each NIC.
struct Taken {
    DeviceMask gpus = 0;
    std::vector<Amount> nics;

    friend bool operator==(const Taken&, const Taken&) = default;
};

struct TakenHash {
    std::size_t operator()(const Taken& taken) const {
        std::size_t hash = std::hash<DeviceMask>()(taken.gpus);
        for (const Amount amount : taken.nics) {
            hash = hash * 1099511628211U + static_cast<std::size_t>(amount);
        }
        return hash;
    }
};

constexpr Amount whole_nic = 100;

/// first-fit: the free devices with the lowest numbers. It knows no topology, and the other
/// allocators are measured against it. An amount of NIC above 100 is a number of hundredths: whole
/// NICs.
class FirstFitMachine final : public MachineAllocator {
public:
    explicit FirstFitMachine(const MachineType& type)
        : MachineAllocator(type), states_({0, std::vector<Amount>(layout().nic_count(), 0)}) {}

    [[nodiscard]] MachineState without(MachineState state, const MachineAnswer& answer) override {
        Taken taken = states_[state];
        BERTH_ASSERT((answer.gpus & ~taken.gpus) == 0, "only GPUs that were taken come back");
        taken.gpus &= ~answer.gpus;
        for_each_bit(answer.nics, [&](std::size_t nic) {
            taken.nics[nic] -= static_cast<Amount>(answer.grant);
            BERTH_ASSERT(taken.nics[nic] >= 0, "no more of a NIC comes back than was taken");
        });
        return states_.number(std::move(taken));
    }

    [[nodiscard]] bool is_free(MachineState state, const MachineAnswer& answer) const override {
        bool free = (states_[state].gpus & answer.gpus) == 0;
        for_each_bit(answer.nics, [&](std::size_t nic) {
            free =
                free && states_[state].nics[nic] + static_cast<Amount>(answer.grant) <= whole_nic;
        });
        return free;
    }

    [[nodiscard]] MachineState with(MachineState state, const MachineAnswer& answer) override {
        Taken taken = states_[state];
        taken.gpus |= answer.gpus;
        for_each_bit(answer.nics, [&](std::size_t nic) {
            const Amount sum = taken.nics[nic] + static_cast<Amount>(answer.grant);
            taken.nics[nic] = std::min(sum, whole_nic);
        });
        return states_.number(std::move(taken));
    }

    [[nodiscard]] MachineState either(MachineState one, MachineState other) override {
        Taken taken = states_[one];
        taken.gpus |= states_[other].gpus;
        std::ranges::transform(
            taken.nics, states_[other].nics, taken.nics.begin(), std::ranges::max);
        return states_.number(std::move(taken));
    }

protected:
    [[nodiscard]] DeviceMask gpus_in_use(MachineState state) const override {
        return states_[state].gpus;
    }
    [[nodiscard]] DeviceMask nics_exhausted(MachineState state) const override {
        DeviceMask full = 0;
        for (std::size_t nic = 0; nic < states_[state].nics.size(); ++nic) {
            full |= states_[state].nics[nic] >= whole_nic ? bit(nic) : 0;
        }
        return full;
    }

    [[nodiscard]] MachineAnswer decide(const PodDevices& pod, MachineState state) override {
        Taken taken = states_[state];
        MachineAnswer answer;
        Amount gpus = pod.gpu_count();
        for (std::size_t gpu = 0; gpu < layout().gpu_count() && gpus > 0; ++gpu) {
            if ((taken.gpus & bit(gpu)) == 0) {
                answer.gpus |= bit(gpu);
                --gpus;
            }
        }
        const Amount share = std::min(pod.rdma(), whole_nic);
        Amount nics = pod.rdma() > whole_nic ? pod.rdma() / whole_nic : std::min<Amount>(share, 1);
        for (std::size_t nic = 0; nic < taken.nics.size() && nics > 0; ++nic) {
            if (taken.nics[nic] + share <= whole_nic) {
                taken.nics[nic] += share;
                answer.nics |= bit(nic);
                --nics;
            }
        }
        if (gpus > 0 || nics > 0) {
            return {.after = state};
        }
        answer.fits = true;
        taken.gpus |= answer.gpus;
        answer.grant = static_cast<std::uint64_t>(share);
        answer.after = states_.number(std::move(taken));
        return answer;
    }

private:
    Interner<Taken, TakenHash> states_;
};

}  // namespace

std::unique_ptr<MachineAllocator> make_first_fit_machine(const MachineType& type,
                                                         const MachineRules& /*rules*/) {
    return std::make_unique<FirstFitMachine>(type);
}

}  // namespace berth::core
