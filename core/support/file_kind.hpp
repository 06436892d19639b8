#pragma once

#include <cstdint>
#include <filesystem>

namespace berth::core {

/// What a path leads to, after following links. The standard library's functions answer "no" when a
/// disk fails, and what depends on the answer is then silently left out.
enum class FileKind : std::uint8_t { none, file, folder, other };

/// Errors: ReadError.
[[nodiscard]] FileKind kind_of(const std::filesystem::path& path);
[[nodiscard]] inline bool exists(const std::filesystem::path& path) {
    return kind_of(path) != FileKind::none;
}
[[nodiscard]] inline bool is_file(const std::filesystem::path& path) {
    return kind_of(path) == FileKind::file;
}
[[nodiscard]] inline bool is_folder(const std::filesystem::path& path) {
    return kind_of(path) == FileKind::folder;
}

}  // namespace berth::core
