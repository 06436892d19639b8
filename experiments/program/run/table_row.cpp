#include "experiments/program/run/table_row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "experiments/program/support/append_number.hpp"

namespace berth::experiments {
namespace {

/// For each byte, whether a field with it must be quoted.
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

/// Writes an amount in whole cores, GPUs, bytes, ... as a plain number.
char* write_amount(char* out,
                   core::Amount amount,
                   std::size_t resource,
                   const core::ResourceSchema& schema) {
    if (amount == 0) {  // most resources of a type have amount 0
        *out = '0';
        return out + 1;
    }
    const core::Amount per_unit = schema.per_unit(resource);
    if (amount % per_unit == 0) {
        constexpr std::ptrdiff_t digits_max = 20;
        return std::to_chars(out, out + digits_max, amount / per_unit).ptr;
    }
    return write_number(out, static_cast<double>(amount) / static_cast<double>(per_unit));
}

}  // namespace

void TableRow::spill() {
    out_.append(row_.data(), size_);
    size_ = 0;
}

void TableRow::end() {
    *room(1) = '\n';
    ++size_;
    spill();
}

TableRow& TableRow::more(std::string_view text) {
    if (text.size() > row_.size()) {
        spill();
        out_ += text;
    } else {
        wrote(std::copy_n(text.data(), text.size(), room(text.size())));
    }
    return *this;
}

TableRow& TableRow::plain(std::string_view text) {
    begin_field();
    return more(text);
}

TableRow& TableRow::text(std::string_view text) {
    if (text.empty()) {
        return empty();
    }
    if (needs_quotes(text)) {
        begin_field();
        append_quoted(text);
        return *this;
    }
    return plain(text);
}

void TableRow::append_quoted(std::string_view text) {
    more("\"");
    for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
         quote = text.find('"')) {
        more(text.substr(0, quote + 1)).more("\"");
        text.remove_prefix(quote + 1);
    }
    more(text).more("\"");
}

TableRow& TableRow::number(double number) {
    if (last_number_ == number && number != 0) {
        return plain({last_text_.data(), last_size_});
    }
    char* const begin = number_field();
    char* const end = write_number(begin, number);
    wrote(end);
    last_number_ = number;
    last_size_ = static_cast<std::size_t>(end - begin);
    std::copy(begin, end, last_text_.begin());
    return *this;
}

TableRow& TableRow::seconds(sim::SimTime time) {
    static_assert(sim::seconds_chars_max <= number_chars_max);
    wrote(sim::write_seconds(number_field(), time));
    return *this;
}

TableRow& TableRow::amount(core::Amount amount,
                           std::size_t resource,
                           const core::ResourceSchema& schema) {
    begin_field();
    return more(amount, resource, schema);
}

TableRow& TableRow::more(core::Amount amount,
                         std::size_t resource,
                         const core::ResourceSchema& schema) {
    wrote(write_amount(room(number_chars_max), amount, resource, schema));
    return *this;
}

TableRow& TableRow::amount(const std::optional<core::Amount>& value,
                           std::size_t resource,
                           const core::ResourceSchema& schema) {
    return value ? amount(*value, resource, schema) : empty();
}

TableRow& TableRow::empty(int fields) {
    for (int i = 0; i < fields; ++i) {
        begin_field();
    }
    return *this;
}

}  // namespace berth::experiments
