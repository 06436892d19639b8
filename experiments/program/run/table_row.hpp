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

/// One row of a table, written field by field and appended to a text as a whole by end(): rows are
/// what much of the time of a run with many pods goes into.
///
/// Cost: O(characters); nothing is allocated but by the text that grows.
class TableRow {
public:
    explicit TableRow(std::string& out) : out_(out) {}

    /// Quoted where RFC 4180 requires it.
    TableRow& text(std::string_view text);
    template <std::integral Integer>
    TableRow& integer(Integer number);
    /// In as few digits as tell it from every other number.
    TableRow& number(double number);
    /// Empty without a number.
    TableRow& number(const std::optional<double>& value) {
        return value ? number(*value) : empty();
    }
    /// `true` or `false`.
    TableRow& truth(bool holds) { return plain(holds ? "true" : "false"); }
    TableRow& seconds(sim::SimTime time);
    /// Empty without a time.
    TableRow& seconds(const std::optional<sim::SimTime>& time) {
        return time ? seconds(*time) : empty();
    }
    /// In whole cores, GPUs, bytes, ...
    TableRow& amount(core::Amount amount, std::size_t resource, const core::ResourceSchema& schema);
    /// Empty without an amount.
    TableRow& amount(const std::optional<core::Amount>& value,
                     std::size_t resource,
                     const core::ResourceSchema& schema);
    TableRow& empty(int fields = 1);
    /// A text without letters that need quotes.
    TableRow& plain(std::string_view text);
    /// More of the field that was written last: as plain() and amount() write it.
    TableRow& more(std::string_view text);
    TableRow& more(core::Amount amount, std::size_t resource, const core::ResourceSchema& schema);
    /// Appends the row, with its newline.
    void end();

private:
    /// Room for so many bytes, which are no more than the buffer has.
    [[nodiscard]] char* room(std::size_t bytes) {
        if (row_.size() - size_ < bytes) {
            spill();
        }
        return row_.data() + size_;
    }
    /// The same for a number, behind the comma of a field that begins.
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
    std::size_t size_ = 0;  ///< How many bytes row_ has.
    bool is_first_ = true;
    /// The number written last: a slowdown and a bounded slowdown are mostly equal.
    std::optional<double> last_number_{};
    std::size_t last_size_ = 0;
    std::array<char, number_chars_max> last_text_;
    std::array<char, 512> row_;  ///< What was not appended yet.
};

template <std::integral Integer>
TableRow& TableRow::integer(Integer number) {
    char* const begin = number_field();
    wrote(std::to_chars(begin, begin + number_chars_max, number).ptr);
    return *this;
}

}  // namespace berth::experiments
