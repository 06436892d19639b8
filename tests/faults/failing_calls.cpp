/// Calls about the content of files, and all others that failing_changes.cpp does not have: see
/// fault.cpp.

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

#include "fault.hpp"

using namespace berth::tests;

namespace {

void will_write(int descriptor) {
    if (power_cut() != nullptr) {
        power_cut()->will_write(descriptor);
    }
}

/// The number of bytes that a call writes, or reads from a position.
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
    if (is_below(std::string_view(path)) && (flags & O_CREAT) != 0) {
        will_change(AT_FDCWD, path);
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
    if (is_below(folder, path) && (flags & O_CREAT) != 0) {
        will_change(folder, path);
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
    return call(descriptor, to, is_below(descriptor) ? part_of(size) : size, at);
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
        will_write(descriptor);
    }
    return call(descriptor, from, below ? part_of(size) : size);
}

ssize_t pwrite(int descriptor, const void* from, size_t size, off_t at) {
    const bool below = is_below(descriptor);
    if (below) {
        if (fails(Needs::room)) {
            return -1;
        }
        will_write(descriptor);
    }
    static auto* const call = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
    return call(descriptor, from, below ? part_of(size) : size, at);
}

ssize_t pwrite64(int descriptor, const void* from, size_t size, off64_t at) {
    return pwrite(descriptor, from, size, at);
}

ssize_t writev(int descriptor, const iovec* from, int count) {
    if (is_below(descriptor)) {
        if (fails(Needs::room)) {
            return -1;
        }
        will_write(descriptor);
    }
    static auto* const call = real<ssize_t(int, const iovec*, int)>("writev");
    return call(descriptor, from, count);
}

int close(int descriptor) {
    static auto* const call = real<int(int)>("close");
    const bool failing = is_below(descriptor) && fails(Needs::nothing);
    const int why = errno;
    const int status = call(descriptor);  // close() releases the descriptor even if it fails
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
    if (status == 0 && power_cut() != nullptr) {
        power_cut()->synced(descriptor);
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
