#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace berth::experiments {

/// How what is in one database differs from what is in another one, whose bytes another version of
/// SQLite may have laid out otherwise: tables, indexes and all rows in their order.
/// Returns: one line that begins with a verb, `has another row 3 in summary`; nothing if the same
///          is in both.
/// Errors:  std::runtime_error when `sound` cannot be read.
[[nodiscard]] std::optional<std::string> database_difference(const std::filesystem::path& file,
                                                             const std::filesystem::path& sound);

}  // namespace berth::experiments
