#include "core/support/csv_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"

namespace berth::core {
namespace {

/// The names that a column can have. A file that is not a table at all may have one of megabytes.
std::vector<std::string> short_names(std::vector<std::string> names) {
    constexpr std::size_t length_max = 64;
    std::erase_if(names, [](const std::string& name) { return name.size() > length_max; });
    return names;
}

}  // namespace

std::optional<CsvFault> CsvRecord::split(std::string_view record) {
    if (dialect_.quotes && record.find('"') != std::string_view::npos) {
        fields_.clear();
        return split_quoted(record);
    }
    split_plain(record);
    return std::nullopt;
}

void CsvRecord::split_plain(std::string_view record) {
    const char delimiter = dialect_.delimiter;
    const char* const first = record.data();
    const char* const last = first + record.size();
    std::size_t count = 0;
    for (const char* begin = first;; ++begin) {
        const char* end = begin;
        while (end != last && *end != delimiter) {  // fields are too short for memchr to pay
            ++end;
        }
        if (count == fields_.size()) {
            fields_.emplace_back();
        }
        const auto length = static_cast<std::size_t>(end - begin);
        fields_[count++] = {{begin, length}, static_cast<std::size_t>(begin - first), length};
        begin = end;
        if (end == last) {
            break;
        }
    }
    fields_.resize(count);
}

std::optional<CsvFault> CsvRecord::split_quoted(std::string_view record) {
    decoded_.clear();
    decoded_.reserve(record.size());
    std::size_t begin = 0;
    while (true) {
        if (begin < record.size() && record[begin] == '"') {
            const auto end = read_quoted(record, begin);
            if (!end) {
                return CsvFault{begin, "a quoted field does not end: expected a closing quote"};
            }
            if (*end < record.size() && record[*end] != dialect_.delimiter) {
                return CsvFault{*end, "text after a closing quote: expected the next field"};
            }
            begin = *end;
        } else {
            const std::size_t end = std::min(record.find(dialect_.delimiter, begin), record.size());
            fields_.push_back({record.substr(begin, end - begin), begin, end - begin});
            begin = end;
        }
        if (begin == record.size()) {
            return std::nullopt;
        }
        ++begin;  // Skips the delimiter. A record that ends with one has an empty field behind it.
    }
}

std::optional<std::size_t> CsvRecord::read_quoted(std::string_view record, std::size_t begin) {
    const std::size_t decoded_begin = decoded_.size();
    std::size_t at = begin + 1;
    while (true) {
        const std::size_t quote = record.find('"', at);
        if (quote == std::string_view::npos) {
            return std::nullopt;
        }
        const bool doubled = quote + 1 < record.size() && record[quote + 1] == '"';
        const bool whole = !doubled && decoded_.size() == decoded_begin;
        if (whole) {  // nothing was doubled, so the text can stay where it is
            fields_.push_back(
                {record.substr(begin + 1, quote - begin - 1), begin, quote + 1 - begin});
            return quote + 1;
        }
        decoded_.append(record.substr(at, quote - at + (doubled ? 1 : 0)));
        if (!doubled) {
            fields_.push_back(
                {std::string_view(decoded_).substr(decoded_begin), begin, quote + 1 - begin});
            return quote + 1;
        }
        at = quote + 2;
    }
}

bool CsvRecord::ends_inside_quotes(std::string_view line, bool inside) const {
    if (!dialect_.quotes || (!inside && line.find('"') == std::string_view::npos)) {
        return false;
    }
    std::size_t at = 0;
    while (true) {
        if (inside || (at < line.size() && line[at] == '"')) {
            at = line.find('"', inside ? at : at + 1);
            while (at != std::string_view::npos && at + 1 < line.size() && line[at + 1] == '"') {
                at = line.find('"', at + 2);
            }
            if (at == std::string_view::npos) {
                return true;
            }
            inside = false;
        }
        at = line.find(dialect_.delimiter, at);
        if (at == std::string_view::npos) {
            return false;
        }
        ++at;
    }
}

CsvColumns find_columns(std::span<const CsvField> header, std::span<const CsvColumn> wanted) {
    CsvColumns columns;
    std::vector<std::string> names;
    for (const CsvField& field : header) {
        names.emplace_back(trimmed(field.text));
    }
    for (const CsvColumn& column : wanted) {
        const auto found = std::ranges::find(names, column.name);
        const auto at = static_cast<std::size_t>(found - names.begin());
        columns.at.push_back(found == names.end() ? CsvColumns::absent : at);
        if (found == names.end()) {
            if (column.required && !columns.wrong_at) {
                columns.wrong_at = 0;
                columns.message = fmt::format("no column '{}': expected one of this name{}",
                                              column.name,
                                              suggestion(column.name, short_names(names)));
            }
            continue;
        }
        const auto twice = std::find(found + 1, names.end(), column.name);
        if (twice != names.end() && !columns.wrong_at) {
            columns.wrong_at = header[static_cast<std::size_t>(twice - names.begin())].begin;
            columns.message =
                fmt::format("the column '{}' occurs twice: expected each once", column.name);
        }
    }
    return columns;
}

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}

}  // namespace berth::core
