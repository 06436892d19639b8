#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace berth::workloads {

/// A file that looks like a trace.
struct TraceGuess {
    std::string_view format;  ///< As trace_formats() names it.
    std::string why;          ///< What the guess rests on: `its header has vc and gpu_num`.
};

/// A file that berth does not read as a trace by itself, and that is no document either.
struct NoTrace {
    std::string what;      ///< What it is: `a Parquet file`.
    std::string expected;  ///< What to give berth instead, or the option that reads it.
    /// Whether it is sure to be neither trace nor document: a table whose names nobody knows can be
    /// a trace for all that, and what looks like one can be a broken document.
    bool certain = true;

    /// What it is, without the names of its columns, which may be secret.
    [[nodiscard]] std::string kind() const { return what.substr(0, what.find(" (")); }
};

/// Nothing is known of a file that may be a document.
using FileGuess = std::variant<std::monostate, TraceGuess, NoTrace>;

/// No more of a file is looked at.
inline constexpr std::size_t guessed_bytes_max = std::size_t{1} << 16U;

/// What a file is by how it begins: its first bytes, its header, its first lines. `beginning` is
/// decompressed, and may end within a line.
[[nodiscard]] FileGuess guess_trace(std::string_view beginning);

}  // namespace berth::workloads
