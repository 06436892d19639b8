#pragma once

#include <filesystem>
#include <optional>

namespace berth::experiments {

/// A file that shows that a process is at work, as long as this lives. The system releases it when
/// the process dies, however that happens. Processes on the same machine see it, and those on other
/// machines if the shared file system supports flock(2).
class FileLock {
public:
    /// Returns nothing if another process holds it.
    /// Errors: std::system_error with the path.
    [[nodiscard]] static std::optional<FileLock> try_lock(const std::filesystem::path& path);
    /// Waits until no other process holds it.
    [[nodiscard]] static FileLock lock(const std::filesystem::path& path);

    /// Releases the lock and removes the file.
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;

private:
    FileLock(std::filesystem::path path, int descriptor);

    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace berth::experiments
