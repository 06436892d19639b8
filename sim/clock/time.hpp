#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/support/append_seconds.hpp"

namespace berth::sim {

/// Simulated time since the start of the run, and durations: whole nanoseconds, 292 years of them.
using SimTime = std::chrono::nanoseconds;

inline constexpr SimTime never = SimTime::max();

/// The time `span` after the instant `at`, both at least 0; `never` if that does not fit into
/// SimTime.
[[nodiscard]] constexpr SimTime after(SimTime at, SimTime span) {
    return span < never - at ? at + span : never;
}

/// Why a text is not a duration.
enum class DurationFault : std::uint8_t {
    malformed,  ///< Not numbers with units; also a negative duration.
    too_fine,   ///< Not a whole number of nanoseconds: `0.5ns`.
    too_long,   ///< It does not fit into SimTime.
};

/// Parses `10ms`, `10s`, `5m`, `24h`, `7d`, `1h30m`, `0.5s`, or a bare `0`.
[[nodiscard]] std::variant<SimTime, DurationFault> duration_or_fault(std::string_view text);
/// The same; nothing for a text with a fault.
[[nodiscard]] std::optional<SimTime> parse_duration(std::string_view text);

/// Seconds as an exact decimal number: `0.25`.
[[nodiscard]] std::string format_seconds(SimTime time);
/// For people: `119.321 s` up to two minutes, to the millisecond; then `2 d 13 h 34 min 48 s`, to
/// the second.
[[nodiscard]] std::string time_text(SimTime time);
using core::append_seconds;
using core::seconds_chars_max;
using core::write_seconds;

/// The first multiple of `period` at or after `time`, or `time` itself without a period; nothing
/// when it lies beyond what SimTime holds.
[[nodiscard]] std::optional<SimTime> tick_from(SimTime time, SimTime period);

/// Seconds, for averages.
[[nodiscard]] inline double seconds(SimTime time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace berth::sim
