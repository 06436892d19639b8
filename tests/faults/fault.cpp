/// Preloaded before a program, this library makes one of its calls about files fail: the nth,
/// counted from 1, of those that name something below a folder. The tests try every n.
///
///     BERTH_FAULT_BELOW        the folder, as an absolute path
///     BERTH_FAULT_AT           n
///     BERTH_FAULT_MARK         a file that is created when the nth call comes
///     BERTH_FAULT_UNSYNCED     paths, each followed by a colon, that existed before and have never
///                              been synced
///     BERTH_FAULT_NO_EXCHANGE  if set, the file system cannot exchange two names
///     BERTH_FAULT              the kind of fault:
///         eio         the nth call fails
///         enospc      the nth call and all later calls that need room fail
///         short       each write of more than a byte writes only half
///         kill        the program is killed at the nth call
///         power       the program is killed at the nth call or, if it ends earlier, at its end;
///                     what was written to files and not synced since is lost
///         power-all   as `power`, and folder entries that changed since their folder was last
///                     synced are lost, too
///         power-some  as `power-all`, but for some of these folders only
///         threads     from the nth call on, no thread can be created

#include "fault.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace berth::tests {
namespace {

/// The number of the call that fails.
long at() {
    static const long number =
        std::atol(std::getenv("BERTH_FAULT_AT") == nullptr ? "0" : std::getenv("BERTH_FAULT_AT"));
    return number;
}

/// The power is cut when the program has reported success, unless it was cut before.
[[gnu::destructor]] void cut_at_the_end() {
    if (power_cut() != nullptr) {
        power_cut()->cut();
    }
}

}  // namespace

std::string_view variable(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
}

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

PowerCut* power_cut() {
    // Never destroyed, since it is still needed when the program has ended.
    static PowerCut* const cut = [] {
        const std::string_view kind = variable("BERTH_FAULT");
        const auto folders = kind == "power-all"    ? PowerCut::Folders::all
                             : kind == "power-some" ? PowerCut::Folders::some
                                                    : PowerCut::Folders::none;
        const auto draw = static_cast<unsigned long>(at()) * 0x9E3779B9UL >> 8U;
        if (!kind.starts_with("power")) {
            return static_cast<PowerCut*>(nullptr);
        }
        auto* const made =
            new PowerCut(folders, std::string(variable("BERTH_FAULT_BELOW")) + ".attic", draw);
        std::string_view rest = variable("BERTH_FAULT_UNSYNCED");
        for (std::size_t end = 0; (end = rest.find(':')) != rest.npos;
             rest.remove_prefix(end + 1)) {
            made->never_synced(std::string(rest.substr(0, end)));
        }
        return made;
    }();
    return cut;
}

void will_change(int folder, std::string_view path) {
    if (power_cut() != nullptr) {
        power_cut()->will_change(folder, path);
    }
}

bool fails(Needs needs) {
    static std::atomic<long> calls = 0;
    static const std::string_view kind = variable("BERTH_FAULT");
    const long call = ++calls;
    if (call == at()) {
        ::close(static_cast<int>(::syscall(
            SYS_openat, AT_FDCWD, variable("BERTH_FAULT_MARK").data(), O_CREAT | O_WRONLY, 0600)));
        if (power_cut() != nullptr) {
            power_cut()->cut();
        }
        if (power_cut() != nullptr || kind == "kill") {
            ::raise(SIGKILL);
        }
    }
    if (kind == "eio" && call == at()) {
        errno = EIO;
        return true;
    }
    if (kind == "enospc" && at() > 0 && call >= at() && needs == Needs::room) {
        errno = ENOSPC;
        return true;
    }
    return false;
}

}  // namespace berth::tests
