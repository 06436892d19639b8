#include "experiments/program/run/table_row.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace berth::experiments {
namespace {

/// By byte, whether a field that has it is quoted.
constexpr auto quoted = [] {
    std::array<bool, 256> table{};
    for (const char c : {',', '"', '\r', '\n'}) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

bool needs_quotes(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return quoted[static_cast<unsigned char>(c)]; });
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
         quote = text.find('"')) {
        out += text.substr(0, quote + 1);
        out += '"';
        text.remove_prefix(quote + 1);
    }
    out += text;
    out += '"';
}

}  // namespace

void append_number(std::string& out, double number) {
    // Counts and amounts are whole and need no search for the shortest decimal.
    constexpr double whole_max = 9'007'199'254'740'992;  // 2^53
    if (std::abs(number) < whole_max) {
        const auto whole = static_cast<std::int64_t>(number);
        if (static_cast<double>(whole) == number && (whole != 0 || !std::signbit(number))) {
            append_integer(out, whole);
            return;
        }
    }
    std::array<char, 32> digits{};
    char* const end = fmt::format_to(digits.data(), FMT_COMPILE("{}"), number);
    out.append(digits.data(), end);
}

void append_amount(std::string& out,
                   core::Amount amount,
                   std::size_t resource,
                   const core::ResourceSchema& schema) {
    const core::Amount per_unit = schema.per_unit(resource);
    if (amount % per_unit == 0) {
        append_integer(out, amount / per_unit);
    } else {
        append_number(out, static_cast<double>(amount) / static_cast<double>(per_unit));
    }
}

std::string& TableRow::field() {
    if (!is_first_) {
        out_ += ',';
    }
    is_first_ = false;
    return out_;
}

TableRow& TableRow::text(std::string_view text) {
    if (needs_quotes(text)) {
        append_quoted(field(), text);
        return *this;
    }
    return plain(text);
}

TableRow& TableRow::plain(std::string_view text) {
    field() += text;
    return *this;
}

TableRow& TableRow::number(double number) {
    std::string& out = field();
    const std::size_t begin = out.size();
    if (last_number_ == number && number != 0) {
        out.append(out, last_begin_, last_size_);
    } else {
        append_number(out, number);
        last_size_ = out.size() - begin;
    }
    last_number_ = number;
    last_begin_ = begin;
    return *this;
}

TableRow& TableRow::seconds(sim::SimTime time) {
    sim::append_seconds(field(), time);
    return *this;
}

TableRow& TableRow::amount(core::Amount amount,
                           std::size_t resource,
                           const core::ResourceSchema& schema) {
    append_amount(field(), amount, resource, schema);
    return *this;
}

TableRow& TableRow::amount(const std::optional<core::Amount>& value,
                           std::size_t resource,
                           const core::ResourceSchema& schema) {
    return value ? amount(*value, resource, schema) : empty();
}

TableRow& TableRow::empty(int fields) {
    for (int i = 0; i < fields; ++i) {
        (void)field();
    }
    return *this;
}

}  // namespace berth::experiments
