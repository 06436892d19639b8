#include "experiments/program/results/arrow/exact_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/support/append_seconds.hpp"
#include "core/support/csv_record.hpp"
#include "core/support/parse_number.hpp"

namespace berth::report {
namespace {

/// Reads a line; nothing where it is malformed, or the block has another number there.
std::optional<ExactNumber> exact_number(const core::CsvRecord& line, const RowBlock& block) {
    if (line.fields().size() != 3) {
        return std::nullopt;
    }
    const auto row = core::parse_number<std::int64_t>(line.fields()[0].text);
    const auto column = core::parse_number<std::size_t>(line.fields()[1].text);
    const std::string_view text = line.fields()[2].text;
    const auto number = core::parse_number<double>(text);
    if (!row || *row < 0 || *row >= block.rows || !column || *column >= block.columns.size() ||
        !number) {
        return std::nullopt;
    }
    const std::vector<double>& numbers = block.columns[*column].numbers;
    const auto place = static_cast<std::size_t>(*row);
    if (place >= numbers.size() || numbers[place] != *number) {
        return std::nullopt;
    }
    return ExactNumber{*row, *column, std::string(text)};
}

/// Sets the nanoseconds of times from their seconds.
void count_nanoseconds(const std::vector<ColumnHead>& heads, RowBlock& block) {
    for (std::size_t column = 0; column < heads.size(); ++column) {
        if (heads[column].type != Type::time) {
            continue;
        }
        for (const double seconds : block.columns[column].numbers) {
            const auto nanoseconds = nanoseconds_of(seconds);
            if (!nanoseconds) {
                throw std::runtime_error("a time is longer than any");
            }
            block.columns[column].wholes.push_back(*nanoseconds);
        }
    }
}

}  // namespace

std::string text_of_exact_numbers(const RowBlock& block, const std::vector<ColumnHead>& heads) {
    // Below it, the nearest double of seconds is less than half a nanosecond off.
    constexpr std::int64_t determined_max = std::int64_t{1} << 51U;
    std::vector<ExactNumber> numbers = block.exact;
    for (std::size_t column = 0; column < heads.size(); ++column) {
        const ColumnFields& fields = block.columns[column];
        for (std::size_t row = 0; heads[column].type == Type::time && row < fields.wholes.size();
             ++row) {
            const std::int64_t whole = fields.wholes[row];
            const bool is_determined = whole >= -determined_max && whole <= determined_max;
            if (!is_determined && nanoseconds_of(fields.numbers[row]) != whole) {
                std::string& text =
                    numbers.emplace_back(static_cast<std::int64_t>(row), column, "").text;
                core::append_seconds(text, std::chrono::nanoseconds(whole));
            }
        }
    }
    std::ranges::sort(numbers);
    std::string out;
    for (const ExactNumber& number : numbers) {
        fmt::format_to(
            std::back_inserter(out), "{},{},{}\n", number.row, number.column, number.text);
    }
    return out;
}

void read_exact_numbers(std::string_view text,
                        const std::vector<ColumnHead>& heads,
                        RowBlock& block) {
    count_nanoseconds(heads, block);
    std::pair<std::int64_t, std::size_t> last(-1, 0);
    core::CsvRecord line({.quotes = false});
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        auto number = end != std::string_view::npos && !line.split(text.substr(0, end))
                          ? exact_number(line, block)
                          : std::nullopt;
        const bool is_time = number && heads[number->column].type == Type::time;
        const auto nanoseconds = is_time ? parse_nanoseconds(number->text) : std::nullopt;
        if (!number || last >= std::pair(number->row, number->column) ||
            is_time != nanoseconds.has_value()) {
            throw std::runtime_error("a number that is told exactly is not one of its batch");
        }
        last = {number->row, number->column};
        if (is_time) {
            block.columns[number->column].wholes[static_cast<std::size_t>(number->row)] =
                *nanoseconds;
        } else {
            block.exact.push_back(std::move(*number));
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace berth::report
