#include "experiments/program/results/tables/table_text.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/support/append_seconds.hpp"
#include "core/support/csv_record.hpp"
#include "experiments/program/support/append_number.hpp"

namespace berth::report {
namespace {

bool bit(const std::vector<std::uint8_t>& bits, std::size_t row) {
    return ((bits[row / 8] >> (row % 8)) & 1U) != 0;
}

std::string_view letters_of(const ColumnFields& fields, std::size_t row) {
    const auto begin = static_cast<std::size_t>(fields.offsets[row]);
    const auto end = static_cast<std::size_t>(fields.offsets[row + 1]);
    return std::string_view(fields.letters).substr(begin, end - begin);
}

void append_field(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
    } else {
        out += core::csv_field(text);
    }
}

void append_field(std::string& out,
                  const ColumnFields& fields,
                  Type type,
                  const ColumnFields& dictionary,
                  std::size_t row) {
    switch (type) {
        case Type::category:
            append_field(out, letters_of(dictionary, static_cast<std::size_t>(fields.codes[row])));
            break;
        case Type::flag:
            out += bit(fields.flags, row) ? "true" : "false";
            break;
        case Type::integer:
            experiments::append_integer(out, fields.wholes[row]);
            break;
        case Type::name:
            append_field(out, letters_of(fields, row));
            break;
        case Type::number:
            experiments::append_number(out, fields.numbers[row]);
            break;
        case Type::time:
            core::append_seconds(out, std::chrono::nanoseconds(fields.wholes[row]));
            break;
        case Type::unsigned_integer:
            experiments::append_integer(out, static_cast<std::uint64_t>(fields.wholes[row]));
            break;
    }
}

}  // namespace

std::string text_of_header(const std::vector<ColumnHead>& heads) {
    std::string out;
    for (const ColumnHead& head : heads) {
        out += out.empty() ? "" : ",";
        append_field(out, head.name);
    }
    return out + '\n';
}

std::string text_of_rows(const TableColumns& table, const RowBlock& block) {
    std::string out;
    const auto rows = static_cast<std::size_t>(block.rows);
    auto exact = block.exact.begin();
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < block.columns.size(); ++column) {
            const ColumnFields& fields = block.columns[column];
            out += column == 0 ? "" : ",";
            if (exact != block.exact.end() && exact->column == column &&
                exact->row == static_cast<std::int64_t>(row)) {
                out += (exact++)->text;
            } else if (bit(fields.valid, row)) {
                append_field(
                    out, fields, table.heads[column].type, table.dictionaries[column], row);
            }
        }
        out += '\n';
    }
    return out;
}

}  // namespace berth::report
