#pragma once

#include <filesystem>
#include <vector>

namespace berth::experiments {

/// Makes a folder and those above it that are missing, and has their entries on the disk: a file
/// that is synced in a folder that is not can be gone with it after a power cut.
///
/// Returns: those that were missing, the innermost first.
/// Errors:  std::system_error with the path; what was made is removed again.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& folder);

/// Removes folders, in their order, that nobody has put anything into.
void remove_empty(const std::vector<std::filesystem::path>& folders);

}  // namespace berth::experiments
