#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// Which column, or key, of a file holds which field of a job.
struct FieldColumns {
    std::map<std::size_t, std::string> names;  ///< By field of JobFields, of those that are read.
    /// What the author of the file should know, a line each: names that were recognised, and names
    /// that resemble a field's but are not read.
    std::vector<std::string> notes;
    bool limit_in_minutes = false;  ///< A time limit without a unit is one of Slurm's database.
};

/// Whether a column, by its name, says how long something takes, and not when: `wall_time`.
[[nodiscard]] bool names_a_length(std::string_view name);

/// Whether these are columns or keys of squeue, whose ends and starts may be expectations.
[[nodiscard]] bool is_of_squeue(const std::vector<std::string>& names);

/// Finds the columns of fields among the names that a file has: as `stated` says, by the field's
/// own name, or else by a name that such files often have for it (`duration` for run_time). Not
/// read is a field that `stated` gives no name, nor one whose column it gives to another alone.
/// Errors: InputError naming `file`: a field in `stated` that does not exist, with the nearest.
[[nodiscard]] FieldColumns find_field_columns(const std::map<std::string, std::string>& stated,
                                              const std::vector<std::string>& header,
                                              const std::string& file);

}  // namespace berth::workloads
