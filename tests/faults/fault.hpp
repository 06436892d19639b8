#pragma once

#include <dlfcn.h>

#include <string_view>

#include "power_cut.hpp"

namespace berth::tests {

/// What a call needs from the file system: only calls that need room fail on a full disk.
enum class Needs : unsigned char { nothing, room };

/// An environment variable; empty if it is not set.
[[nodiscard]] std::string_view variable(const char* name);

/// Whether a path leads below the watched folder; relative paths do, since programs run in that
/// folder.
[[nodiscard]] bool is_below(std::string_view path);
[[nodiscard]] bool is_below(int descriptor);
/// Takes a path as openat() does.
[[nodiscard]] bool is_below(int folder, const char* path);

/// Counts a call. Returns whether it fails, with errno set. The power may be cut here.
[[nodiscard]] bool fails(Needs needs);

/// The power cut to simulate; null if there is none.
[[nodiscard]] PowerCut* power_cut();

/// Must be called before an entry of a folder is created, replaced, moved or removed.
void will_change(int folder, std::string_view path);

/// The function of the C library that the preloaded one replaces.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace berth::tests
