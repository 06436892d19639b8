#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>

#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// A file that appears as a whole or not at all: it is written beside its place, and commit() moves
/// it there. Without commit(), it leaves nothing behind. A file that is not regular, such as
/// /dev/stdout, is written in place. A link stays a link, and its target is written.
class WholeFile {
public:
    /// Errors: core::InputError for an empty name; std::system_error with the path.
    explicit WholeFile(const std::filesystem::path& path);

    /// Errors: std::system_error with the path from whatever writes to it.
    [[nodiscard]] std::ostream& out() { return *writer_; }
    /// Syncs the file to the disk, in its place.
    /// Errors: std::system_error with the path if something could not be written; the place then
    ///         keeps its content.
    void commit();

private:
    std::optional<Temporary> temporary_;  ///< Empty if nothing can be written beside the file.
    std::optional<FileWriter> writer_;
};

/// Errors: core::InputError for an empty name.
void check_file_name(const std::filesystem::path& path);

/// Writes a file as a whole or not at all; `-` is standard output.
/// Errors: std::system_error with the path.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The target of a path, even if nothing is there: links at its end are followed.
[[nodiscard]] std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace berth::experiments
