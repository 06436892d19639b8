#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/source.hpp"

namespace berth::workloads {

/// A place in a trace that is being read. Only the line at that place is kept.
struct RowPlace {
    const std::string& file;
    std::uint64_t line = 1;
    std::size_t column = 1;  ///< Counted in bytes, from 1.
    std::size_t length = 1;
    std::string_view text;        ///< The line, or as much of it as is available.
    std::size_t text_column = 1;  ///< Column at which `text` begins.
    bool cut = false;             ///< Whether the file ends with this line, without a line end.
};

/// A row that cannot be used. A lenient reader goes on after it.
class RowError : public core::InputError {
public:
    using core::InputError::InputError;
    RowError(const RowPlace& place, std::string_view message);
};

/// A file that ends too early, or that cannot be read to its end: nothing follows.
class CutShort : public core::InputError {
public:
    using core::InputError::InputError;
    CutShort(const RowPlace& place, std::string_view message);
};

/// The message as core::render() formats it; a long line is shortened around the caret.
[[nodiscard]] std::string render(const RowPlace& place, std::string_view message);

/// A text from a trace as messages quote it: `'...'`, at most 60 bytes, without control codes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace berth::workloads
