#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace berth::experiments {

/// Errors: core::InputError for an empty name, and if what a command writes would take the place of
///         a file of a run or of a sweep, whose result would be lost.
void check_is_no_result(const std::filesystem::path& output);

/// The ending of a file that a command writes, which says in which form, and what is in it.
struct OutputForm {
    std::string_view ending;  ///< Such as `.html`.
    std::string_view what;    ///< Such as `a page`.
};

/// Errors: core::InputError for a name with the ending of no form, and as for check_is_no_result().
void check_output(const std::filesystem::path& output, std::initializer_list<OutputForm> forms);

}  // namespace berth::experiments
