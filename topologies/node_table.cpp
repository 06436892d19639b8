#include "topologies/node_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/parse_number.hpp"
#include "core/support/text.hpp"

namespace berth::topologies {

NodeTable::NodeTable(std::shared_ptr<const core::SourceText> source,
                     std::vector<core::CsvColumn> columns,
                     core::Diagnostics& diagnostics)
    : source_(std::move(source)), diagnostics_(diagnostics), wanted_(std::move(columns)) {
    read_header();
}

void NodeTable::read_header() {
    if (!next_record()) {
        std::vector<std::string_view> names;
        for (const core::CsvColumn& column : wanted_) {
            names.push_back(column.name);
        }
        diagnostics_.error(
            {source_, 1, 1},
            fmt::format("empty: expected a header with {}", core::join(names, ", ")));
        sound_ = false;
        return;
    }
    core::CsvColumns found = core::find_columns(record_.fields(), wanted_);
    if (found.wrong_at) {
        diagnostics_.error(span_at(*found.wrong_at, 1), found.message);
        sound_ = false;
    }
    columns_ = std::move(found.at);
    field_count_ = record_.fields().size();
}

bool NodeTable::next() {
    while (sound_ && next_record()) {
        if (record_.fields().size() == field_count_) {
            return true;
        }
        diagnostics_.error(
            span_at(0, 1),
            fmt::format(
                "{} fields: expected {}, as in the header", record_.fields().size(), field_count_));
    }
    return false;
}

bool NodeTable::next_record() {
    const std::string_view text = source_->text;
    while (next_begin_ < text.size()) {
        const std::size_t end = std::min(text.find('\n', next_begin_), text.size());
        std::string_view line = text.substr(next_begin_, end - next_begin_);
        next_begin_ = end + 1;
        ++line_;
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty()) {
            continue;
        }
        if (const auto fault = record_.split(line)) {
            diagnostics_.error(span_at(fault->at, 1), fault->message);
            continue;
        }
        return true;
    }
    return false;
}

std::string_view NodeTable::text(std::size_t column) const {
    const std::size_t at = columns_[column];
    return at == core::CsvColumns::absent ? std::string_view()
                                          : core::trimmed(record_.fields()[at].text);
}

std::optional<std::int64_t> NodeTable::number(std::size_t column, std::int64_t max) const {
    const std::string_view cell = text(column);
    const auto value = core::parse_number<std::int64_t>(cell);
    if (!value || *value < 0 || *value > max) {
        error(column,
              fmt::format("{} '{}': expected a whole number from 0 to {}",
                          wanted_[column].name,
                          cell.substr(0, 40),
                          max));
        return std::nullopt;
    }
    return value;
}

core::SourceSpan NodeTable::span(std::size_t column) const {
    const std::size_t at = columns_[column];
    if (at == core::CsvColumns::absent) {
        return span_at(0, 1);
    }
    const core::CsvField& field = record_.fields()[at];
    return span_at(field.begin, field.length);
}

void NodeTable::error(std::size_t column, std::string_view message) const {
    diagnostics_.error(span(column), message);
}

core::SourceSpan NodeTable::span_at(std::size_t begin, std::size_t length) const {
    return {source_, line_, static_cast<int>(begin) + 1, static_cast<int>(length)};
}

}  // namespace berth::topologies
