#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/python/module/arrow_stream.hpp"
#include "experiments/python/module/bind.hpp"
#include "sim/clock/time.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

bool is_valid(const report::ColumnFields& fields, std::size_t row) {
    return (fields.valid[row / 8] >> (row % 8) & 1U) != 0;
}

template <class Value>
py::bytes all_of(const report::TableColumns& table,
                 std::size_t column,
                 std::vector<Value> report::ColumnFields::* values,
                 Value null) {
    std::vector<Value> all;
    all.reserve(static_cast<std::size_t>(table.rows));
    for (const report::RowBlock& block : table.blocks) {
        const report::ColumnFields& fields = block.columns[column];
        for (std::size_t row = 0; row < (fields.*values).size(); ++row) {
            all.push_back(is_valid(fields, row) ? (fields.*values)[row] : null);
        }
    }
    return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Value)};
}

std::string_view letters_at(const report::ColumnFields& names, std::size_t place) {
    const auto begin = static_cast<std::size_t>(names.offsets[place]);
    const auto end = static_cast<std::size_t>(names.offsets[place + 1]);
    return std::string_view(names.letters).substr(begin, end - begin);
}

/// A field of a text or flag column, as a Python object.
py::object field_of(const report::TableColumns& table,
                    std::size_t column,
                    const report::ColumnFields& fields,
                    std::size_t row) {
    if (!is_valid(fields, row)) {
        return py::none();
    }
    switch (table.heads[column].type) {
        case report::Type::category:
            return py::str(std::string(letters_at(table.dictionaries[column],
                                                  static_cast<std::size_t>(fields.codes[row]))));
        case report::Type::flag:
            return py::bool_((fields.flags[row / 8] >> (row % 8) & 1U) != 0);
        default:
            return py::str(std::string(letters_at(fields, row)));
    }
}

/// A column's values: the bytes of an array of int64, uint64 or double, or a list of texts or
/// flags. A missing value is `null` in an array and None in a list.
py::object column_values(const report::TableColumns& table, std::size_t column) {
    using report::ColumnFields;
    if (column >= table.heads.size()) {
        throw py::index_error("no such column");
    }
    switch (table.heads[column].type) {
        case report::Type::integer:
        case report::Type::unsigned_integer:
            return all_of(
                table, column, &ColumnFields::wholes, std::numeric_limits<std::int64_t>::min());
        case report::Type::number:
        case report::Type::time:
            return all_of(
                table, column, &ColumnFields::numbers, std::numeric_limits<double>::quiet_NaN());
        default:
            break;
    }
    py::list all;
    for (const report::RowBlock& block : table.blocks) {
        for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
            all.append(field_of(table, column, block.columns[column], row));
        }
    }
    return all;
}

/// A field in a form for people; empty where it is missing.
std::string shown(const report::TableColumns& table,
                  std::size_t column,
                  const report::ColumnFields& fields,
                  std::size_t row) {
    if (!is_valid(fields, row)) {
        return "";
    }
    switch (table.heads[column].type) {
        case report::Type::integer:
            return fmt::to_string(fields.wholes[row]);
        case report::Type::unsigned_integer:
            return fmt::to_string(static_cast<std::uint64_t>(fields.wholes[row]));
        case report::Type::time:
            return sim::format_seconds(sim::SimTime(fields.wholes[row])) + " s";
        case report::Type::number:
            return fmt::format("{:.6g}", fields.numbers[row]);
        default:
            return py::str(field_of(table, column, fields, row));
    }
}

/// The first fields of a column, in a form for people.
std::vector<std::string> first_texts(const report::TableColumns& table,
                                     std::size_t column,
                                     std::size_t count) {
    std::vector<std::string> texts;
    for (const report::RowBlock& block : table.blocks) {
        for (std::size_t row = 0;
             row < static_cast<std::size_t>(block.rows) && texts.size() < count;
             ++row) {
            texts.push_back(shown(table, column, block.columns.at(column), row));
        }
    }
    return texts;
}

template <class Item>
void insert_at(std::vector<Item>& items, std::size_t place, Item item) {
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), std::move(item));
}

/// Adds a column `X_ns` of whole nanoseconds behind each time column `X_s`. The table must not be
/// lent to a reader yet.
void add_nanoseconds(report::TableColumns& table) {
    for (std::size_t column = 0; column < table.heads.size(); ++column) {
        report::ColumnHead head = table.heads[column];
        if (head.type != report::Type::time) {
            continue;
        }
        head.name.replace(head.name.size() - 1, 1, "ns");
        head.type = report::Type::integer;
        head.unit = "ns";
        insert_at(table.heads, column + 1, std::move(head));
        insert_at(table.dictionaries, column + 1, {});
        for (report::RowBlock& block : table.blocks) {
            const report::ColumnFields& time = block.columns[column];
            report::ColumnFields whole;
            whole.nulls = time.nulls;
            whole.valid = time.valid;
            whole.wholes = time.wholes;
            insert_at(block.columns, column + 1, std::move(whole));
            block.exact.clear();  // they are only used to write text, which does not happen here
        }
    }
}

report::Type type_of(const std::string& word) {
    for (const report::Type type : {report::Type::category,
                                    report::Type::integer,
                                    report::Type::name,
                                    report::Type::unsigned_integer}) {
        if (word == report::to_string(type)) {
            return type;
        }
    }
    return report::Type::number;
}

/// Reads a CSV text by columns. `types` has the types of the columns that are not numbers. A column
/// that is a metric has that metric's unit.
std::shared_ptr<report::TableColumns> read_csv(const std::string& csv,
                                               const std::string& name,
                                               const std::string& rows_are,
                                               const std::map<std::string, std::string>& types) {
    const auto head_of = [&](const std::string& column) {
        report::ColumnHead head{column, report::Type::number, "", ""};
        if (const auto type = types.find(column); type != types.end()) {
            head.type = type_of(type->second);
        } else if (const report::MetricRecord* metric = report::find_metric(column)) {
            head.unit = metric->unit;
            head.meaning = metric->meaning;
        }
        return head;
    };
    auto out = std::make_shared<report::TableColumns>(report::read_columns(csv, name, 1, head_of));
    out->rows_are = rows_are;
    return out;
}

}  // namespace

void bind_tables(py::module_& module) {
    module.def("read_csv", &read_csv);
    module.def("metric_record", [](const std::string& name) -> py::tuple {
        const report::MetricRecord* record = report::find_metric(name);
        if (record == nullptr) {
            return py::make_tuple("", "", "");
        }
        return py::make_tuple(record->unit, report::to_string(record->better), record->meaning);
    });
    using report::TableColumns;
    py::class_<TableColumns, std::shared_ptr<TableColumns>>(module, "Table")
        .def_readonly("rows", &TableColumns::rows)
        .def_property_readonly(
            "heads",
            [](const TableColumns& table) {
                py::list heads;
                for (const report::ColumnHead& head : table.heads) {
                    heads.append(py::make_tuple(
                        head.name, report::to_string(head.type), head.unit, head.meaning));
                }
                return heads;
            })
        .def("add_nanoseconds", &add_nanoseconds)
        .def("column", &column_values)
        .def("texts", &first_texts)
        .def("arrow_stream",
             [](const std::shared_ptr<TableColumns>& table) { return arrow_stream(table); })
        .def("arrow_schema", [](const TableColumns& table) { return arrow_schema(table); });
}

}  // namespace berth::python
