#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/metric_table.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/python/module/arrow_stream.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/interruptible.hpp"
#include "experiments/python/module/memory_files.hpp"
#include "experiments/python/module/stored_run.hpp"
#include "sim/clock/time.hpp"

namespace berth::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

bool is_valid(const report::ColumnFields& fields, std::size_t row) {
    return (fields.valid[row / 8] >> (row % 8) & 1U) != 0;
}

unsigned thread_count(std::optional<unsigned> threads) {
    return std::max(1U, threads.value_or(std::thread::hardware_concurrency()));
}

std::vector<experiments::Override> overrides_of(const std::vector<std::string>& set) {
    std::vector<experiments::Override> overrides;
    for (const std::string& one : set) {
        overrides.push_back(experiments::parse_override(one));
    }
    return overrides;
}

/// An experiment that was read and resolved.
struct Experiment {
    experiments::ResolvedExperiment resolved;
    experiments::ExperimentSpec spec;
    std::vector<std::string> warnings;  ///< With the places that they are about.
};

std::shared_ptr<Experiment> read(experiments::ResolvedExperiment resolved) {
    core::Diagnostics diagnostics;
    auto spec = experiments::read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    return std::make_shared<Experiment>(
        Experiment{std::move(resolved), std::move(*spec), diagnostics.warnings()});
}

std::shared_ptr<Experiment> read_file(const fs::path& file, const std::vector<std::string>& set) {
    return read(experiments::resolve_experiment(file, overrides_of(set)));
}

std::shared_ptr<Experiment> read_text(const std::string& text,
                                      const std::string& name,
                                      const std::vector<std::string>& set) {
    const auto source =
        std::make_shared<const core::SourceText>(core::SourceText{.name = name, .text = text});
    return read(experiments::resolve_experiment(source, fs::path(), overrides_of(set)));
}

/// What a run leaves. Without files, it was interrupted or its files are in a folder.
struct Finished {
    std::optional<StoredRun> files;
    std::vector<std::string> warnings;
};

Finished run(const std::shared_ptr<Experiment>& experiment,
             const std::optional<fs::path>& folder,
             std::optional<unsigned> threads,
             bool check_invariants) {
    sim::RunControl control;
    control.check_invariants = check_invariants;
    experiments::RunOptions options;
    options.threads = thread_count(threads);
    Finished out;
    run_interruptibly(control, [&] {
        MemoryFiles memory;
        std::optional<experiments::RunDirectory> directory;
        if (folder) {
            directory.emplace(*folder);
        }
        experiments::RunFiles& files =
            folder ? static_cast<experiments::RunFiles&>(*directory) : memory;
        const experiments::RunReport report = experiments::run_experiment(
            experiment->spec, experiment->resolved.document, files, options, control);
        if (!report.interrupted) {
            out.files.emplace(folder ? StoredRun(*folder) : StoredRun(memory.take()));
            out.warnings = report.warnings;
        }
    });
    return out;
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

/// One field as Python has it; of a text or a flag.
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

/// A column's values: the bytes of an array of int64, uint64 or double, or a list of text or flags.
/// `null` stands for a value that is missing in the first case, None in the second.
py::object column_values(const report::TableColumns& table, std::size_t column) {
    using report::ColumnFields;
    if (column >= table.heads.size()) {
        throw py::index_error("no such column");
    }
    switch (table.heads[column].type) {
        case report::Type::integer:
        case report::Type::time:
        case report::Type::unsigned_integer:
            return all_of(
                table, column, &ColumnFields::wholes, std::numeric_limits<std::int64_t>::min());
        case report::Type::number:
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

/// A field as a person reads it; empty where it is missing.
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

/// A column's first fields, for people.
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

/// A CSV text by columns. `types` has the types of columns that are no numbers; metrics have the
/// units of theirs.
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

void bind_table(py::module_& module) {
    module.def("read_csv", &read_csv);
    module.def("metric_record", [](const std::string& name) {
        const report::MetricRecord* record = report::find_metric(name);
        return record == nullptr
                   ? py::make_tuple("", "", "")
                   : py::make_tuple(
                         record->unit, report::to_string(record->better), record->meaning);
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
        .def("column", &column_values)
        .def("texts", &first_texts)
        .def("arrow_stream",
             [](const std::shared_ptr<TableColumns>& table) { return arrow_stream(table); })
        .def("arrow_schema", [](const TableColumns& table) { return arrow_schema(table); });
}

void bind_stored_run(py::module_& module) {
    py::class_<StoredRun>(module, "StoredRun")
        .def(py::init<fs::path>())
        .def(py::init([](const std::map<std::string, py::bytes>& texts) {
            Texts shared;
            for (const auto& [name, text] : texts) {
                shared[name] = std::make_shared<const std::string>(text);
            }
            return StoredRun(std::move(shared));
        }))
        .def_property_readonly("folder",
                               [](const StoredRun& run) -> std::optional<fs::path> {
                                   return run.folder().empty() ? std::nullopt
                                                               : std::optional(run.folder());
                               })
        .def("names", &StoredRun::names)
        .def("text",
             [](const StoredRun& run, const std::string& name) {
                 return py::bytes(*run.text(name));
             })
        .def(
            "table",
            [](const StoredRun& run, const std::string& name, std::optional<unsigned> threads) {
                const py::gil_scoped_release others_run;
                return std::const_pointer_cast<report::TableColumns>(
                    run.table(name, thread_count(threads)));
            },
            py::arg("name"),
            py::arg("threads") = py::none())
        .def("write", &StoredRun::write, py::call_guard<py::gil_scoped_release>());
}

}  // namespace

void bind_runs(py::module_& module) {
    bind_table(module);
    bind_stored_run(module);
    py::class_<Experiment, std::shared_ptr<Experiment>>(module, "Experiment")
        .def_property_readonly("name", [](const Experiment& given) { return given.spec.name; })
        .def_readonly("warnings", &Experiment::warnings)
        .def_static("of_file", &read_file)
        .def_static("of_text", &read_text);
    module.def("run",
               [](const std::shared_ptr<Experiment>& experiment,
                  const std::optional<fs::path>& folder,
                  std::optional<unsigned> threads,
                  bool check_invariants) {
                   Finished done = run(experiment, folder, threads, check_invariants);
                   return py::make_tuple(std::move(done.files), std::move(done.warnings));
               });
}

}  // namespace berth::python
