#pragma once

#include <functional>

#include "experiments/c/handle.hpp"

namespace berth::c {

/// Does what a call does, and makes a status and a message of whatever it throws: no exception
/// leaves the library.
[[nodiscard]] int guarded(berth_handle* handle, const std::function<int()>& work) noexcept;

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
