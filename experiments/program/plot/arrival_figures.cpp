#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/arrival_series.hpp"

namespace berth::report {
namespace arrivals {

constexpr double page_width = 504;
constexpr double left = 44;
constexpr double panel_height = 190;

/// A panel of a figure over the share of the workload that has arrived.
struct Panel {
    std::string title;
    std::string measure;  ///< The measure's name in the table.
    MiddleBand ArrivalSeries::* band;
    bool ideal = false;  ///< Whether to draw what a scheduler without fragments would leave.
};

std::vector<ArrivalSeries> series_of(const std::vector<RunDirectory>& runs) {
    std::vector<ArrivalSeries> out;
    for (const RunDirectory& run : runs) {
        auto series = arrival_series(run.series);
        if (!series) {
            throw core::InputError(fmt::format(
                "{}: error: the run measured no fragmentation: expected shared GPUs, typical pods "
                "and record: {{sampleEvery: arrival}}",
                run.directory));
        }
        out.push_back(std::move(*series));
    }
    return out;
}

/// Reads `FROM,TO` in percent of the GPUs; without a choice, the range goes up to the largest share
/// that arrives in any run.
std::pair<double, double> range_of(const std::vector<ArrivalSeries>& all, std::string_view choice) {
    double from = 0;
    double to = 0;
    for (const ArrivalSeries& series : all) {
        to = std::max(to, static_cast<double>(series.arrived_pct.back()));
    }
    if (!choice.empty()) {
        const std::string text(choice);
        int end = 0;
        // The text must have exactly two numbers.
        if (std::sscanf(text.c_str(), "%lf,%lf%n", &from, &to, &end) != 2 ||
            static_cast<std::size_t>(end) != text.size() || !(from < to) || from < 0) {
            throw core::InputError(fmt::format(
                "--figure: error: found '{}': expected FROM,TO in percent, such as 75,120", text));
        }
    }
    return {from, to};
}

std::string curves(Script& script,
                   const std::vector<ArrivalSeries>& all,
                   const Panel& panel,
                   std::pair<double, double> range,
                   double& most) {
    std::string bands;
    std::string lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MiddleBand& band = all[i].*panel.band;
        std::vector<std::string> rows;
        for (std::size_t k = 0; k < band.median.size(); ++k) {
            const int x = all[i].arrived_pct[k];
            if (x >= range.first && x <= range.second) {
                rows.push_back(fmt::format(
                    "{} {:.8g} {:.8g} {:.8g}", x, band.median[k], band.low[k], band.high[k]));
                most = std::max(most, band.high[k]);
            }
        }
        const std::string data = script.data(rows);
        const std::string colour = hex(ink::series[i % std::size(ink::series)]);
        bands += fmt::format(
            "{} using 1:3:4 with filledcurves fillcolor rgb '{}' fillstyle transparent solid 0.2 "
            "noborder, ",
            data,
            colour);
        lines +=
            fmt::format("{} using 1:2 with lines linecolor rgb '{}' linewidth 1.4, ", data, colour);
    }
    return bands + lines;
}

void add_rows(Script& script,
              const std::vector<std::string>& names,
              const std::vector<ArrivalSeries>& all,
              const Panel& panel,
              std::pair<double, double> range) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MiddleBand& band = all[i].*panel.band;
        for (std::size_t k = 0; k < band.median.size(); ++k) {
            const int x = all[i].arrived_pct[k];
            if (x >= range.first && x <= range.second) {
                script.row({names[i],
                            panel.measure,
                            cell(x),
                            cell(band.median[k]),
                            cell(band.low[k]),
                            cell(band.high[k])});
            }
        }
    }
}

Script draw(const std::vector<RunDirectory>& runs,
            std::string_view choice,
            const std::vector<Panel>& panels) {
    const std::vector<ArrivalSeries> all = series_of(runs);
    const auto range = range_of(all, choice);
    const std::vector<std::string> names = run_names(runs);
    const double step = panel_height + 26;
    double next = left;
    double key_rows = 1;
    for (const std::string& name : names) {
        next += text_width(name) + 24;
        if (next > page_width) {
            ++key_rows;
            next = left + text_width(name) + 24;
        }
    }
    const double key = 13 * key_rows + 4;
    Script script(page_width, key + step * static_cast<double>(panels.size()) + 26);
    script.line("set grid ytics linestyle 2\nset format y '%g'\nset xtics auto offset 0,0.4");
    script.line("unset key");
    script.columns({"run", "measure", "arrived_pct", "median", "lower_quartile", "upper_quartile"});
    next = left;
    double row = 7;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0 && next + text_width(names[i]) + 24 > page_width) {
            next = left;
            row += 13;
        }
        next = script.key(next, row, ink::series[i % std::size(ink::series)], names[i]);
    }
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", range.first, range.second));
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double top = key + 14 + step * static_cast<double>(i);
        script.place(left, top, page_width - left - 10, panel_height);
        script.title(left, top - 7, panels[i].title);
        const bool last = i + 1 == panels.size();
        if (last) {
            script.x_label("GPUs that have arrived, % of the cluster");
        }
        script.line(last ? "set format x '%g'" : "set format x ''");
        double most = 0;
        std::string plot = curves(script, all, panels[i], range, most);
        if (panels[i].ideal) {
            plot +=
                fmt::format("(x < 100 ? 100 - x : 0) with lines linecolor rgb '{}' dashtype 2, ",
                            hex(ink::muted));
        }
        plot.resize(plot.size() - 2);
        const double high = most > 0 ? most * 1.05 : 1;
        script.line(fmt::format("set yrange [0:{:.8g}]\nset ytics {}", high, tic_step(high)));
        script.line("plot " + plot);
        add_rows(script, names, all, panels[i], range);
        script.line("unset label");
    }
    return script;
}

