#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "core/tree/resources.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// One row of a table, written at the end of a text field by field, without texts between: rows are
/// what most of the time of a run with many pods goes into.
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
    /// The next field, for whoever writes it at the end of this text.
    std::string& field();
    void end() { out_ += '\n'; }

private:
    std::string& out_;
    bool is_first_ = true;
    /// The number written last, and where: a slowdown and a bounded slowdown are mostly equal.
    std::optional<double> last_number_{};
    std::size_t last_begin_ = 0;
    std::size_t last_size_ = 0;
};

template <std::integral Integer>
void append_integer(std::string& out, Integer number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}
void append_number(std::string& out, double number);
/// An amount in whole cores, GPUs, bytes, ... as a plain number.
void append_amount(std::string& out,
                   core::Amount amount,
                   std::size_t resource,
                   const core::ResourceSchema& schema);

template <std::integral Integer>
TableRow& TableRow::integer(Integer number) {
    append_integer(field(), number);
    return *this;
}

}  // namespace berth::experiments
