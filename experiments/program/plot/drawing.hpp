#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// The table of a figure, as CSV.
class FigureTable {
public:
    explicit FigureTable(const std::vector<std::string>& columns);

    /// Adds a row, which has as many cells as there are columns.
    void row(const std::vector<std::string>& cells);
    [[nodiscard]] const std::string& csv() const { return csv_; }

private:
    std::size_t column_count_;
    std::string csv_;
};

/// A number for a table: with twelve digits, with all digits if it is whole, and empty if there is
/// none.
[[nodiscard]] std::string cell(double value);

/// A figure before it is drawn: its numbers as a table, and the data from which the modules of the
/// report's page draw it, in the form of report/page/paper/paper.d.ts.
struct Drawing {
    FigureTable table;
    nlohmann::ordered_json data;
};

/// The data of runs for a figure that is drawn from one part of each run: `part` makes {KEY: data}.
[[nodiscard]] nlohmann::ordered_json data_of_runs(
    const std::vector<RunDirectory>& runs,
    const std::function<nlohmann::ordered_json(const RunDirectory&)>& part);

/// The figures, which the table in plot.cpp names. `choice` is the text behind the colon, or empty.
#define BERTH_FIGURE(name)                                                     \
    [[nodiscard]] Drawing name##_figure(const std::vector<RunDirectory>& runs, \
                                        std::string_view choice)
BERTH_FIGURE(cluster);
BERTH_FIGURE(comparison);
BERTH_FIGURE(distribution);
BERTH_FIGURE(fragment_classes);
BERTH_FIGURE(fragmentation);
BERTH_FIGURE(gantt);
BERTH_FIGURE(gpu_time);
BERTH_FIGURE(jct_cdf);
BERTH_FIGURE(levels);
BERTH_FIGURE(locality);
BERTH_FIGURE(mttf);
BERTH_FIGURE(outages);
BERTH_FIGURE(quota_areas);
BERTH_FIGURE(quotas);
BERTH_FIGURE(timeseries);
BERTH_FIGURE(unallocated);
BERTH_FIGURE(wait_cdf);
#undef BERTH_FIGURE

/// Throws an InputError if there is a choice, for a figure that has none.
void refuse_choice(std::string_view choice);

/// Reads a number with a unit, `90s`, `2h`, `1.5d`, in seconds. Throws an InputError.
[[nodiscard]] double parse_time(std::string_view text);

/// The parts of a choice between its commas.
[[nodiscard]] std::vector<std::string> split_choice(std::string_view choice);

/// The index of `choice` among the run's resources; the first one if it is empty.
[[nodiscard]] std::size_t choose_resource(const RunDirectory& run, std::string_view choice);

/// The name of each run in a figure: the experiment's name, or the directory's if two runs share
/// it.
[[nodiscard]] std::vector<std::string> run_names(const std::vector<RunDirectory>& runs);

/// Names without their common beginning, if they end in digits: 0, 1, 2 for rack-0, ...
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& names);

}  // namespace berth::report
