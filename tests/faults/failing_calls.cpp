/// Preloaded before a program, makes one of its calls about files fail: the nth, counted from 1, of
/// those that name something below a folder. The tests walk over every n.
///
///     BERTH_FAULT_BELOW  the folder, absolute
///     BERTH_FAULT_AT     n
///     BERTH_FAULT        `eio`: that call fails; `enospc`: it and all after it that need room
///                        fail; `short`: each write of more than a byte writes half; `power`:
///                        the program is killed at that call, and what was written to files that
///                        were not synced since is gone; `threads`: from the nth on, no thread can
///                        be made; `no-exchange`: the file system cannot exchange two names
///     BERTH_FAULT_MARK   a file that is made when the nth call comes

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

namespace {

std::string_view variable(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
}

/// Whether a path leads below the folder; relative ones do, since programs run in it.
bool is_below(std::string_view path) {
    const std::string_view folder = variable("BERTH_FAULT_BELOW");
    return !folder.empty() && !path.empty() && (path[0] != '/' || path.starts_with(folder));
}

bool is_below(int descriptor) {
    std::array<char, 64> link{};
    std::array<char, 4096> path{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
    const ssize_t length = ::readlink(link.data(), path.data(), path.size());
    return length > 0 && path[0] == '/' &&
           is_below(std::string_view(path.data(), static_cast<std::size_t>(length)));
}

bool is_below(int folder, const char* path) {
    return folder == AT_FDCWD || path[0] == '/' ? is_below(std::string_view(path))
                                                : is_below(folder);
}

enum class Needs : unsigned char { nothing, room };

/// Files that were written to and not synced since: what a power cut takes.
class Unsynced {
public:
    static Unsynced& all() {
        static Unsynced files;
        return files;
    }
    void wrote(int descriptor) {
        const std::lock_guard lock(mutex_);
        const auto [file, fresh] = descriptors_.try_emplace(inode(descriptor), -1);
        if (fresh) {
            file->second = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_descriptor);
        }
    }
    void synced(int descriptor) {
        const std::lock_guard lock(mutex_);
        const auto file = descriptors_.find(inode(descriptor));
        if (file != descriptors_.end()) {
            ::syscall(SYS_close, file->second);
            descriptors_.erase(file);
        }
    }
    void lose() {
        for (const auto& [file, descriptor] : descriptors_) {
            ::syscall(SYS_ftruncate, descriptor, 0);
        }
    }

private:
    static constexpr int first_descriptor = 200;  // out of the program's way
    static ino_t inode(int descriptor) {
        struct stat status{};
        ::fstat(descriptor, &status);
        return status.st_ino;
    }
    std::mutex mutex_;
    std::map<ino_t, int> descriptors_;
};

/// Counts a call. Returns whether it fails, with errno.
bool fails(Needs needs) {
    static std::atomic<long> calls = 0;
    static const long at =
        std::atol(std::getenv("BERTH_FAULT_AT") == nullptr ? "0" : std::getenv("BERTH_FAULT_AT"));
    static const std::string_view kind = variable("BERTH_FAULT");
    const long call = ++calls;
    if (call == at) {
        ::close(static_cast<int>(::syscall(
            SYS_openat, AT_FDCWD, variable("BERTH_FAULT_MARK").data(), O_CREAT | O_WRONLY, 0600)));
        if (kind == "power") {
            Unsynced::all().lose();
            ::raise(SIGKILL);
        }
    }
    if (kind == "eio" && call == at) {
        errno = EIO;
        return true;
    }
    if (kind == "enospc" && at > 0 && call >= at && needs == Needs::room) {
        errno = ENOSPC;
        return true;
    }
    return false;
}

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// How much of a write is written.
std::size_t part_of(std::size_t size) {
    static const bool in_parts = variable("BERTH_FAULT") == "short";
    return in_parts && size > 1 ? size / 2 : size;
}

Needs needs_of(int flags) {
    return (flags & O_CREAT) != 0 ? Needs::room : Needs::nothing;
}

mode_t mode_of(int flags, va_list arguments) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (is_below(std::string_view(path)) && fails(needs_of(flags))) {
        return -1;
    }
    static auto* const call = real<int(const char*, int, ...)>("open");
    return call(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (is_below(folder, path) && fails(needs_of(flags))) {
        return -1;
    }
    static auto* const call = real<int(int, const char*, int, ...)>("openat");
    return call(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return openat(folder, path, flags, mode);
}

ssize_t read(int descriptor, void* to, size_t size) {
    if (is_below(descriptor) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<ssize_t(int, void*, size_t)>("read");
    return call(descriptor, to, size);
}

ssize_t pread(int descriptor, void* to, size_t size, off_t at) {
    if (is_below(descriptor) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<ssize_t(int, void*, size_t, off_t)>("pread");
    return call(descriptor, to, size, at);
}

ssize_t pread64(int descriptor, void* to, size_t size, off64_t at) {
    return pread(descriptor, to, size, at);
}

ssize_t write(int descriptor, const void* from, size_t size) {
    const bool below = is_below(descriptor);
    if (below && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<ssize_t(int, const void*, size_t)>("write");
    if (below) {
        Unsynced::all().wrote(descriptor);
    }
    return call(descriptor, from, below ? part_of(size) : size);
}

ssize_t pwrite(int descriptor, const void* from, size_t size, off_t at) {
    if (is_below(descriptor)) {
        if (fails(Needs::room)) {
            return -1;
        }
        Unsynced::all().wrote(descriptor);
    }
    static auto* const call = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
    return call(descriptor, from, size, at);
}

ssize_t pwrite64(int descriptor, const void* from, size_t size, off64_t at) {
    return pwrite(descriptor, from, size, at);
}

ssize_t writev(int descriptor, const iovec* from, int count) {
    if (is_below(descriptor) && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<ssize_t(int, const iovec*, int)>("writev");
    return call(descriptor, from, count);
}

int close(int descriptor) {
    static auto* const call = real<int(int)>("close");
    const bool failing = is_below(descriptor) && fails(Needs::nothing);
    const int why = errno;
    const int status = call(descriptor);  // it is closed even where close fails
    if (failing) {
        errno = why;
        return -1;
    }
    return status;
}

int fsync(int descriptor) {
    if (is_below(descriptor) && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<int(int)>("fsync");
    const int status = call(descriptor);
    if (status == 0) {
        Unsynced::all().synced(descriptor);
    }
    return status;
}

int fdatasync(int descriptor) {
    return fsync(descriptor);
}

int ftruncate(int descriptor, off_t size) {
    if (is_below(descriptor) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(int, off_t)>("ftruncate");
    return call(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    return ftruncate(descriptor, size);
}

int flock(int descriptor, int operation) {
    if (is_below(descriptor) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(int, int)>("flock");
    return call(descriptor, operation);
}

int mkdir(const char* path, mode_t mode) {
    if (is_below(std::string_view(path)) && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<int(const char*, mode_t)>("mkdir");
    return call(path, mode);
}

int rmdir(const char* path) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*)>("rmdir");
    return call(path);
}

int unlink(const char* path) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*)>("unlink");
    return call(path);
}

int unlinkat(int folder, const char* path, int flags) {
    if (is_below(folder, path) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(int, const char*, int)>("unlinkat");
    return call(folder, path, flags);
}

int remove(const char* path) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*)>("remove");
    return call(path);
}

int link(const char* from, const char* to) {
    if (is_below(std::string_view(to)) && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<int(const char*, const char*)>("link");
    return call(from, to);
}

int rename(const char* from, const char* to) {
    if (is_below(std::string_view(to)) && fails(Needs::room)) {
        return -1;
    }
    static auto* const call = real<int(const char*, const char*)>("rename");
    return call(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    if (is_below(to_folder, to) && fails(Needs::room)) {
        return -1;
    }
    if (flags != 0 && variable("BERTH_FAULT") == "no-exchange") {
        errno = EINVAL;
        return -1;
    }
    static auto* const call = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return call(from_folder, from, to_folder, to, flags);
}

DIR* opendir(const char* path) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return nullptr;
    }
    static auto* const call = real<DIR*(const char*)>("opendir");
    return call(path);
}

int stat(const char* path, struct stat* to) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*, struct stat*)>("stat");
    return call(path, to);
}

int stat64(const char* path, struct stat64* to) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*, struct stat64*)>("stat64");
    return call(path, to);
}

int pthread_create(pthread_t* made,
                   const pthread_attr_t* attributes,
                   void* (*begin)(void*),
                   void* argument) {
    if (variable("BERTH_FAULT") == "threads") {
        static std::atomic<long> calls = 0;
        if (++calls >= std::atol(variable("BERTH_FAULT_AT").data())) {
            return EAGAIN;
        }
    }
    static auto* const call =
        real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return call(made, attributes, begin, argument);
}

int lstat(const char* path, struct stat* to) {
    if (is_below(std::string_view(path)) && fails(Needs::nothing)) {
        return -1;
    }
    static auto* const call = real<int(const char*, struct stat*)>("lstat");
    return call(path, to);
}

}  // extern "C"
