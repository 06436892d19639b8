#include <array>
#include <memory>
#include <span>

#include "core/gpu_sharing/gpu_policy.hpp"

namespace berth::core {

#define BERTH_GPU_POLICY(function, name, summary) \
    std::unique_ptr<GpuPolicy> make_##function(const GpuPolicyContext& context);
#include "core/gpu_sharing/policies/gpu_policies.def"
#undef BERTH_GPU_POLICY

std::span<const GpuPolicyEntry> gpu_policies() {
    static constexpr std::array table{
#define BERTH_GPU_POLICY(function, name, summary) GpuPolicyEntry{name, summary, &make_##function},
#include "core/gpu_sharing/policies/gpu_policies.def"
#undef BERTH_GPU_POLICY
    };
    // A policy that is listed but not linked is a link error and never silently missing.
    return table;
}

}  // namespace berth::core
