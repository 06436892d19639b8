#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace berth::workloads {

/// A file that looks like a trace.
struct TraceGuess {
    std::string_view format;  ///< One of the names that trace_formats() lists.
    std::string why;          ///< Evidence, such as `its header has vc and gpu_num`.
};

/// A file that berth does not read as a trace without further options, and that is no document.
struct NoTrace {
    std::string what;      ///< What the file is, such as `a Parquet file`.
    std::string expected;  ///< What to give berth instead, or the option that reads it.
    /// Whether the file is certainly neither a trace nor a document. A table with unknown column
    /// names can still be a trace, and what looks like a table can be a broken document.
    bool certain = true;

    /// What the file is, without the names of its columns, which may be secret.
    [[nodiscard]] std::string kind() const { return what.substr(0, what.find(" (")); }
};

/// std::monostate: nothing is known of the file, which may be a document.
using FileGuess = std::variant<std::monostate, TraceGuess, NoTrace>;

/// How many bytes of a file are looked at, at most.
inline constexpr std::size_t guessed_bytes_max = std::size_t{1} << 16U;

/// Guesses what a file is from its first bytes, its header and its first lines. `beginning` is
/// decompressed, and may end within a line.
[[nodiscard]] FileGuess guess_trace(std::string_view beginning);

}  // namespace berth::workloads
