#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/source.hpp"

namespace berth::workloads {

/// A place in a trace that is being read; of the trace, only the line is kept.
struct RowPlace {
    const std::string& file;
    std::uint64_t line = 1;
    std::size_t column = 1;  ///< In bytes, from 1.
    std::size_t length = 1;
    std::string_view text;        ///< The line, or as much of it as is at hand.
    std::size_t text_column = 1;  ///< Where that begins.
    bool cut = false;             ///< The file ends with this line, which has no line end.
};

/// A row that cannot be used; a lenient reader goes on after it.
class RowError : public core::InputError {
public:
    using core::InputError::InputError;
    RowError(const RowPlace& place, std::string_view message);
};

/// A file that ends before it should, or that cannot be read to its end: nothing comes after it.
class CutShort : public core::InputError {
public:
    using core::InputError::InputError;
    CutShort(const RowPlace& place, std::string_view message);
};

/// The message as core::render() gives it; a long line is cut around the caret.
[[nodiscard]] std::string render(const RowPlace& place, std::string_view message);

/// A text of a trace as messages quote it: `'...'`, of 60 bytes at most, without control codes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace berth::workloads
