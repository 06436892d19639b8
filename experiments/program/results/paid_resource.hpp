#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth::report {

/// Which resource people pay for, and figures show unless told otherwise: GPUs, else another device
/// (a name with a `/`), else CPUs, else the first.
[[nodiscard]] std::size_t paid_resource(const std::vector<std::string>& resources);

}  // namespace berth::report
