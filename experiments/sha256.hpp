#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace berth::experiments {

/// The SHA-256 of a file's bytes in hexadecimal; nothing where it cannot be read, and then errno
/// says why.
[[nodiscard]] std::optional<std::string> sha256_of(const std::filesystem::path& file);

}  // namespace berth::experiments
