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

/// The fields of TraceJob by name, for the formats whose columns the user names.
class JobFields {
public:
    /// The names of the fields, in the order in which they have to be set.
    [[nodiscard]] static std::span<const std::string_view> names();

    /// Whether, from now on, a time limit without a unit is in minutes, as in Slurm's database.
    void count_limits_in_minutes(bool minutes) { limit_in_minutes_ = minutes; }

    /// Sets a field of `job`. A text that means "no value" (empty, `null`, `None`, `NaN`) leaves
    /// the field as it is.
    [[nodiscard]] std::optional<FieldFault> set(std::size_t field,
                                                std::string_view text,
                                                TraceJob& job);
    /// Completes a job whose fields have all been set (GPU shares, a name for a job without one,
    /// dates relative to the first job's), and prepares for the next job.
    [[nodiscard]] std::optional<FieldFault> finish(TraceJob& job, std::uint64_t line);

private:
    std::optional<FieldFault> set_time(std::size_t field, std::string_view text, TraceJob& job);

    TraceClock clock_;
    bool limit_in_minutes_ = false;
    bool dates_ = false;  ///< Whether times are dates, not seconds.
    bool seconds_ = false;
    core::Amount gpus_milli_ = 0;  ///< The value of the field `gpus`, in thousandths.
    bool has_share_ = false;       ///< Whether the field `gpu_milli` has a value.
};

/// The name of each field's column: the one that `columns` gives, or the field's own name. A field
/// whose column has no name is left out and not read.
/// Errors: InputError naming `file` for a field in `columns` that does not exist, with the nearest
///         one.
[[nodiscard]] std::map<std::size_t, std::string> field_columns(
    const std::map<std::string, std::string>& columns, const std::string& file);

}  // namespace berth::workloads
