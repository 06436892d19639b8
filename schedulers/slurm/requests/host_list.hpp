#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// The names that a host list of Slurm stands for, in its order: `n[1-3,7],gpu01` is n1, n2, n3,
/// n7 and gpu01. Leading zeros give a number its width.
///
/// Errors: std::invalid_argument with what is wrong; a list stands for at most 1'000'000 names.
/// Cost:   O(names).
[[nodiscard]] std::vector<std::string> expand_host_list(std::string_view list);

/// The host list of names, in their order, as Slurm prints it.
[[nodiscard]] std::string host_list(const std::vector<std::string>& names);

}  // namespace berth::experiments
