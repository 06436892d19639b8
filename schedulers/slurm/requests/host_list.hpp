#pragma once

#include <string>
#include <vector>

namespace berth::experiments {

/// The host list of names, in their order, as Slurm prints it.
[[nodiscard]] std::string host_list(const std::vector<std::string>& names);

}  // namespace berth::experiments
