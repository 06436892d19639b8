#pragma once

#include "experiments/c/handle.hpp"

namespace berth::c {

/// Makes a status and a message of the exception that is under way.
[[nodiscard]] int tell_of_exception(berth_handle& handle) noexcept;

/// Does what a call does. No exception leaves the library.
template <class Work>
[[nodiscard]] int guarded(berth_handle* handle, const Work& work) noexcept {
    if (handle == nullptr) {
        return BERTH_BAD_INPUT;
    }
    try {
        return work();
    } catch (...) {
        return tell_of_exception(*handle);
    }
}

/// What was read.
/// Errors: OutOfTurn before that.
[[nodiscard]] Experiment& experiment_of(berth_handle& handle);
/// Errors: OutOfTurn where the run is not over.
[[nodiscard]] FinishedRun& finished_of(berth_handle& handle);
/// Errors: OutOfTurn where the handle has a use already.
void check_unused(const berth_handle& handle);

/// An argument that may not be NULL.
/// Errors: core::InputError.
void check_given(const void* argument, const char* name);

}  // namespace berth::c
