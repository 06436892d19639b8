#include <array>
#include <memory>
#include <span>

#include "core/gpu_sharing/tree_policy.hpp"

namespace berth::core {

#define BERTH_TREE_POLICY(function, name, summary) \
    std::unique_ptr<TreePolicy> make_##function(const TreePolicyContext& context);
#include "core/gpu_sharing/tree_policies/tree_policies.def"
#undef BERTH_TREE_POLICY

std::span<const TreePolicyEntry> tree_policies() {
    static constexpr std::array table{
#define BERTH_TREE_POLICY(function, name, summary) TreePolicyEntry{name, summary, &make_##function},
#include "core/gpu_sharing/tree_policies/tree_policies.def"
#undef BERTH_TREE_POLICY
    };
    // A policy that is listed but not linked is a link error and never silently missing.
    return table;
}

}  // namespace berth::core
