#pragma once

#include <map>
#include <string>
#include <vector>

namespace berth::workloads {

/// Which column, or key, of a file holds which field of a job.
struct FieldColumns {
    std::map<std::size_t, std::string> names;  ///< By field of JobFields, of those that are read.
    /// What the author of the file should know, a line each: names that were recognised, and names
    /// that resemble a field's but are not read.
    std::vector<std::string> notes;
};

/// Finds the columns of fields among the names that a file has: as `stated` says, by the field's
/// own name, or else by a name that such files often have for it (`duration` for run_time). A field
/// that `stated` gives no name is not read.
/// Errors: InputError naming `file`: a field in `stated` that does not exist, with the nearest.
[[nodiscard]] FieldColumns find_field_columns(const std::map<std::string, std::string>& stated,
                                              const std::vector<std::string>& header,
                                              const std::string& file);

}  // namespace berth::workloads
