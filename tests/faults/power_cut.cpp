#include "power_cut.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace berth::tests {
namespace {

/// The functions below call the kernel directly, since calls of the C library are watched.
void close_now(int descriptor) {
    ::syscall(SYS_close, descriptor);
}

/// Duplicates a descriptor to a number that does not get in the program's way.
int aside(int descriptor) {
    constexpr int first_descriptor = 200;
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_descriptor);
}

int open_folder(int folder, const char* path, int flags) {
    const auto opened =
        static_cast<int>(::syscall(SYS_openat, folder, path, O_DIRECTORY | O_CLOEXEC | flags));
    const int moved = aside(opened);
    close_now(opened);
    return moved;
}

ino_t inode(int descriptor) {
    struct stat status{};
    ::fstat(descriptor, &status);
    return status.st_ino;
}

bool is_there(int folder, const std::string& name, struct stat& status) {
    return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/// The present path of a folder, even if it was moved.
std::string path_of(int folder) {
    std::array<char, 64> link{};
    std::array<char, 4096> path{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", folder);
    const ssize_t length = ::readlink(link.data(), path.data(), path.size());
    return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

void move(int from_folder, const std::string& from, int to_folder, const std::string& to) {
    ::syscall(SYS_renameat2, from_folder, from.c_str(), to_folder, to.c_str(), 0);
}

bool is_empty(int folder, const std::string& name) {
    const int opened = open_folder(folder, name.c_str(), O_RDONLY | O_NOFOLLOW);
    DIR* const entries = opened < 0 ? nullptr : ::fdopendir(opened);
    int count = 0;
    while (entries != nullptr && ::readdir(entries) != nullptr) {
        ++count;
    }
    if (entries != nullptr) {
        ::closedir(entries);
    }
    return count == 2;  // only . and ..
}

/// The folder that contains an entry, opened, and the entry's name in it.
std::pair<int, std::string> place_of(int folder, std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.rfind('/');
    const std::string above(slash == path.npos ? "." : path.substr(0, slash + 1));
    return {open_folder(folder, above.c_str(), O_PATH),
            std::string(slash == path.npos ? path : path.substr(slash + 1))};
}

}  // namespace

PowerCut::PowerCut(Folders folders, std::string attic, unsigned long draw)
    : folders_(folders), attic_path_(std::move(attic)), draw_(draw) {}

int PowerCut::attic() {
    if (attic_ < 0) {
        constexpr mode_t for_me = 0700;
        ::syscall(SYS_mkdirat, AT_FDCWD, attic_path_.c_str(), for_me);
        attic_ = open_folder(AT_FDCWD, attic_path_.c_str(), O_RDONLY);
    }
    return attic_;
}

std::string PowerCut::attic_name() {
    return std::to_string(::getpid()) + "-" + std::to_string(++kept_);
}

void PowerCut::will_write(int descriptor) {
    const std::lock_guard lock(mutex_);
    const auto [file, fresh] = written_.try_emplace(inode(descriptor), -1);
    if (fresh) {
        file->second = aside(descriptor);
    }
}

PowerCut::Entry PowerCut::entry_now(int folder, const std::string& name) {
    struct stat status{};
    if (!is_there(folder, name, status)) {
        return {};
    }
    if (S_ISDIR(status.st_mode)) {
        return {.kind = Entry::Kind::folder,
                .descriptor = open_folder(folder, name.c_str(), O_PATH | O_NOFOLLOW)};
    }
    const std::string kept = attic_name();
    ::syscall(SYS_linkat, folder, name.c_str(), attic(), kept.c_str(), 0);
    return {.kind = Entry::Kind::file, .kept = kept};
}

void PowerCut::will_change(int folder, std::string_view path) {
    if (folders_ == Folders::none) {
        return;
    }
    const std::lock_guard lock(mutex_);
    const auto [above, name] = place_of(folder, path);
    if (above < 0) {
        return;  // nothing can be changed there
    }
    Changed& parent = changed(above);
    if (!parent.before.contains(name)) {
        parent.before.emplace(name, entry_now(parent.descriptor, name));
    }
}

/// Takes ownership of the descriptor.
PowerCut::Changed& PowerCut::changed(int folder) {
    const auto [at, fresh] = changed_.try_emplace(inode(folder));
    if (fresh) {
        const bool drawn = (draw_ >> (changed_.size() % 16) & 1U) != 0;
        at->second = {.descriptor = folder, .loses = folders_ == Folders::all || drawn};
    } else {
        close_now(folder);
    }
    return at->second;
}

void PowerCut::never_synced(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto [above, name] = place_of(AT_FDCWD, path);
    changed(above).before.emplace(name, Entry{});
}

bool PowerCut::remove_folder(int folder, std::string_view path) {
    if (folders_ == Folders::none) {
        return false;
    }
    const auto [above, name] = place_of(folder, path);
    const bool removes = above >= 0 && is_empty(above, name);
    if (removes) {
        const std::lock_guard lock(mutex_);
        move(above, name, attic(), attic_name());
    }
    close_now(above);
    return removes;
}

void PowerCut::synced(int descriptor) {
    const std::lock_guard lock(mutex_);
    if (const auto file = written_.find(inode(descriptor)); file != written_.end()) {
        close_now(file->second);
        written_.erase(file);
    }
    if (const auto folder = changed_.find(inode(descriptor)); folder != changed_.end()) {
        for (const auto& [name, entry] : folder->second.before) {
            close_now(entry.descriptor);
        }
        folder->second.before.clear();
    }
}

void PowerCut::restore_entries() {
    // All entries are moved away first, since a folder can only be in one place.
    for (const auto& [number, folder] : changed_) {
        for (const auto& [name, entry] : folder.before) {
            struct stat status{};
            if (folder.loses && is_there(folder.descriptor, name, status)) {
                move(folder.descriptor, name, attic(), attic_name());
            }
        }
    }
    for (const auto& [number, folder] : changed_) {
        for (const auto& [name, entry] : folder.before) {
            if (folder.loses && entry.kind == Entry::Kind::folder) {
                move(AT_FDCWD, path_of(entry.descriptor), folder.descriptor, name);
            } else if (folder.loses && entry.kind == Entry::Kind::file) {
                ::syscall(
                    SYS_linkat, attic(), entry.kept.c_str(), folder.descriptor, name.c_str(), 0);
            }
        }
    }
}

void PowerCut::cut() {
    const std::lock_guard lock(mutex_);
    for (const auto& [file, descriptor] : written_) {
        ::syscall(SYS_ftruncate, descriptor, 0);
    }
    restore_entries();
}

}  // namespace berth::tests
