#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::workloads {

/// Why a text is not a number for its field.
enum class NumberFault : std::uint8_t { malformed, negative, fractional, too_large };

/// The fault as words for a message, such as `no number`.
[[nodiscard]] std::string_view describe(NumberFault fault);

/// The unit of a number in a trace, and its maximum, chosen so that sums of a job's amounts fit.
struct AmountUnit {
    std::int64_t per_unit = 1;  ///< How many of the job's units are in one of the trace's.
    std::int64_t max = 0;       ///< Maximum, in the job's unit.
    std::string_view expected;  ///< What was expected, for messages.
    bool whole = false;         ///< Whether fractions are refused; otherwise they are rounded up to
                                ///< a whole unit of the job's.
};
inline constexpr std::int64_t cpu_milli_max = 1'000'000'000'000;
inline constexpr std::int64_t memory_bytes_max = std::int64_t{1} << 60U;
inline constexpr std::int64_t members_max = 10'000'000;
inline constexpr std::int64_t gpus_max = 1'000'000;
inline constexpr AmountUnit cpu_in_milli{1, cpu_milli_max, "milli-CPU, at most 10^12"};
inline constexpr AmountUnit cpu_in_cores{1000, cpu_milli_max, "CPU cores, at most 10^9"};
inline constexpr AmountUnit memory_in_kib{1024, memory_bytes_max, "KiB of memory, at most 2^50"};
inline constexpr AmountUnit memory_in_mib{
    std::int64_t{1} << 20U, memory_bytes_max, "MiB of memory, at most 2^40"};
inline constexpr AmountUnit memory_in_gib{
    std::int64_t{1} << 30U, memory_bytes_max, "GiB of memory, at most 2^30"};
inline constexpr AmountUnit gpu_count{1, gpus_max, "a number of GPUs, at most 10^6", true};
inline constexpr AmountUnit gpu_in_milli{1, 1'000'000'000, "thousandths of a GPU"};
inline constexpr AmountUnit nic_percent{1, 1'000'000, "percent of a NIC"};
inline constexpr AmountUnit member_count{1, members_max, "a number of members, at most 10^7", true};

/// A decimal number, with or without a fraction and an exponent, converted to the job's unit.
[[nodiscard]] std::variant<std::int64_t, NumberFault> parse_amount(std::string_view text,
                                                                   const AmountUnit& unit);

/// The latest point in time and the longest duration in a trace, chosen so that times can be added
/// and subtracted.
inline constexpr sim::SimTime time_max{std::int64_t{1} << 62U};

/// Seconds, rounded to the nearest nanosecond: programs print 0.1 + 0.2.
[[nodiscard]] std::variant<sim::SimTime, NumberFault> parse_seconds(std::string_view text);

/// A point in time: seconds as for parse_seconds(), or the milliseconds, microseconds or
/// nanoseconds since 1970 that many programs write. A number counts as one of these if it is too
/// large for seconds and is a date after 1973 in that unit.
[[nodiscard]] std::variant<sim::SimTime, NumberFault> parse_instant(std::string_view text);

/// A local date and time, `2026-01-31T23:59:59`. A space may replace the `T`, and a fraction and a
/// zone may follow: `Z` or `+01:00`, which is subtracted.
/// Returns: the time since 1970-01-01; nothing for any other text.
[[nodiscard]] std::optional<sim::SimTime> parse_date_time(std::string_view text);

/// A length of time as Slurm writes it: `DAYS-HH:MM:SS`, `HH:MM:SS` or `MM:SS`, with or without a
/// fraction.
[[nodiscard]] std::optional<sim::SimTime> parse_clock(std::string_view text);

}  // namespace berth::workloads
