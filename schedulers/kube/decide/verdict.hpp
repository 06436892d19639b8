#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core::kube {

enum class Code : std::uint8_t {
    success,
    unschedulable,  ///< Preemption may help.
    unresolvable,   ///< Preemption does not help.
    error,
};
[[nodiscard]] std::string_view to_string(Code code);

/// What a plugin says about a node, or about all nodes.
struct Verdict {
    Code code = Code::success;
    std::vector<std::string> reasons;
    std::string_view plugin = {};

    [[nodiscard]] bool is_success() const { return code == Code::success; }
};

}  // namespace berth::core::kube
