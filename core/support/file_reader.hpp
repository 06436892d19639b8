#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace berth::core {

/// A file cannot be read. The text begins with `cannot read ` and the path.
class ReadError : public std::system_error {
public:
    ReadError(const std::filesystem::path& path, int why)
        : std::system_error(why, std::generic_category(), "cannot read " + path.string()) {}
};

/// A file to read, as a stream that tells an error from the end. The standard stream takes a
/// failing disk for the end of the file.
///
/// Errors: ReadError from the constructor and from everything that reads: `>>`, std::getline() and
///         the buffer itself.
class FileReader : public std::istream {
public:
    explicit FileReader(const std::filesystem::path& path);
    /// Reads an open file and closes it at the end; `name` is its name in messages.
    FileReader(int descriptor, std::string name);
    ~FileReader() override;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

/// Standard input, which messages call `-`. What one caller has read is gone for the others.
/// Errors: those of FileReader from everything that reads.
[[nodiscard]] std::istream& standard_input();

/// The whole content of a file.
/// Errors: those of FileReader; InputError for a path that is not a file and may have no end.
[[nodiscard]] std::string text_of_file(const std::filesystem::path& path);
/// The same; nothing if there is no such file.
[[nodiscard]] std::optional<std::string> text_of_file_if_any(const std::filesystem::path& path);

}  // namespace berth::core
