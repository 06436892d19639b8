#pragma once

#include <filesystem>
#include <optional>

namespace berth::experiments {

/// A file that says that somebody is at work, as long as this lives: the system lets go of it when
/// a process dies, however it dies. Processes on one machine see it, and those on machines whose
/// shared file system has flock(2).
class FileLock {
public:
    /// Nothing while somebody else has it.
    /// Errors: std::system_error with the path.
    [[nodiscard]] static std::optional<FileLock> try_lock(const std::filesystem::path& path);
    /// Waits until nobody else has it.
    [[nodiscard]] static FileLock lock(const std::filesystem::path& path);

    /// Removes the file, too.
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;

private:
    FileLock(std::filesystem::path path, int descriptor);

    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace berth::experiments
