#pragma once

#include <dlfcn.h>

#include <string_view>

#include "power_cut.hpp"

namespace berth::tests {

/// What a call asks the file system for: a full disk refuses room alone.
enum class Needs : unsigned char { nothing, room };

/// A variable of the environment; empty if it is not set.
[[nodiscard]] std::string_view variable(const char* name);

/// Whether a path leads below the folder that is watched; relative ones do, since programs run in
/// it.
[[nodiscard]] bool is_below(std::string_view path);
[[nodiscard]] bool is_below(int descriptor);
/// A path as openat has it.
[[nodiscard]] bool is_below(int folder, const char* path);

/// Counts a call. Returns whether it fails, with errno. The power may go here.
[[nodiscard]] bool fails(Needs needs);

/// Null where the power stays on.
[[nodiscard]] PowerCut* power_cut();

/// Before an entry of a folder is made, replaced, moved or removed.
void will_change(int folder, std::string_view path);

/// The function that is preloaded over.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace berth::tests
