#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace berth::core {

/// Appends seconds as an exact decimal number: `0.25`.
void append_seconds(std::string& out, std::chrono::nanoseconds time);
/// Does the same at `out`, where at least seconds_chars_max bytes are free. Returns: the end of
/// what it wrote.
char* write_seconds(char* out, std::chrono::nanoseconds time);
inline constexpr std::size_t seconds_chars_max = 32;

}  // namespace berth::core
