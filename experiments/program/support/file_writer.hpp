#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "experiments/program/support/sha256.hpp"

namespace berth::experiments {

/// Writes to an open file, as a stream that keeps the system's own reason when it cannot: the
/// standard one forgets that a disk is full.
///
/// Errors: std::system_error with the path, from `<<`, from close(), and from whatever writes.
class FileWriter : public std::ostream {
public:
    enum class Digest : std::uint8_t { none, sha256 };

    /// Takes the descriptor over; `name` stands for the file in messages.
    FileWriter(int descriptor, const std::filesystem::path& name, Digest digest = Digest::none);
    /// Closes it; what was not flushed is lost.
    ~FileWriter() override;

    /// Writes what is left, has it on the disk, and closes. What cannot be synced, such as a pipe,
    /// is written only.
    void close();
    /// Of all bytes written, if it was asked for; call it once, after flush() or close().
    [[nodiscard]] std::string sha256();

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

/// Has an open file on the disk; `name` stands for it in messages. What cannot be synced is let
/// pass.
/// Errors: std::system_error with the name.
void sync_file(int descriptor, const std::filesystem::path& name);

/// Has the entries of a folder on the disk: files made, renamed and removed in it.
/// Errors: std::system_error with the path. A file system that cannot sync folders is let pass.
void sync_folder(const std::filesystem::path& folder);

/// Has a file, or a folder with all that is in it, on the disk.
/// Errors: std::system_error with the path.
void sync_tree(const std::filesystem::path& path);

}  // namespace berth::experiments
