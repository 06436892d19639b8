#include "workloads/trace/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/quantity_hint.hpp"
#include "core/support/text.hpp"
#include "workloads/trace/text_blocks.hpp"

namespace berth::workloads {
namespace {

/// The required columns, as the end of a message.
std::string names_of(const std::vector<core::CsvColumn>& columns) {
    std::vector<std::string_view> names;
    for (const core::CsvColumn& column : columns) {
        if (column.required) {
            names.push_back(column.name);
        }
    }
    return names.empty() ? "" : fmt::format(" with {}", core::join(names, ", "));
}

}  // namespace

CsvRows::CsvRows(TextBlocks blocks, core::CsvDialect dialect, std::vector<core::CsvColumn> columns)
    : CsvRows(std::move(blocks), dialect, [&](const std::vector<std::string>& /*header*/) {
          return std::move(columns);
      }) {}

CsvRows::CsvRows(TextBlocks blocks, core::CsvDialect dialect, const ChooseColumns& choose)
    : lines_(std::move(blocks)), record_(dialect) {
    const bool any = next_record();
    if (any) {
        take_delimiter(dialect);
    }
    const auto fields = any ? record_.fields() : std::span<const core::CsvField>();
    for (const core::CsvField& field : fields) {
        header_.emplace_back(core::trimmed(field.text));
    }
    wanted_ = choose(header_);
    if (!any) {
        throw core::InputError(fmt::format(
            "{}:1:1: error: empty: expected a header{}", lines_.file(), names_of(wanted_)));
    }
    const core::CsvColumns found = core::find_columns(fields, wanted_);
    if (found.wrong_at) {
        fail_at(*found.wrong_at, 1, found.message);
    }
    places_ = found.at;
    columns_ = places_;
    peeked_record_ = record_;
    field_count_ = fields.size();
    find_near_misses();
}

void CsvRows::take_delimiter(core::CsvDialect usual) {
    const char delimiter = delimiter_of(row_, usual.delimiter);
    if (delimiter == usual.delimiter) {
        return;
    }
    separator_notes_.push_back(
        fmt::format("its columns have {} between them", described_delimiter(delimiter)));
    record_ = core::CsvRecord({delimiter, true});
    if (const auto fault = record_.split(row_)) {
        fail_at(fault->at, 1, fault->message);
    }
}

void CsvRows::find_near_misses() {
    std::vector<std::string> unread;
    for (const std::string& name : header_) {
        if (std::ranges::find(wanted_, name, &core::CsvColumn::name) == wanted_.end()) {
            unread.push_back(name);
        }
    }
    for (std::size_t column = 0; column < wanted_.size(); ++column) {
        const std::string near =
            has(column) ? std::string() : core::nearest(wanted_[column].name, unread);
        if (!near.empty()) {
            near_misses_.push_back(fmt::format(
                "the column '{}' is not read: expected '{}'", near, wanted_[column].name));
        }
    }
}

bool CsvRows::next() {
    if (!next_record()) {
        return false;
    }
    if (record_.fields().size() != field_count_) {
        fail_field_count();
    }
    return true;
}

bool CsvRows::next_loose() {
    columns_ = places_;
    return next_record();
}

void CsvRows::fail_field_count(std::string_view and_what) const {
    const auto fields = record_.fields();
    const auto is_whole = [](const core::CsvField& field) {
        return !field.text.empty() &&
               field.text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    // In a table with commas, a decimal `1,5` becomes two fields that are whole numbers.
    const auto split = std::ranges::adjacent_find(
        fields, [&](const auto& one, const auto& next) { return is_whole(one) && is_whole(next); });
    const bool decimal = row_.find(',') != std::string_view::npos && fields.size() > field_count_ &&
                         split != fields.end();
    fail_at(0,
            row_.size(),
            fmt::format("{} fields: expected {}, as in the header{}{}",
                        fields.size(),
                        field_count_,
                        and_what,
                        decimal ? ", and a point in decimal numbers, not a comma" : ""));
}

void CsvRows::keep_row() {
    if (row_.data() == joined_.data()) {
        return;
    }
    joined_ = row_;
    row_ = joined_;
    if (const auto fault = record_.split(row_)) {
        fail_at(fault->at, 1, fault->message);
    }
}

std::span<const core::CsvField> CsvRows::peek() {
    if (!peeked_) {
        keep_row();
        peeked_ = lines_.next();
    }
    if (!peeked_ || peeked_record_.split(lines_.line())) {
        return {};
    }
    return peeked_record_.fields();
}

void CsvRows::join_peeked() {
    BERTH_ASSERT(peeked_, "what is joined to a row was seen before");
    peeked_ = false;
    joined_ += '\n';
    joined_ += lines_.line();
    row_ = joined_;
    check_length();
    if (const auto fault = record_.split(row_)) {
        fail_at(fault->at, 1, fault->message);
    }
}

bool CsvRows::next_record() {
    do {
        if (!std::exchange(peeked_, false) && !lines_.next()) {
            return false;
        }
        first_line_ = lines_.number();
        row_ = lines_.line();
        check_length();
    } while (row_.empty());
    if (record_.ends_inside_quotes(row_, false)) {
        join_lines();
    }
    if (const auto fault = record_.split(row_)) {
        fail_at(fault->at, 1, fault->message);
    }
    return true;
}

void CsvRows::join_lines() {
    joined_ = row_;
    bool inside = true;
    while (inside && lines_.next()) {
        inside = record_.ends_inside_quotes(lines_.line(), true);
        joined_ += '\n';
        joined_ += lines_.line();
        row_ = joined_;
        check_length();
    }
    row_ = joined_;
}

void CsvRows::check_length() const {
    if (lines_.too_long() || row_.size() > lines_.line_bytes_max()) {
        fail_at(
            0,
            1,
            fmt::format("a row is too long: expected at most {} bytes", lines_.line_bytes_max()));
    }
}

std::string_view CsvRows::text(std::size_t column) const {
    const std::size_t at = columns_[column];
    return at == core::CsvColumns::absent ? std::string_view()
                                          : core::trimmed(record_.fields()[at].text);
}

std::optional<std::int64_t> CsvRows::amount(std::size_t column, const AmountUnit& unit) const {
    const std::string_view cell = text(column);
    if (cell.empty()) {
        return std::nullopt;
    }
    const auto number = parse_amount(cell, unit);
    if (const auto* fault = std::get_if<NumberFault>(&number)) {
        fail(column, describe(*fault), unit.expected);
    }
    return std::get<std::int64_t>(number);
}

std::optional<sim::SimTime> CsvRows::seconds(std::size_t column) const {
    return time(column, &parse_seconds);
}

std::optional<sim::SimTime> CsvRows::instant(std::size_t column) const {
    return time(column, &parse_instant);
}

std::optional<sim::SimTime> CsvRows::time(
    std::size_t column, std::variant<sim::SimTime, NumberFault> (*parse)(std::string_view)) const {
    const std::string_view cell = text(column);
    if (cell.empty()) {
        return std::nullopt;
    }
    const auto number = parse(cell);
    if (const auto* fault = std::get_if<NumberFault>(&number)) {
        fail(column, describe(*fault), "seconds since the trace began");
    }
    return std::get<sim::SimTime>(number);
}

std::int64_t CsvRows::need_amount(std::size_t column, const AmountUnit& unit) const {
    const auto value = amount(column, unit);
    if (!value) {
        fail(column, "empty", unit.expected);
    }
    return *value;
}

void CsvRows::fail(std::size_t column, std::string_view what, std::string_view expected) const {
    const std::string_view cell = text(column);
    fail(column,
         fmt::format("{}: {}{}{}: expected {}{}",
                     wanted_[column].name,
                     what,
                     cell.empty() ? "" : " ",
                     cell.empty() ? "" : quoted(cell),
                     expected,
                     core::comma_hint(cell)));
}

void CsvRows::fail(std::size_t column, std::string_view message) const {
    const std::size_t at = columns_[column];
    if (at == core::CsvColumns::absent) {
        fail_at(0, row_.size(), message);
    }
    const core::CsvField& field = record_.fields()[at];
    fail_at(field.begin, field.length, message);
}

void CsvRows::fail_row(std::string_view message) const {
    fail_at(0, row_.size(), message);
}

void CsvRows::fail_at(std::size_t begin, std::size_t length, std::string_view message) const {
    const std::string_view before = row_.substr(0, begin);
    const std::size_t break_before = before.rfind('\n');
    const std::size_t line_begin = break_before == std::string_view::npos ? 0 : break_before + 1;
    const std::size_t line_end = std::min(row_.find('\n', begin), row_.size());
    const auto breaks = std::ranges::count(before, '\n');
    const std::uint64_t line = first_line_ + static_cast<std::uint64_t>(breaks);
    throw RowError({lines_.file(),
                    line,
                    begin - line_begin + 1,
                    length,
                    row_.substr(line_begin, line_end - line_begin),
                    1,
                    lines_.cut() && !peeked_ && row_.find('\n', begin) == std::string_view::npos},
                   message);
}

}  // namespace berth::workloads
