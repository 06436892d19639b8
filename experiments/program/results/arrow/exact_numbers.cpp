#include "experiments/program/results/arrow/exact_numbers.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "core/support/csv_record.hpp"
#include "core/support/parse_number.hpp"

namespace berth::report {
namespace {

/// Nothing where the line is none, or the block has another number there.
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

}  // namespace

std::string text_of_exact_numbers(const std::vector<ExactNumber>& numbers) {
    std::string out;
    for (const ExactNumber& number : numbers) {
        fmt::format_to(
            std::back_inserter(out), "{},{},{}\n", number.row, number.column, number.text);
    }
    return out;
}

std::vector<ExactNumber> read_exact_numbers(std::string_view text, const RowBlock& block) {
    std::vector<ExactNumber> out;
    core::CsvRecord line({.quotes = false});
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const auto number = end != std::string_view::npos && !line.split(text.substr(0, end))
                                ? exact_number(line, block)
                                : std::nullopt;
        if (!number || (!out.empty() && std::tie(out.back().row, out.back().column) >=
                                            std::tie(number->row, number->column))) {
            throw std::runtime_error("a number that is told exactly is not one of its batch");
        }
        out.push_back(*number);
        text.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace berth::report
