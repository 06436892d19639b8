#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// A name that SQL accepts without quotes: every character except letters, digits and `_` becomes
/// `_`. `nvidia.com/gpu_utilization` becomes `nvidia_com_gpu_utilization`.
[[nodiscard]] std::string sql_column(std::string_view name);

/// Does the same for several names, which stay distinct: the second of two equal names gets `_2` at
/// its end.
[[nodiscard]] std::vector<std::string> sql_columns(const std::vector<std::string>& names);

/// Which metrics of resources are repeated for SQL: those whose names need quotes. Metrics of
/// quotas, `quota/NAME/FIGURE`, and of kinds of jobs, `job_wait_s_p95[NAME]`, are not repeated,
/// because they are many, and results.sqlite has their names as values.
[[nodiscard]] std::vector<std::size_t> quoted_columns(const std::vector<std::string>& metrics);

/// For each column of a table: whether it repeats an earlier column under a name that SQL accepts
/// without quotes. Readers that use the columns by name skip these.
[[nodiscard]] std::vector<bool> repeated_for_sql(const std::vector<std::string>& header);

}  // namespace berth::report
