#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// How a run stores the tables that it writes row by row (results/stored/stored_table.hpp).
struct TableForm {
    bool arrow = false;
    bool zstd = false;

    [[nodiscard]] bool is_text() const { return !arrow && !zstd; }
};

/// The form that users name by `tables`, csv or arrow, and by `compress`, none or zst.
/// Errors: core::InputError at one of them, with `dashes` before its name.
[[nodiscard]] TableForm table_form(const std::string& tables,
                                   const std::string& compress,
                                   std::string_view dashes);

}  // namespace berth::experiments
