/// Calls that change the entries of folders: see fault.cpp.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "fault.hpp"

using namespace berth::tests;

namespace {

bool removes_folder(int folder, std::string_view path) {
    return power_cut() != nullptr && power_cut()->remove_folder(folder, path);
}

}  // namespace

extern "C" {

int mkdir(const char* path, mode_t mode) {
    if (is_below(std::string_view(path))) {
        if (fails(Needs::room)) {
            return -1;
        }
        will_change(AT_FDCWD, path);
    }
    static auto* const call = real<int(const char*, mode_t)>("mkdir");
    return call(path, mode);
}

int rmdir(const char* path) {
    if (is_below(std::string_view(path))) {
        if (fails(Needs::nothing)) {
            return -1;
        }
        will_change(AT_FDCWD, path);
        if (removes_folder(AT_FDCWD, path)) {
            return 0;
        }
    }
    static auto* const call = real<int(const char*)>("rmdir");
    return call(path);
}

int unlink(const char* path) {
    if (is_below(std::string_view(path))) {
        if (fails(Needs::nothing)) {
            return -1;
        }
        will_change(AT_FDCWD, path);
    }
    static auto* const call = real<int(const char*)>("unlink");
    return call(path);
}

int unlinkat(int folder, const char* path, int flags) {
    if (is_below(folder, path)) {
        if (fails(Needs::nothing)) {
            return -1;
        }
        will_change(folder, path);
        if ((flags & AT_REMOVEDIR) != 0 && removes_folder(folder, path)) {
            return 0;
        }
    }
    static auto* const call = real<int(int, const char*, int)>("unlinkat");
    return call(folder, path, flags);
}

int remove(const char* path) {
    if (is_below(std::string_view(path))) {
        if (fails(Needs::nothing)) {
            return -1;
        }
        will_change(AT_FDCWD, path);
        if (removes_folder(AT_FDCWD, path)) {
            return 0;
        }
    }
    static auto* const call = real<int(const char*)>("remove");
    return call(path);
}

int link(const char* from, const char* to) {
    if (is_below(std::string_view(to))) {
        if (fails(Needs::room)) {
            return -1;
        }
        will_change(AT_FDCWD, to);
    }
    static auto* const call = real<int(const char*, const char*)>("link");
    return call(from, to);
}

int rename(const char* from, const char* to) {
    if (is_below(std::string_view(to))) {
        if (fails(Needs::room)) {
            return -1;
        }
        will_change(AT_FDCWD, from);
        will_change(AT_FDCWD, to);
    }
    static auto* const call = real<int(const char*, const char*)>("rename");
    return call(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    if (is_below(to_folder, to) && fails(Needs::room)) {
        return -1;
    }
    if (flags != 0 && !variable("BERTH_FAULT_NO_EXCHANGE").empty()) {
        errno = EINVAL;
        return -1;
    }
    if (is_below(to_folder, to)) {
        will_change(from_folder, from);
        will_change(to_folder, to);
    }
    static auto* const call = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return call(from_folder, from, to_folder, to, flags);
}

}  // extern "C"
