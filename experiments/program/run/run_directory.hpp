#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// What manifest.json of a run directory says of itself.
inline constexpr const char* manifest_schema = "berth.manifest/v1";

/// A directory that appears whole or not at all: files are written beside their place, and commit()
/// moves them there. A directory never committed leaves nothing behind. A file that a user put into
/// the run directory that is replaced stays there.
///
/// Errors: core::InputError when the place is taken by something that is no run directory or cannot
///         be written; std::system_error with the path when writing fails later.
class RunDirectory {
public:
    explicit RunDirectory(std::filesystem::path place);
    ~RunDirectory();
    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;

    /// Opens a file for writing in pieces; close it with close().
    [[nodiscard]] std::unique_ptr<FileWriter> open(const std::string& name) const;
    void close(FileWriter& file, const std::string& name);
    /// Writes a file at once.
    void write(const std::string& name, std::string_view content);
    /// Of a file that was closed or written.
    [[nodiscard]] const std::string& sha256(const std::string& name) const {
        return digests_.at(name);
    }
    /// Has everything on the disk, and replaces what is in the place.
    void commit();

private:
    void keep_files_of_users() const;

    std::filesystem::path place_;
    std::vector<std::filesystem::path> made_parents_;  ///< The innermost first.
    std::optional<Temporary> temporary_;
    std::map<std::string, std::string> digests_;  ///< By name.
};

}  // namespace berth::experiments
