#include "workloads/trace/json_row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {

void JsonRow::parse(std::string_view text, std::uint64_t line, std::size_t column, bool cut) {
    of_document_ = nullptr;
    cut_ = cut;
    row_ = text;
    line_ = line;
    column_ = column;
    if (const auto wrong_at = json_.parse(text)) {
        fail_at(*wrong_at, 1, "no JSON: expected a well-formed object");
    }
    if (json_.kind(JsonText::root()) != JsonText::Kind::map) {
        fail(JsonText::root(), "no object: expected a job");
    }
}

void JsonRow::parse(const JsonElements& element) {
    if (element.too_long()) {
        fail_long(element.file(), element.line(), element.column(), element.element_bytes_max());
    }
    parse(element.text(), element.line(), element.column());
}

void JsonRow::parse(const PlacedJson& object) {
    of_document_ = &object;
    row_ = object.text();
    line_ = static_cast<std::uint64_t>(object.place_of(0).line);
    column_ = static_cast<std::size_t>(object.place_of(0).column);
    if (const auto wrong_at = json_.parse(row_)) {  // JsonText allows fewer levels than documents
        throw RowError(object.place_of(*wrong_at), "nested too deep: expected at most 200 levels");
    }
    if (json_.kind(JsonText::root()) != JsonText::Kind::map) {
        throw RowError(object.place_of(0), "no object: expected a job");
    }
}

std::optional<JsonRow::Index> JsonRow::find(std::initializer_list<std::string_view> keys) const {
    return find(JsonText::root(), keys);
}

std::optional<JsonRow::Index> JsonRow::find(std::optional<Index> from,
                                            std::initializer_list<std::string_view> keys) const {
    std::optional<Index> at = from;
    for (const std::string_view key : keys) {
        at = at ? json_.find(*at, key) : std::nullopt;
    }
    return at;
}

std::string_view JsonRow::text(Index value) const {
    const JsonText::Kind kind = json_.kind(value);
    if (kind == JsonText::Kind::list || kind == JsonText::Kind::map) {
        fail(value, "no text: expected a text or a number");
    }
    return json_.text(value);
}

std::string_view JsonRow::text(std::initializer_list<std::string_view> keys) const {
    const auto value = find(keys);
    return value ? text(*value) : std::string_view();
}

sim::SimTime JsonRow::date(Index value) const {
    const auto time = parse_date_time(text(value));
    if (!time) {
        fail(value, fmt::format("no date {}: expected YYYY-MM-DD HH:MM:SS", quoted(text(value))));
    }
    return *time;
}

void JsonRow::fail(Index value, std::string_view message) const {
    if (of_document_ != nullptr) {
        throw RowError(of_document_->place_of(json_.begin(value)), message);
    }
    fail_at(json_.begin(value), json_.length(value), message);
}

void JsonRow::fail_long(const std::string& file,
                        std::uint64_t line,
                        std::size_t column,
                        std::size_t bytes_max) {
    throw RowError({file, line, column, 1, {}, column},
                   fmt::format("a row is too long: expected at most {} bytes", bytes_max));
}

void JsonRow::fail_at(std::size_t begin, std::size_t length, std::string_view message) const {
    const std::string_view before = row_.substr(0, begin);
    const std::size_t last_break = before.rfind('\n');
    const bool first_line = last_break == std::string_view::npos;
    const std::size_t line_begin = first_line ? 0 : last_break + 1;
    const std::size_t line_end = std::min(row_.find('\n', begin), row_.size());
    const std::size_t text_column = first_line ? column_ : 1;
    throw RowError({file_,
                    line_ + static_cast<std::uint64_t>(std::ranges::count(before, '\n')),
                    text_column + begin - line_begin,
                    length,
                    row_.substr(line_begin, line_end - line_begin),
                    text_column,
                    cut_},
                   message);
}

}  // namespace berth::workloads
