#pragma once

#include <cstddef>
#include <string>

namespace berth::sim {

/// The longest reason that a job keeps, in bytes. Each job has its own, in memory and in tables.
inline constexpr std::size_t reason_bytes_max = 1024;

/// Bounds a reason that was written outside of berth: one that is too long ends with `...`, after a
/// whole character of UTF-8.
[[nodiscard]] std::string bounded_reason(std::string reason);

}  // namespace berth::sim
