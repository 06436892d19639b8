#include "experiments/program/results/stored/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {

CsvReader::CsvReader(const std::filesystem::path& path) {
    const std::filesystem::path stored = stored_table(path);
    owned_ = open_table(stored);
    in_ = owned_.get();
    name_ = stored.string();
    read_header();
}

CsvReader::CsvReader(std::istream& in, std::string name) : in_(&in), name_(std::move(name)) {
    read_header();
}

void CsvReader::read_header() {
    if (!read_record()) {
        throw core::InputError(name_ + ":1:1: error: the table is empty: expected a header line");
    }
    for (const core::CsvField& field : splitter_.fields()) {
        header_.emplace_back(field.text);
    }
    fields_.resize(header_.size());
    // a map, because a header may have a megabyte of names
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < header_.size(); ++i) {
        if (header_[i].find('\0') != std::string::npos) {
            fail(i, "a column's name has the byte \\x00: expected text");
        }
        const auto [same, is_new] = places.try_emplace(header_[i], i);
        if (!is_new) {
            fail(same->second,
                 fmt::format("two columns are named '{}': expected each once", header_[i]));
        }
    }
}

std::size_t CsvReader::column(std::string_view name) const {
    if (const auto found = find_column(name)) {
        return *found;
    }
    throw core::InputError(fmt::format("{}:1:1: error: no column '{}': expected it in the header{}",
                                       name_,
                                       name,
                                       core::suggestion(name, header_)));
}

std::optional<std::size_t> CsvReader::find_column(std::string_view name) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - header_.begin());
}

bool CsvReader::next() {
    if (!read_record()) {
        return false;
    }
    if (splitter_.fields().size() != header_.size()) {
        fail_at(0,
                fmt::format("this record has {} fields: expected {}, as in the header",
                            splitter_.fields().size(),
                            header_.size()));
    }
    return true;
}

std::optional<double> CsvReader::number(std::size_t column) const {
    const std::string_view text = splitter_.fields()[column].text;
    if (text.empty()) {
        return std::nullopt;
    }
    constexpr double most = 1e100;  // squares and sums of such numbers are finite
    const auto value = core::parse_number<double>(text);
    if (!value || !(std::abs(*value) <= most)) {
        fail(column, fmt::format("'{}' in column '{}': expected a number", text, header_[column]));
    }
    return value;
}

double CsvReader::required_number(std::size_t column) const {
    const std::optional<double> value = number(column);
    if (!value) {
        fail(column, fmt::format("column '{}' is empty: expected a number", header_[column]));
    }
    return *value;
}

std::int64_t CsvReader::whole(std::size_t column, std::int64_t least) const {
    constexpr double most = 9e15;
    const double value = required_number(column);
    if (value != std::floor(value) || value < static_cast<double>(least) ||
        std::abs(value) > most) {
        fail(column, fmt::format("'{}': expected a whole number", field(column)));
    }
    return static_cast<std::int64_t>(value);
}

void CsvReader::fail(std::size_t column, const std::string& message) const {
    fail_at(splitter_.fields()[column].begin, message);
}

void CsvReader::fail_at(std::size_t offset, const std::string& message) const {
    // The lines before are no longer in memory. Empty lines in their place let render() find this
    // one.
    auto source = std::make_shared<core::SourceText>();
    source->name = name_;
    source->text.assign(static_cast<std::size_t>(record_line_ - 1), '\n');
    source->text += record_;
    const auto begin = record_.begin();
    const auto at = begin + static_cast<std::ptrdiff_t>(offset);
    const auto breaks = std::count(begin, at, '\n');
    const std::size_t line_start = breaks == 0 ? 0 : record_.rfind('\n', offset - 1) + 1;
    core::SourceSpan span;
    span.line = record_line_ + static_cast<int>(breaks);
    span.column = static_cast<int>(offset - line_start) + 1;
    source->may_be_shown = span.line > 1;  // a file with another header is not a table of berth's
    span.source = std::move(source);
    throw core::InputError(span, message);
}

bool CsvReader::read_line(std::string& line) {
    if (!std::getline(*in_, line)) {
        return false;
    }
    ++line_;
    if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) {
        line.erase(0, 3);
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return true;
}

bool CsvReader::read_record() {
    do {
        if (!read_line(record_)) {
            return false;
        }
    } while (record_.empty());
    record_line_ = line_;
    bool open = splitter_.ends_inside_quotes(record_, false);
    for (std::string more; open && read_line(more);) {
        open = splitter_.ends_inside_quotes(more, true);
        record_ += '\n';
        record_ += more;
    }
    if (const auto fault = splitter_.split(record_)) {
        fail_at(fault->at,
                record_[fault->at] == '"'
                    ? "this quote is never closed"
                    : "text after a closing quote: expected a comma or the end of the line");
    }
    return true;
}

}  // namespace berth::report
