#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// The tables of a run directory (tables.def). Who writes one, who reads it and the documentation
/// have its columns from here.
enum class Table : std::uint8_t {
#define BERTH_COLUMN(name, part, type, unit, meaning)
#define BERTH_TABLE(table, file, rows) table,
#include "experiments/program/results/tables/tables.def"
#undef BERTH_TABLE
#undef BERTH_COLUMN
};

struct TableRecord {
    Table table{};
    std::string_view file;  ///< Its name in the run directory.
    std::string_view rows;  ///< What it has a row for.
};
/// All tables, each at its number.
[[nodiscard]] std::span<const TableRecord> tables();
[[nodiscard]] std::string_view file_name(Table table);

/// What a run must have for a column to be there.
enum class Part : std::uint8_t {
    always,
    devices,     ///< An allocator of devices.
    candidates,  ///< Allocation candidates.
    drops,       ///< Jobs that may be dropped.
    evictions,   ///< Pods that may be evicted.
    drains,      ///< Drains.
    admission,   ///< A system such as Kueue that admits its jobs.
    gain,        ///< Failures with causes, drains, or checkpoints.
    hangs,       ///< Failures that are detected some time after they happened.
    sampled,     ///< What the run's meters sample, as sim::sampled_metrics() has it.
};

/// What the fields of a column are; each may be empty.
enum class Type : std::uint8_t {
    category,  ///< A text of which there are few, such as a quota's name.
    flag,      ///< `true` or `false`.
    integer,
    name,  ///< A text that may differ in every row.
    number,
    time,  ///< Seconds, exact to the nanosecond.
    unsigned_integer,
};
[[nodiscard]] std::string_view to_string(Type type);

struct ColumnRecord {
    Table table{};
    /// What stands in capitals in it stands for any name: LEVEL, RESOURCE, CLASS.
    std::string_view name;
    Part part = Part::always;
    Type type = Type::name;
    std::string_view unit;     ///< `s`, `share` (of 1), `pods`; empty: none, or the resource's.
    std::string_view meaning;  ///< One plain phrase without a stop.
};
/// All columns, by table and in their order.
[[nodiscard]] std::span<const ColumnRecord> columns();
/// The record of a column as a file names it, such as `rack_used`; where a name may be several, the
/// record with the most letters of its own. Returns: nullptr for a name that no record fits.
[[nodiscard]] const ColumnRecord* find_column(Table table, std::string_view name);

/// The names of a table's columns in a run that has these parts. Columns with the same word in
/// capitals that follow each other are there once for each of the `names` of that word.
[[nodiscard]] std::vector<std::string> column_names(
    Table table,
    const std::set<Part>& parts,
    const std::map<std::string_view, std::vector<std::string>>& names = {});
/// The same as the first line of the table, with its newline.
[[nodiscard]] std::string header_of(
    Table table,
    const std::set<Part>& parts,
    const std::map<std::string_view, std::vector<std::string>>& names = {});

}  // namespace berth::report
