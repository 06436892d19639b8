#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>

#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// A file that appears whole or not at all: it is written beside its place, and commit() moves it
/// there. One never committed leaves nothing behind. What is no regular file, such as /dev/stdout,
/// is written to as it is; a link stays one, and what it points at is written.
class WholeFile {
public:
    /// Errors: core::InputError for an empty name; std::system_error with the path.
    explicit WholeFile(const std::filesystem::path& path);

    /// Errors: std::system_error with the path from whatever writes to it.
    [[nodiscard]] std::ostream& out() { return *writer_; }
    /// Has it on the disk, in its place.
    /// Errors: std::system_error with the path when something could not be written; the place then
    ///         holds what it held.
    void commit();

private:
    std::optional<Temporary> temporary_;  ///< Not where nothing can be beside it.
    std::optional<FileWriter> writer_;
};

/// Writes a file whole or not at all; `-` is standard output.
/// Errors: std::system_error with the path.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Where a path leads to, even if nothing is there: the links at its end are followed.
[[nodiscard]] std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace berth::experiments
