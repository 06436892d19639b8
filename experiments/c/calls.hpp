#pragma once

#include "experiments/c/handle.hpp"

namespace berth::c {

/// Turns the exception in flight into a status and a message of the handle.
[[nodiscard]] int tell_of_exception(berth_handle& handle) noexcept;

/// Runs the work of a call. No exception leaves the library.
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

/// The experiment that the handle has read.
/// Errors: OutOfTurn while no experiment is read.
[[nodiscard]] Experiment& experiment_of(berth_handle& handle);
/// Errors: OutOfTurn where no run of the handle is over.
[[nodiscard]] FinishedRun& finished_of(berth_handle& handle);
/// Errors: OutOfTurn where the handle is already in use for a run or for questions.
void check_unused(const berth_handle& handle);

/// Checks an argument that may not be NULL.
/// Errors: core::InputError where it is NULL.
void check_given(const void* argument, const char* name);
/// Checks a text of the caller's, which may be NULL. The files of a run are in UTF-8.
/// Errors: core::InputError where it is not UTF-8.
void check_text(const char* text, const char* name);

}  // namespace berth::c
