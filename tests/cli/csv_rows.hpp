#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::tests {

/// A row of a CSV file, by the names in the header.
using CsvRow = std::map<std::string, std::string>;

/// Reads a whole file; every row must have the header's number of fields.
[[nodiscard]] std::vector<CsvRow> csv_rows(std::string_view text);

}  // namespace berth::tests
