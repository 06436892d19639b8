#pragma once

#include <cstdint>
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
    TableRow& integer(std::int64_t number);
    /// In as few digits as tell it from every other number.
    TableRow& number(double number);
    /// `true` or `false`.
    TableRow& truth(bool holds) { return plain(holds ? "true" : "false"); }
    TableRow& seconds(sim::SimTime time);
    /// Empty without a time.
    TableRow& seconds(const std::optional<sim::SimTime>& time) {
        return time ? seconds(*time) : empty();
    }
    /// In whole cores, GPUs, bytes, ...
    TableRow& amount(core::Amount amount, std::size_t resource, const core::ResourceSchema& schema);
    TableRow& empty(int fields = 1);
    /// A text without letters that need quotes.
    TableRow& plain(std::string_view text);
    /// Fields that are written already, with a comma before each; empty: none.
    TableRow& columns(std::string_view written) {
        out_ += written;
        return *this;
    }
    /// The next field, for whoever writes it at the end of this text.
    std::string& field();
    void end() { out_ += '\n'; }

private:
    std::string& out_;
    bool is_first_ = true;
};

void append_integer(std::string& out, std::int64_t number);
void append_number(std::string& out, double number);
/// An amount in whole cores, GPUs, bytes, ... as a plain number.
void append_amount(std::string& out,
                   core::Amount amount,
                   std::size_t resource,
                   const core::ResourceSchema& schema);

}  // namespace berth::experiments
