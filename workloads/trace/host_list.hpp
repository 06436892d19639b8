#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// The names that a host list of Slurm stands for: `n[1-3,07],login` means `n1`, `n2`, `n3`, `n07`
/// and `login`. A name may have several brackets. Nothing for a text that is no host list, or that
/// stands for more than a million names.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view text);

}  // namespace berth::workloads
