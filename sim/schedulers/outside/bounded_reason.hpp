#pragma once

#include <cstddef>
#include <string>

namespace berth::sim {

/// The longest reason that a job keeps, in bytes. Each job has its own, in memory and in tables.
inline constexpr std::size_t reason_bytes_max = 1024;

/// A reason that somebody outside of berth wrote: one that is too long ends with `...`, behind a
/// whole character of UTF-8.
[[nodiscard]] std::string bounded_reason(std::string reason);

}  // namespace berth::sim
