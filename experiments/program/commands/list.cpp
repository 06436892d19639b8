#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/lists.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

void print(const List& list) {
    std::cout << list.title << "\n";
    for (const ListLine& line : list.lines) {
        std::cout << fmt::format("  {:<22} {}\n", line.name, line.summary);
    }
}

std::string_view shown_unit(std::string_view unit) {
    return unit.empty() ? "-" : unit;
}

/// What a run needs for a column to be there, behind its meaning.
std::string_view needs(report::Part part) {
    switch (part) {
        case report::Part::devices:
            return " (with an allocator of devices)";
        case report::Part::candidates:
            return " (with allocation candidates)";
        case report::Part::drops:
            return " (where jobs may be dropped)";
        case report::Part::evictions:
            return " (where pods may be evicted)";
        case report::Part::gain:
            return " (where causes fail, servers are drained, or jobs write checkpoints)";
        case report::Part::drains:
            return " (with drains)";
        case report::Part::kueue:
            return " (where Kueue admits jobs)";
        case report::Part::hangs:
            return " (with failures.detection)";
        case report::Part::always:
        case report::Part::sampled:
            return "";
    }
    return "";
}

void print_metrics() {
    std::cout << "metrics of summary.json: name, unit, which way is better, meaning; capitals "
                 "stand for any name\n";
    for (const report::MetricRecord& metric : report::metric_table()) {
        std::cout << fmt::format(
            "  {:<34} {:<12} {:<7} {}\n",
            metric.name,
            shown_unit(metric.unit),
            metric.better == report::Direction::unknown ? "-" : report::to_string(metric.better),
            metric.meaning);
    }
}

void print_columns() {
    std::cout
        << "columns of the tables of a run directory: name, unit, meaning; capitals stand for "
           "any name\n";
    for (const report::TableRecord& table : report::tables()) {
        std::cout << fmt::format("\n{}: {}\n", table.file, table.rows);
        for (const report::ColumnRecord& column : report::columns()) {
            if (column.table == table.table) {
                std::cout << fmt::format("  {:<26} {:<10} {}{}\n",
                                         column.name,
                                         shown_unit(column.unit),
                                         column.meaning,
                                         needs(column.part));
            }
        }
    }
}

Json columns_json() {
    Json out = Json::array();
    for (const report::ColumnRecord& column : report::columns()) {
        out.push_back({{"file", report::file_name(column.table)},
                       {"name", column.name},
                       {"type", report::to_string(column.type)},
                       {"unit", column.unit},
                       {"meaning", std::string(column.meaning) + std::string(needs(column.part))}});
    }
    return out;
}

Json metrics_json() {
    Json out = Json::array();
    for (const report::MetricRecord& metric : report::metric_table()) {
        out.push_back({{"name", metric.name},
                       {"group", metric.group},
                       {"unit", metric.unit},
                       {"better", report::to_string(metric.better)},
                       {"meaning", metric.meaning}});
    }
    return out;
}

Json json_of(const List& list) {
    Json out = Json::array();
    for (const ListLine& line : list.lines) {
        out.push_back({{"name", line.name}, {"summary", line.summary}});
    }
    return out;
}

/// Errors: core::InputError for a name that nothing is listed under, with the nearest.
void check_name(const std::string& wanted, const std::vector<List>& lists) {
    std::vector<std::string> names{std::string(metrics_name), std::string(columns_name)};
    for (const List& list : lists) {
        names.emplace_back(list.name);
    }
    if (std::ranges::find(names, wanted) == names.end()) {
        throw core::InputError(fmt::format("berth list: error: unknown list '{}': expected {}{}",
                                           wanted,
                                           core::alternatives(names),
                                           core::suggestion(wanted, names)));
    }
}

}  // namespace

int run_list(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    options.add_options()("json", "for programs: an object of lists, or the one list");
    const auto values = parse_arguments("list", arguments, options, "NAME", 1);
    if (!values) {
        return exit_done;
    }
    const bool json = values->count("json") > 0;
    const auto named = positional_arguments(*values, "NAME");
    const std::string wanted = named.empty() ? "" : named.front();
    const std::vector<List> lists = all_lists();
    if (!wanted.empty()) {
        check_name(wanted, lists);
    }
    Json all = Json::object();
    for (const List& list : lists) {
        if (!wanted.empty() && wanted != list.name) {
            continue;
        }
        if (json) {
            all[std::string(list.name)] = json_of(list);
        } else {
            print(list);
        }
    }
    if (json && (wanted.empty() || wanted == metrics_name)) {
        all[std::string(metrics_name)] = metrics_json();
    }
    if (json && (wanted.empty() || wanted == columns_name)) {
        all[std::string(columns_name)] = columns_json();
    }
    if (json) {
        std::cout << (wanted.empty() ? all : all.front()).dump(2) << "\n";
    } else if (wanted == metrics_name) {
        print_metrics();
    } else if (wanted == columns_name) {
        print_columns();
    } else if (wanted.empty()) {
        std::cout << "metrics, columns\n  berth list metrics and berth list columns tell the name, "
                     "unit and meaning of "
                     "each\n";
    }
    return exit_done;
}

}  // namespace berth::experiments
