#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth::report {

/// The resource that costs most and that figures show by default: GPUs, or else another device (a
/// name with a `/`), or else CPUs, or else the first resource.
[[nodiscard]] std::size_t paid_resource(const std::vector<std::string>& resources);

}  // namespace berth::report
