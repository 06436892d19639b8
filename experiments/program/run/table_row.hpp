#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/tree/resources.hpp"
#include "experiments/program/support/append_number.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// A row of a table. It is written field by field, and end() appends it to a text as a whole.
/// Writing rows takes much of the time of a run with many pods.
///
/// Cost: O(characters). Only the growing text allocates memory.
class TableRow {
public:
    explicit TableRow(std::string& out) : out_(out) {}

    /// Writes a text, quoted if RFC 4180 requires it.
    TableRow& text(std::string_view text);
    template <std::integral Integer>
    TableRow& integer(Integer number);
    /// Writes a number with as few digits as distinguish it from every other number.
    TableRow& number(double number);
    /// Writes a number; an empty field if there is none.
    TableRow& number(const std::optional<double>& value) {
        return value ? number(*value) : empty();
    }
    /// Writes `true` or `false`.
    TableRow& truth(bool holds) { return plain(holds ? "true" : "false"); }
    TableRow& seconds(sim::SimTime time);
    /// Writes a time; an empty field if there is none.
    TableRow& seconds(const std::optional<sim::SimTime>& time) {
        return time ? seconds(*time) : empty();
    }
    /// Writes an amount in whole cores, GPUs, bytes, ...
    TableRow& amount(core::Amount amount, std::size_t resource, const core::ResourceSchema& schema);
    /// Writes an amount; an empty field if there is none.
    TableRow& amount(const std::optional<core::Amount>& value,
                     std::size_t resource,
                     const core::ResourceSchema& schema);
    TableRow& empty(int fields = 1);
    /// Writes a text without characters that need quotes.
    TableRow& plain(std::string_view text);
    /// Adds to the last field, which plain() or amount() wrote, in the same form.
    TableRow& more(std::string_view text);
    TableRow& more(core::Amount amount, std::size_t resource, const core::ResourceSchema& schema);
    /// Appends the row to the text, with a newline.
    void end();

private:
    /// Makes room for this many bytes, which are at most the size of the buffer.
    [[nodiscard]] char* room(std::size_t bytes) {
        if (row_.size() - size_ < bytes) {
            spill();
        }
        return row_.data() + size_;
    }
    /// Makes room for a number behind the comma of a new field.
    [[nodiscard]] char* number_field() {
        begin_field();
        return room(number_chars_max);
    }
    void wrote(const char* end) { size_ = static_cast<std::size_t>(end - row_.data()); }
    void begin_field() {
        if (!is_first_) {
            *room(1) = ',';
            ++size_;
        }
        is_first_ = false;
    }
    void spill();
    void append_quoted(std::string_view text);

    std::string& out_;
    std::size_t size_ = 0;  ///< The number of bytes in row_.
    bool is_first_ = true;
    /// The last written number: a slowdown and a bounded slowdown are usually equal.
    std::optional<double> last_number_{};
    std::size_t last_size_ = 0;
    std::array<char, number_chars_max> last_text_;
    std::array<char, 512> row_;  ///< The bytes that have not been appended yet.
};

template <std::integral Integer>
TableRow& TableRow::integer(Integer number) {
    char* const begin = number_field();
    wrote(std::to_chars(begin, begin + number_chars_max, number).ptr);
    return *this;
}

}  // namespace berth::experiments
