#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>

namespace berth::experiments {

/// A file that appears whole or not at all: it is written beside its place, and commit() moves it
/// there. One never committed leaves nothing behind. What is no regular file, such as /dev/stdout,
/// is written to as it is.
class WholeFile {
public:
    /// Errors: core::InputError for an empty name; std::system_error with the path.
    explicit WholeFile(std::filesystem::path path);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    [[nodiscard]] std::ostream& out() { return file_; }
    /// Errors: std::system_error with the path when something could not be written; the place then
    ///         holds what it held.
    void commit();

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;  ///< The path itself where nothing can be beside it.
    std::ofstream file_;
    bool committed_ = false;
};

}  // namespace berth::experiments
