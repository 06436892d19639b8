#include "core/machine_allocators/machine_allocator.hpp"

#include <array>
#include <bit>

#include "core/support/assert.hpp"

namespace berth::core {

const MachineAnswer& MachineAllocator::ask(const PodDevices& pod,
                                           std::uint32_t number,
                                           MachineState state) {
    const std::uint64_t key = std::uint64_t{number} << 32 | state;
    if (last_ != nullptr && key == last_key_) {
        return *last_;
    }
    const MachineAnswer*& known = known_[key];
    if (known == nullptr) {
        MachineAnswer answer = decide(pod, state);
        BERTH_ASSERT(answer.score >= 0 && answer.score <= machine_score_max,
                     "a machine's score is as that of a scorer");
        BERTH_ASSERT(answer.fits || answer.after == state,
                     "a pod that does not fit changes nothing");
        if (answer.fits && answer.gpus != 0) {
            answer.reached = layout_.locality(answer.gpus, answer.nics);
            const auto gpus = static_cast<std::size_t>(std::popcount(answer.gpus));
            const auto nics = static_cast<std::size_t>(std::popcount(answer.nics));
            answer.possible = layout_.attainable(~DeviceMask{0}, ~DeviceMask{0}, gpus, nics);
            // What the pod has itself was free, even what others may share.
            answer.attainable = layout_.attainable(
                ~gpus_in_use(state) | answer.gpus, ~nics_exhausted(state), gpus, nics);
        }
        known = &answers_.emplace_back(answer);
    }
    last_key_ = key;
    last_ = known;
    return *known;
}

const MachineAllocator::Free& MachineAllocator::free(MachineState state) {
    if (state >= free_.size()) {
        free_.resize(state + 1);
    }
    std::optional<Free>& known = free_[state];
    if (!known) {
        const std::size_t count = layout_.gpu_count();
        const DeviceMask all = count == devices_of_type_max ? ~DeviceMask{0} : bit(count) - 1;
        const DeviceMask gpus = all & ~gpus_in_use(state);
        known = Free{static_cast<std::size_t>(std::popcount(gpus)), layout_.whole_free(gpus)};
        BERTH_ASSERT(known->whole <= known->gpus, "a GPU of a whole island is free");
    }
    return *known;
}

#define BERTH_MACHINE_ALLOCATOR(function, name, summary)                                 \
    std::unique_ptr<MachineAllocator> make_##function##_machine(const MachineType& type, \
                                                                const MachineRules& rules);
#include "core/machine_allocators/machine_allocators.def"
#undef BERTH_MACHINE_ALLOCATOR

std::span<const MachineAllocatorEntry> machine_allocators() {
    static constexpr std::array table{
#define BERTH_MACHINE_ALLOCATOR(function, name, summary) \
    MachineAllocatorEntry{name, summary, &make_##function##_machine},
#include "core/machine_allocators/machine_allocators.def"
#undef BERTH_MACHINE_ALLOCATOR
    };
    return table;  // an allocator named here and not linked is a link error
}

}  // namespace berth::core
