#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// The tables of a run directory (tables.def). Writers, readers and the documentation take the
/// columns from here.
enum class Table : std::uint8_t {
#define BERTH_COLUMN(name, part, type, unit, meaning)
#define BERTH_TABLE(table, file, rows) table,
#include "experiments/program/results/tables/tables.def"
#undef BERTH_TABLE
#undef BERTH_COLUMN
};

struct TableRecord {
    Table table{};
    std::string_view file;  ///< The file's name in the run directory.
    std::string_view rows;  ///< The meaning of a row.
};
/// All tables, indexed by Table.
[[nodiscard]] std::span<const TableRecord> tables();
[[nodiscard]] std::string_view file_name(Table table);

/// The part of a run that a column needs.
enum class Part : std::uint8_t {
    always,
    devices,     ///< The run has an allocator of devices.
    candidates,  ///< The run has allocation candidates.
    drops,       ///< Jobs may be dropped.
    evictions,   ///< Pods may be evicted.
    drains,      ///< The run has drains.
    admission,   ///< A scheduler admits the jobs before they are placed.
    gain,        ///< The run has failures with causes, drains, checkpoints, or jobs that train.
    training,    ///< The work of jobs is a number of steps.
    hangs,       ///< Failures are detected only some time after they happen.
    sampled,     ///< The column is sampled by the run's meters, as sim::sampled_metrics() lists it.
};

/// The type of a column's fields, any of which may be empty.
enum class Type : std::uint8_t {
    category,  ///< A text with few different values, such as a quota's name.
    flag,      ///< `true` or `false`.
    integer,
    name,  ///< A text that may differ in every row.
    number,
    time,  ///< A time in seconds, exact to the nanosecond.
    unsigned_integer,
};
[[nodiscard]] std::string_view to_string(Type type);

struct ColumnRecord {
    Table table{};
    /// The name. A word in capitals in it is a placeholder: LEVEL, RESOURCE, CLASS.
    std::string_view name;
    Part part = Part::always;
    Type type = Type::name;
    /// Such as `s`, `share` (of 1) or `pods`; empty: none, or the resource's unit.
    std::string_view unit;
    std::string_view meaning;  ///< One plain phrase without a full stop.
};
/// All columns, by table and in their order.
[[nodiscard]] std::span<const ColumnRecord> columns();
/// The record of a column by its name in a file, such as `rack_used`. Of several matching records,
/// it is the one with the most letters of its own.
/// Returns: nullptr if no record matches.
[[nodiscard]] const ColumnRecord* find_column(Table table, std::string_view name);

/// The names of a table's columns in a run with these parts. Consecutive columns with the same
/// placeholder occur once for each of the `names` of that placeholder.
[[nodiscard]] std::vector<std::string> column_names(
    Table table,
    const std::set<Part>& parts,
    const std::map<std::string_view, std::vector<std::string>>& names = {});
/// The same names as the first line of the table, with its line break.
[[nodiscard]] std::string header_of(
    Table table,
    const std::set<Part>& parts,
    const std::map<std::string_view, std::vector<std::string>>& names = {});

}  // namespace berth::report
