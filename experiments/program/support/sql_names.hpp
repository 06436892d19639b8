#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// A name that SQL takes without quotes: every character but letters, digits and `_` becomes `_`.
/// `nvidia.com/gpu_utilization` is called `nvidia_com_gpu_utilization`.
[[nodiscard]] std::string sql_column(std::string_view name);

/// The same of several names, which stay apart: the second of one name gets `_2` at its end.
[[nodiscard]] std::vector<std::string> sql_columns(const std::vector<std::string>& names);

/// Which of the metrics of resources are to be repeated for SQL: those whose names need quotes. Not
/// those of quotas, `quota/NAME/FIGURE`, nor of kinds of jobs, `job_wait_s_p95[NAME]`: they are
/// many, and results.sqlite has their names as values.
[[nodiscard]] std::vector<std::size_t> quoted_columns(const std::vector<std::string>& metrics);

/// For each column of a table whether it repeats one that stands before it, under the name that
/// SQL takes without quotes. Whoever reads the table by its columns leaves those out.
[[nodiscard]] std::vector<bool> repeated_for_sql(const std::vector<std::string>& header);

}  // namespace berth::report
