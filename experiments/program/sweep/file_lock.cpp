#include "experiments/program/sweep/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace berth::experiments {
namespace {

/// Whether the locked file is still at its path. Its last holder may have removed it between open
/// and flock: a lock on it would then not be seen by others.
bool is_still(const std::filesystem::path& path, int descriptor) {
    struct stat held{};
    struct stat there{};
    return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

/// The descriptor of the locked file; -1 if another process holds it.
int locked(const std::filesystem::path& path, bool wait) {
    constexpr mode_t mode = 0666;
    while (true) {
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode);
        if (descriptor < 0) {
            throw std::system_error(errno, std::generic_category(), path.string());
        }
        int status = 0;
        do {
            status = ::flock(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB));
        } while (status != 0 && errno == EINTR);
        if (status == 0 && is_still(path, descriptor)) {
            return descriptor;
        }
        const int why = status == 0 ? 0 : errno;
        ::close(descriptor);
        if (why == EWOULDBLOCK) {
            return -1;
        }
        if (why != 0) {
            throw std::system_error(why, std::generic_category(), path.string());
        }
    }
}

}  // namespace

FileLock::FileLock(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
    if (descriptor_ >= 0) {
        ::unlink(path_.c_str());
        ::close(descriptor_);
    }
}

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
    const int descriptor = locked(path, false);
    return descriptor < 0 ? std::nullopt : std::optional(FileLock(path, descriptor));
}

FileLock FileLock::lock(const std::filesystem::path& path) {
    return {path, locked(path, true)};
}

}  // namespace berth::experiments
