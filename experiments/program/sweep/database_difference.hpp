#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace berth::experiments {

/// How the content of one database differs from that of another, which another version of SQLite
/// may have written with a different layout: tables, indexes, and all rows in their order.
/// Returns: one line that begins with a verb, such as `has another row 3 in summary`; nothing if
///          both have the same content.
/// Errors:  std::runtime_error if `sound` cannot be read.
[[nodiscard]] std::optional<std::string> database_difference(const std::filesystem::path& file,
                                                             const std::filesystem::path& sound);

}  // namespace berth::experiments
