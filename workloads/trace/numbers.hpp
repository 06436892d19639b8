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

/// For a message: `no number`.
[[nodiscard]] std::string_view describe(NumberFault fault);

/// What a number of a trace counts, and how large it may be, so that sums of a job's amounts fit.
struct AmountUnit {
    std::int64_t per_unit = 1;  ///< Of a job's unit, in one of the trace's.
    std::int64_t max = 0;       ///< In the job's unit.
    std::string_view expected;  ///< For messages.
    bool whole = false;         ///< No fraction; otherwise what is below one unit is rounded up.
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

/// A decimal number, with a fraction and an exponent or without, in the job's unit.
[[nodiscard]] std::variant<std::int64_t, NumberFault> parse_amount(std::string_view text,
                                                                   const AmountUnit& unit);

/// The latest time of a trace, and the longest, so that times can be added and subtracted.
inline constexpr sim::SimTime time_max{std::int64_t{1} << 62U};

/// Seconds, to the nanosecond. What is finer is rounded to the nearest: programs print 0.1 + 0.2.
[[nodiscard]] std::variant<sim::SimTime, NumberFault> parse_seconds(std::string_view text);

/// A point in time: seconds, as parse_seconds() has them, or the milliseconds, microseconds or
/// nanoseconds since 1970 that many programs write: a number counts as these if it is too large for
/// seconds and is a date after 1973 in one of them.
[[nodiscard]] std::variant<sim::SimTime, NumberFault> parse_instant(std::string_view text);

/// A local date and time, `2026-01-31T23:59:59`, also with a space in between, a fraction, and a
/// zone: `Z` or `+01:00`, which is subtracted.
/// Returns: the time since 1970-01-01; nothing for anything else.
[[nodiscard]] std::optional<sim::SimTime> parse_date_time(std::string_view text);

/// A length of time as Slurm writes it: `DAYS-HH:MM:SS`, `HH:MM:SS`, `MM:SS`, with a fraction or
/// without.
[[nodiscard]] std::optional<sim::SimTime> parse_clock(std::string_view text);

}  // namespace berth::workloads
