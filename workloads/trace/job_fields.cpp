#include "workloads/trace/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "workloads/trace/dependency_text.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/slurm_amounts.hpp"

namespace berth::workloads {
namespace {

enum class Field : std::size_t {
    name,
    user,
    queue,
    application,
    priority,
    members,
    cpu,
    cpu_milli,
    memory,
    memory_mib,
    gpus,
    gpu_milli,
    gpu_models,
    rdma_percent,
    per_server_max,
    submit,
    start,
    finish_time,
    run_time,
    time_limit,
    status,
    after,
};

constexpr std::array<std::string_view, 22> field_names{
    "name",       "user",         "queue",          "application", "priority", "members",
    "cpu",        "cpu_milli",    "memory",         "memory_mib",  "gpus",     "gpu_milli",
    "gpu_models", "rdma_percent", "per_server_max", "submit",      "start",    "finish",
    "run_time",   "time_limit",   "status",         "after"};

bool says_nothing(std::string_view text) {
    if (text.empty()) {
        return true;
    }
    constexpr std::array<std::string_view, 7> nothing{
        "null", "None", "NaN", "nan", "NaT", "N/A", "Unknown"};
    if (const char first = text.front(); first != 'n' && first != 'N' && first != 'U') {
        return false;
    }
    return std::ranges::find(nothing, text) != nothing.end();
}

std::optional<FieldFault> set_amount(std::int64_t& to,
                                     std::string_view text,
                                     const AmountUnit& unit) {
    const auto number = parse_amount(text, unit);
    if (const auto* fault = std::get_if<NumberFault>(&number)) {
        return FieldFault{describe(*fault), unit.expected};
    }
    to = std::get<std::int64_t>(number);
    return std::nullopt;
}

/// Sets a plain number in the unit, or a Kubernetes quantity.
std::optional<FieldFault> set_quantity(std::int64_t& to,
                                       std::string_view text,
                                       const AmountUnit& unit) {
    const bool ends_with_unit = (text.back() | 0x20) >= 'a' && (text.back() | 0x20) <= 'z';
    if (!ends_with_unit && !set_amount(to, text, unit)) {
        return std::nullopt;
    }
    const auto quantity = core::parse_quantity(text, unit.per_unit);
    const auto* amount = std::get_if<core::Amount>(&quantity);
    if (amount == nullptr || *amount > unit.max) {
        return FieldFault{"no quantity", unit.expected};
    }
    to = *amount;
    return std::nullopt;
}

std::optional<FieldFault> set_priority(std::int32_t& to, std::string_view text) {
    const auto priority = core::parse_number<std::int32_t>(text);
    if (!priority) {
        return FieldFault{"no priority", "a whole number of 32 bits"};
    }
    to = *priority;
    return std::nullopt;
}

/// Why a text is not a length of time. `of_seconds` is its fault as a number of seconds.
FieldFault length_fault(std::string_view text, NumberFault of_seconds) {
    const auto length = sim::duration_or_fault(text);
    const auto* fault = std::get_if<sim::DurationFault>(&length);
    if (of_seconds == NumberFault::too_large || fault == nullptr ||
        *fault == sim::DurationFault::too_long) {
        return {"too long", "at most 53375d, which is 146 years"};
    }
    if (*fault == sim::DurationFault::too_fine) {
        return {"too fine", "whole nanoseconds, the shortest of which is 1ns"};
    }
    const bool negative = text.starts_with('-') && (of_seconds == NumberFault::negative ||
                                                    sim::parse_duration(text.substr(1)));
    return {negative ? "negative" : "no length of time", "seconds, 1h30m or HH:MM:SS"};
}

std::optional<FieldFault> set_length(std::optional<sim::SimTime>& to, std::string_view text) {
    const auto seconds = parse_seconds(text);
    if (const auto* time = std::get_if<sim::SimTime>(&seconds)) {
        to = *time;
        return std::nullopt;
    }
    to = parse_clock(text);
    if (!to) {
        to = sim::parse_duration(text);
    }
    if (to && *to <= time_max) {
        return std::nullopt;
    }
    return length_fault(text, std::get<NumberFault>(seconds));
}

/// Sets minutes, or a length of time with its unit. Where there is no limit, Slurm's database has
/// one of the two largest numbers of 32 bits.
std::optional<FieldFault> set_minutes(std::optional<sim::SimTime>& to, std::string_view text) {
    constexpr AmountUnit minutes{60'000'000'000, time_max.count(), {}};
    if (text == "4294967295" || text == "4294967294") {
        return std::nullopt;
    }
    const auto number = parse_amount(text, minutes);
    const auto* length = std::get_if<std::int64_t>(&number);
    if (length == nullptr) {
        return set_length(to, text);
    }
    to = sim::SimTime(*length);
    return std::nullopt;
}

std::optional<FieldFault> set_status(TraceStatus& to, std::string_view text) {
    using Entry = std::pair<std::string_view, TraceStatus>;
    static constexpr std::array own{Entry{"pending", TraceStatus::pending},
                                    Entry{"running", TraceStatus::running},
                                    Entry{"completed", TraceStatus::completed},
                                    Entry{"failed", TraceStatus::failed},
                                    Entry{"cancelled", TraceStatus::cancelled},
                                    Entry{"timed_out", TraceStatus::timed_out},
                                    Entry{"node_failed", TraceStatus::node_failed},
                                    Entry{"unknown", TraceStatus::unknown}};
    const auto* known = std::ranges::find(own, text, &Entry::first);
    auto found = known == own.end() ? status_of_phase(text) : std::optional(known->second);
    if (!found) {
        found = status_of_slurm_state(text);
    }
    to = found.value_or(TraceStatus::unknown);
    return found ? std::nullopt
                 : std::optional(FieldFault{"unknown status",
                                            "pending, running, completed, failed, cancelled, "
                                            "timed_out or node_failed; columns: {status: ''} "
                                            "leaves the column out"});
}

std::optional<FieldFault> set_after(std::string_view text, TraceJob& job) {
    DependencyText read = parse_dependencies(text);
    if (!read.whole) {
        return FieldFault{"a dependency that is not modelled",
                          "names of jobs, or after, afterany and afterok as in Slurm"};
    }
    if (!read.after.empty()) {
        job.set_conditions().after = std::move(read.after);
    }
    return std::nullopt;
}

}  // namespace

std::span<const std::string_view> JobFields::names() {
    return field_names;
}

std::optional<FieldFault> JobFields::set(std::size_t field, std::string_view text, TraceJob& job) {
    constexpr AmountUnit cores{1000, cpu_milli_max, "CPU cores, as 2, 0.5 or 500m"};
    constexpr AmountUnit bytes{1, memory_bytes_max, "bytes, or a quantity as 16Gi"};
    constexpr AmountUnit gpu_thousandths{1000, 1000 * gpus_max, "GPUs, at most 10^6"};
    if (says_nothing(text)) {
        return std::nullopt;
    }
    using enum Field;
    switch (static_cast<Field>(field)) {
        case name:
            job.name = text;
            return std::nullopt;
        case user:
            job.user = text;
            return std::nullopt;
        case queue:
            job.queue = text;
            return std::nullopt;
        case application:
            job.application = text;
            return std::nullopt;
        case gpu_models:
            split_models(text, job.gpus.models);
            return std::nullopt;
        case priority:
            return set_priority(job.priority, text);
        case members:
            return set_amount(job.members, text, member_count);
        case cpu:
            return set_quantity(job.cpu_milli, text, cores);
        case cpu_milli:
            return set_amount(job.cpu_milli, text, cpu_in_milli);
        case memory:
            return set_quantity(job.memory_bytes, text, bytes);
        case memory_mib:
            return set_amount(job.memory_bytes, text, memory_in_mib);
        case gpus:
            return set_amount(gpus_milli_, text, gpu_thousandths);
        case gpu_milli:
            has_share_ = true;
            return set_amount(job.gpus.milli, text, gpu_in_milli);
        case rdma_percent:
            return set_amount(job.rdma_percent, text, nic_percent);
        case per_server_max:
            return set_amount(job.per_server_max, text, member_count);
        case run_time:
            return set_length(job.run_time, text);
        case time_limit:
            return limit_in_minutes_ ? set_minutes(job.time_limit, text)
                                     : set_length(job.time_limit, text);
        case status:
            return set_status(job.status, text);
        case after:
            return set_after(text, job);
        case submit:
        case start:
        case finish_time:
            break;
    }
    return set_time(field, text, job);
}

std::optional<FieldFault> JobFields::set_time(std::size_t field,
                                              std::string_view text,
                                              TraceJob& job) {
    std::optional<sim::SimTime>& to = static_cast<Field>(field) == Field::submit  ? job.submit
                                      : static_cast<Field>(field) == Field::start ? job.start
                                                                                  : job.finish;
    const auto number = parse_instant(text);
    if (const auto* time = std::get_if<sim::SimTime>(&number)) {
        to = *time;
        seconds_ = true;
        return std::nullopt;
    }
    to = parse_date_time(text);
    dates_ = true;
    if (!to) {
        const bool negative = std::get<NumberFault>(number) == NumberFault::negative;
        return FieldFault{negative ? "negative" : "no time", "seconds or YYYY-MM-DDTHH:MM:SS"};
    }
    return std::nullopt;
}

std::optional<FieldFault> JobFields::finish(TraceJob& job, std::uint64_t line) {
    const bool dates = std::exchange(dates_, false);
    const bool mixed = std::exchange(seconds_, false) && dates;
    const core::Amount gpu_total = std::exchange(gpus_milli_, 0);
    const bool has_share = std::exchange(has_share_, false);
    if (mixed) {
        return FieldFault{"some times are dates and some are seconds", "one of both"};
    }
    if (job.start && job.finish && *job.finish < *job.start) {
        return FieldFault{"ends before it starts", "no earlier finish"};
    }
    if (job.members == 0) {
        return FieldFault{"no members", "one at least"};
    }
    const bool share = gpu_total > 0 && gpu_total < core::gpu_whole_milli;
    if (!has_share) {
        job.gpus.milli = share ? gpu_total : core::gpu_whole_milli;
        job.gpus.count = share ? 1 : gpu_total / core::gpu_whole_milli;
        if (!share && gpu_total % core::gpu_whole_milli != 0) {
            return FieldFault{"a share of several GPUs", "a share of one device, or whole devices"};
        }
    } else {
        job.gpus.milli = std::min(job.gpus.milli, core::gpu_whole_milli);
        job.gpus.count = gpu_total == 0 && job.gpus.milli > 0
                             ? 1
                             : (gpu_total + core::gpu_whole_milli - 1) / core::gpu_whole_milli;
        if (job.gpus.count > 1 && job.gpus.milli < core::gpu_whole_milli) {
            return FieldFault{"a share of several GPUs", "a share of one device, or whole devices"};
        }
    }
    if (job.gpus.count == 0 || job.gpus.milli == 0) {
        job.gpus.milli = 0;
        job.gpus.count = 0;
        job.gpus.models.clear();
    }
    if (job.name.empty()) {
        job.name = fmt::format("job-{}", line);
    }
    if (dates) {
        clock_.set_to_zero(job);
    }
    return std::nullopt;
}

std::map<std::size_t, std::string> field_columns(const std::map<std::string, std::string>& columns,
                                                 const std::string& file) {
    std::map<std::size_t, std::string> out;
    for (std::size_t field = 0; field < field_names.size(); ++field) {
        out[field] = field_names[field];
    }
    const std::vector<std::string> known(field_names.begin(), field_names.end());
    for (const auto& [field, column] : columns) {
        const auto found = std::ranges::find(known, field);
        if (found == known.end()) {
            throw core::InputError(
                fmt::format("{}: error: columns: unknown field '{}': expected {}{}",
                            file,
                            field,
                            core::alternatives(known),
                            core::suggestion(field, known)));
        }
        const auto at = static_cast<std::size_t>(found - known.begin());
        if (column.empty()) {
            out.erase(at);
        } else {
            out[at] = column;
        }
    }
    return out;
}

}  // namespace berth::workloads
