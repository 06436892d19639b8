#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// Which column or key of a file holds which field of a job.
struct FieldColumns {
    std::map<std::size_t, std::string> names;  ///< Names of the fields that are read, keyed by
                                               ///< field of JobFields.
    /// Notes for the author of the file, one line each: names that were recognised, and names that
    /// resemble a field's name but are not read.
    std::vector<std::string> notes;
    bool limit_in_minutes = false;  ///< Whether a time limit without a unit is in minutes, as in
                                    ///< Slurm's database.
};

/// Whether a column, by its name, holds a length of time such as `wall_time`, and not a point in
/// time.
[[nodiscard]] bool names_a_length(std::string_view name);

/// Whether these are columns or keys of squeue, whose start and end times may be expectations.
[[nodiscard]] bool is_of_squeue(const std::vector<std::string>& names);

/// Finds the columns of fields among the names in a file: the one that `stated` names, or the
/// field's own name, or another name that files often have for it (`duration` for run_time). A
/// field is not read if `stated` gives it no name, or gives its column to another field alone.
/// Errors: InputError naming `file` for a field in `stated` that does not exist, with the nearest
///         one.
[[nodiscard]] FieldColumns find_field_columns(const std::map<std::string, std::string>& stated,
                                              const std::vector<std::string>& header,
                                              const std::string& file);

}  // namespace berth::workloads
