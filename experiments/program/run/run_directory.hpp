#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// What manifest.json of a run directory says of itself.
inline constexpr const char* manifest_schema = "berth.manifest/v1";

/// A directory that appears whole or not at all: files are written beside their place, and commit()
/// moves them there. A directory never committed leaves nothing behind.
///
/// Errors: core::InputError when the place is taken by something that is no run directory or cannot
///         be written; std::system_error with the path when writing fails later.
class RunDirectory {
public:
    explicit RunDirectory(std::filesystem::path place);
    ~RunDirectory();
    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;

    /// Opens a file for writing in pieces; close it with close_checked().
    [[nodiscard]] std::ofstream open(const std::string& name);
    void close_checked(std::ofstream& file, const std::string& name);
    /// Writes a file at once.
    void write(const std::string& name, std::string_view content);
    [[nodiscard]] std::string sha256(const std::string& name) const;
    /// Where a file will be, for messages.
    [[nodiscard]] std::filesystem::path path_of(const std::string& name) const {
        return place_ / name;
    }
    /// Replaces what is in the place.
    void commit();

private:
    std::filesystem::path place_;
    std::filesystem::path temporary_;
    std::vector<std::filesystem::path> made_parents_;  ///< The innermost first.
};

/// Writes a file whole or not at all; `-` is standard output.
/// Errors: std::system_error with the path.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace berth::experiments
