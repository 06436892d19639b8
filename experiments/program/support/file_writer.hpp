#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "experiments/program/support/sha256.hpp"

namespace berth::experiments {

/// Writes to an open file. Unlike the standard stream, it keeps the system's reason for a failure,
/// such as a full disk.
///
/// Errors: std::system_error with the path, from `<<`, from close(), and from any other writing.
class FileWriter : public std::ostream {
public:
    enum class Digest : std::uint8_t { none, sha256 };

    /// Takes ownership of the descriptor; `name` is the file's name in messages.
    FileWriter(int descriptor, const std::filesystem::path& name, Digest digest = Digest::none);
    /// Closes the file; data that was not flushed is lost.
    ~FileWriter() override;

    /// Writes the rest, syncs it to the disk, and closes. A file that cannot be synced, such as a
    /// pipe, is only written.
    void close();
    /// The digest of all bytes written, if it was requested. Call it once, after flush() or
    /// close().
    [[nodiscard]] std::string sha256();

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

/// Syncs an open file to the disk; `name` is its name in messages. A file that cannot be synced is
/// skipped.
/// Errors: std::system_error with the name.
void sync_file(int descriptor, const std::filesystem::path& name);

/// Syncs the entries of a folder to the disk: the files created, renamed and removed in it.
/// Errors: std::system_error with the path. A file system that cannot sync folders is skipped.
void sync_folder(const std::filesystem::path& folder);

/// Syncs a file, or a folder with everything in it, to the disk.
/// Errors: std::system_error with the path.
void sync_tree(const std::filesystem::path& path);

}  // namespace berth::experiments
