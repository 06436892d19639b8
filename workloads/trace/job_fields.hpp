#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workloads/trace/trace_clock.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// What is wrong with a field's text.
struct FieldFault {
    std::string_view what;
    std::string_view expected;
};

/// The fields of TraceJob by their names, for the formats whose columns the user names.
class JobFields {
public:
    /// Their names, in the order in which they are to be set.
    [[nodiscard]] static std::span<const std::string_view> names();

    /// From now on, a time limit without a unit is one in minutes, as in Slurm's database.
    void count_limits_in_minutes(bool minutes) { limit_in_minutes_ = minutes; }

    /// Sets a field of `job`. A text that says that there is nothing (empty, `null`, `None`, `NaN`)
    /// leaves the field as it is.
    [[nodiscard]] std::optional<FieldFault> set(std::size_t field,
                                                std::string_view text,
                                                TraceJob& job);
    /// Completes a job of which all fields have been set (shares of GPUs, a name for a job without
    /// one, dates relative to the first job's), and prepares for the next.
    [[nodiscard]] std::optional<FieldFault> finish(TraceJob& job, std::uint64_t line);

private:
    std::optional<FieldFault> set_time(std::size_t field, std::string_view text, TraceJob& job);

    TraceClock clock_;
    bool limit_in_minutes_ = false;
    bool dates_ = false;  ///< Times are dates, not seconds.
    bool seconds_ = false;
    core::Amount gpus_milli_ = 0;  ///< What the field `gpus` says.
    bool has_share_ = false;       ///< The field `gpu_milli` says something.
};

/// For each field, the name of its column: as `columns` says, or its own name. A field whose column
/// has no name is not there: it is not read.
/// Errors: InputError naming `file`: a field in `columns` that does not exist, with the nearest.
[[nodiscard]] std::map<std::size_t, std::string> field_columns(
    const std::map<std::string, std::string>& columns, const std::string& file);

}  // namespace berth::workloads
