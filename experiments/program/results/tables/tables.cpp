#include "experiments/program/results/tables/tables.hpp"

#include <algorithm>
#include <array>

#include "core/support/assert.hpp"
#include "core/support/csv_record.hpp"

namespace berth::report {
namespace {

constexpr auto table_records = std::to_array<TableRecord>({
#define BERTH_COLUMN(name, part, type, unit, meaning)
#define BERTH_TABLE(table, file, rows) {Table::table, file, rows},
#include "experiments/program/results/tables/tables.def"
#undef BERTH_TABLE
#undef BERTH_COLUMN
});

/// A line of tables.def: a table if it has a file, otherwise a column of the table before it.
struct Line {
    std::string_view file;
    ColumnRecord column;
};

constexpr auto lines = std::to_array<Line>({
#define BERTH_COLUMN(name, part, type, unit, meaning) \
    {"", {Table{}, name, Part::part, Type::type, unit, meaning}},
#define BERTH_TABLE(table, file, rows) {file, {Table::table, "", Part::always, Type::name, "", ""}},
#include "experiments/program/results/tables/tables.def"
#undef BERTH_TABLE
#undef BERTH_COLUMN
});

constexpr auto column_records = [] {
    std::array<ColumnRecord, lines.size() - table_records.size()> records{};
    std::size_t count = 0;
    Table table{};
    for (const Line& line : lines) {
        if (!line.file.empty()) {
            table = line.column.table;
        } else {
            records[count] = line.column;
            records[count++].table = table;
        }
    }
    return records;
}();

/// The placeholder in a column's name, a word in capitals; empty if there is none.
std::string_view open_word(std::string_view name) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto begin = std::ranges::find_if(name, is_capital);
    const auto end = std::find_if_not(begin, name.end(), is_capital);
    return {begin, end};
}

std::string with_word(std::string_view name, std::string_view word, const std::string& instead) {
    std::string out(name);
    return out.replace(name.find(word), word.size(), instead);
}

}  // namespace

std::span<const TableRecord> tables() {
    return table_records;
}

std::string_view file_name(Table table) {
    return table_records[static_cast<std::size_t>(table)].file;
}

std::span<const ColumnRecord> columns() {
    return column_records;
}

std::string_view to_string(Type type) {
    constexpr std::array<std::string_view, 7> words{
        "category", "flag", "integer", "name", "number", "time", "unsigned integer"};
    return words[static_cast<std::size_t>(type)];
}

const ColumnRecord* find_column(Table table, std::string_view name) {
    const ColumnRecord* widest = nullptr;
    for (const ColumnRecord& column : column_records) {
        if (column.table != table) {
            continue;
        }
        if (column.name == name) {
            return &column;
        }
        const std::string_view word = open_word(column.name);
        const auto before = static_cast<std::size_t>(word.data() - column.name.data());
        const std::string_view behind = column.name.substr(before + word.size());
        const bool fits = !word.empty() && name.size() > column.name.size() - word.size() &&
                          name.starts_with(column.name.substr(0, before)) && name.ends_with(behind);
        if (fits &&
            (widest == nullptr || column.name.size() - word.size() >
                                      widest->name.size() - open_word(widest->name).size())) {
            widest = &column;
        }
    }
    return widest;
}

std::vector<std::string> column_names(
    Table table,
    const std::set<Part>& parts,
    const std::map<std::string_view, std::vector<std::string>>& names) {
    std::vector<std::string_view> here;
    for (const ColumnRecord& column : column_records) {
        if (column.table == table && parts.contains(column.part)) {
            here.push_back(column.name);
        }
    }
    std::vector<std::string> out;
    for (auto at = here.begin(); at != here.end();) {
        const std::string_view word = open_word(*at);
        const auto end = std::find_if(
            at, here.end(), [&](std::string_view name) { return open_word(name) != word; });
        if (word.empty()) {
            out.insert(out.end(), at, end);
        } else {
            BERTH_ASSERT(names.contains(word), "who writes a table says what its words stand for");
            for (const std::string& name : names.at(word)) {
                std::for_each(at, end, [&](std::string_view column) {
                    out.push_back(with_word(column, word, name));
                });
            }
        }
        at = end;
    }
    return out;
}

std::string header_of(Table table,
                      const std::set<Part>& parts,
                      const std::map<std::string_view, std::vector<std::string>>& names) {
    std::string out;
    for (const std::string& name : column_names(table, parts, names)) {
        out += (out.empty() ? "" : ",") + core::csv_field(name);
    }
    return out + '\n';
}

}  // namespace berth::report