/// The classes as indices into fragment_columns, in the order of the report, which begins with
/// usable GPUs.
struct FragmentClass {
    std::size_t column;
    std::string_view text;
};
constexpr FragmentClass classes[] = {{2, "usable by typical pods"},
                                     {1, "devices too small or too few"},
                                     {3, "CPU missing"},
                                     {0, "devices and CPU missing"},
                                     {4, "no GPU wanted, CPU there"},
                                     {5, "no GPU wanted, CPU missing"},
                                     {6, "model not accepted"}};

/// Draws each class on top of those before it, between two curves.
std::string stacked_classes(Script& script,
                            const std::string& run,
                            const ArrivalSeries& series,
                            std::pair<double, double> range) {
    std::vector<double> below(series.arrived_pct.size());
    std::string plot;
    for (std::size_t i = 0; i < std::size(classes); ++i) {
        const std::size_t column = classes[i].column;
        std::vector<std::string> rows;
        for (std::size_t k = 0; k < below.size(); ++k) {
            const int x = series.arrived_pct[k];
            const double share = series.class_pct[column][k];
            if (x < range.first || x > range.second || !(share >= 0)) {
                continue;
            }
            rows.push_back(fmt::format("{} {:.8g} {:.8g}", x, below[k], below[k] + share));
            below[k] += share;
            script.row({run, fragment_columns[column], cell(x), cell(share)});
        }
        plot += fmt::format(
            "{} using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle solid "
            "0.7 noborder, ",
            script.data(rows),
            hex(ink::series[i]));
    }
    plot.resize(plot.size() - 2);
    return plot;
}

}  // namespace arrivals

Script unallocated_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace arrivals;
    return draw(runs,
                choice,
                {{"GPUs not allocated, % (dashed: without any fragment)",
                  "unallocated_pct",
                  &ArrivalSeries::unallocated_pct,
                  true}});
}

Script fragmentation_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace arrivals;
    return draw(
        runs,
        choice,
        {{"fragments, % of the free GPUs", "frag_ratio_pct", &ArrivalSeries::frag_ratio_pct, false},
         {"fragments, % of all GPUs", "frag_pct", &ArrivalSeries::frag_pct, false}});
}

Script fragment_classes_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace arrivals;
    const std::vector<ArrivalSeries> all = series_of(runs);
    const auto range = range_of(all, choice);
    const std::vector<std::string> names = run_names(runs);
    std::vector<Key> keys;
    for (std::size_t i = 0; i < std::size(classes); ++i) {
        keys.push_back({std::string(classes[i].text), ink::series[i]});
    }
    const double head = place_keys(keys, left, page_width) + 26;
    const double height = runs.size() > 2 ? 110 : panel_height;
    const double step = height + 24;
    Script script(page_width, head + step * static_cast<double>(runs.size()) + 12);
    script.columns({"run", "class", "arrived_pct", "percent"});
    for (const Key& key : keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    script.line("set format y '%g'\nset xtics auto offset 0,0.4\nunset key");
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", range.first, range.second));
    script.line("set yrange [0:100]\nset ytics 25");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double top = head + step * static_cast<double>(i);
        script.place(left, top, page_width - left - 10, height);
        script.title(left,
                     top - 7,
                     runs.size() > 1 ? names[i] + ": % of all GPUs" : "free GPUs, % of all GPUs");
        const bool last = i + 1 == runs.size();
        if (last) {
            script.x_label("GPUs that have arrived, % of the cluster");
        }
        script.line(last ? "set format x '%g'" : "set format x ''");
        script.line("plot " + stacked_classes(script, names[i], all[i], range));
        script.line("unset label");
    }
    return script;
}

}  // namespace berth::report
