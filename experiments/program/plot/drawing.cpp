#include "experiments/program/plot/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/paid_resource.hpp"

namespace berth::report {

using Json = nlohmann::ordered_json;

FigureTable::FigureTable(const std::vector<std::string>& columns) : column_count_(columns.size()) {
    row(columns);
}

void FigureTable::row(const std::vector<std::string>& cells) {
    BERTH_ASSERT(cells.size() == column_count_, "a row has as many cells as there are columns");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        csv_ += i == 0 ? "" : ",";
        if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
            csv_ += cells[i];
            continue;
        }
        csv_ += '"';
        for (const char c : cells[i]) {
            csv_ += c == '"' ? "\"\"" : std::string(1, c);
        }
        csv_ += '"';
    }
    csv_ += '\n';
}

std::string cell(double value) {
    if (!std::isfinite(value)) {
        return "";
    }
    const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value);
}

Json data_of_runs(const std::vector<RunDirectory>& runs,
                  const std::function<Json(const RunDirectory&)>& part) {
    Json list = Json::array();
    for (const RunDirectory& run : runs) {
        list.push_back(part(run));
    }
    return {
        {"page", {{"schema", "berth.page/v1"}, {"definitions", Json::object()}, {"runs", list}}},
        {"names", run_names(runs)}};
}

void refuse_choice(std::string_view choice) {
    if (!choice.empty()) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure", choice));
    }
}

double parse_time(std::string_view text) {
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    constexpr std::pair<std::string_view, double> units[] = {
        {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (const auto& [name, seconds] : units) {
        if (error == std::errc() && number >= 0 && unit == name) {
            return number * seconds;
        }
    }
    throw core::InputError(fmt::format(
        "--figure: error: found '{}': expected a time with its unit, such as 90s, 2h or 1.5d",
        text));
}

std::vector<std::string> split_choice(std::string_view choice) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= choice.size();) {
        const std::size_t end = std::min(choice.find(',', at), choice.size());
        parts.emplace_back(choice.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::size_t choose_resource(const RunDirectory& run, std::string_view choice) {
    const std::vector<std::string>& resources = run.cluster->resources;
    if (choice.empty()) {
        return paid_resource(resources);
    }
    const auto found = std::ranges::find(resources, choice);
    if (found == resources.end()) {
        throw core::InputError(fmt::format("{}: error: unknown resource '{}': expected {}",
                                           run.directory,
                                           choice,
                                           core::join(resources, ", ")));
    }
    return static_cast<std::size_t>(found - resources.begin());
}

std::vector<std::string> run_names(const std::vector<RunDirectory>& runs) {
    std::vector<std::string> names;
    for (const RunDirectory& run : runs) {
        const auto same = std::ranges::count(runs, run.experiment, &RunDirectory::experiment);
        names.push_back(same > 1 ? fmt::format("{} ({})", run.experiment, run.directory)
                                 : run.experiment);
    }
    return names;
}

std::vector<std::string> short_names(const std::vector<std::string>& names) {
    const auto beginning = [](const std::string& name) {
        const std::size_t last = name.find_last_not_of("0123456789");
        return last == std::string::npos ? std::string() : name.substr(0, last + 1);
    };
    const std::string common = names.empty() ? "" : beginning(names.front());
    const bool all = !common.empty() && std::ranges::all_of(names, [&](const std::string& name) {
        return beginning(name) == common && name != common;
    });
    std::vector<std::string> out = names;
    if (all) {
        for (std::string& name : out) {
            name.erase(0, common.size());
        }
    }
    return out;
}

}  // namespace berth::report
