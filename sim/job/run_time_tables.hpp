#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/job/run_time_model.hpp"

namespace berth::sim {

/// The names of the tables in sim/job/run_time_tables.def, which has one line for each class of a
/// table.
[[nodiscard]] std::vector<std::string> run_time_table_names();

/// The classes of a table, for a topology with `levels` levels.
[[nodiscard]] std::vector<SlowDown> run_time_table(std::string_view name, std::size_t levels);

}  // namespace berth::sim
