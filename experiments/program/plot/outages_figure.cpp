#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/outage_strip.hpp"

namespace berth::report {
namespace outages {

constexpr double page_width = 504;
constexpr double left = 70;
constexpr StripSize strip_size{48, 300};
constexpr double nothing = 5e-7;  ///< A smaller part of a slice is not drawn.

OutageStrip strip_of(const RunDirectory& run) {
    const auto end_s = std::ranges::find(run.replication_samples, "end_s", &Samples::name);
    if (run.failures && run.cluster && end_s != run.replication_samples.end()) {
        if (auto strip =
                outage_strip(*run.cluster, *run.failures, end_s->values.front(), strip_size)) {
            return std::move(*strip);
        }
    }
    throw core::InputError(
        fmt::format("{}: error: the run has no outages over time: expected failures.csv, mttf.csv, "
                    "nodes.csv and an end above 0 s",
                    run.directory));
}

double panel_height(const OutageStrip& strip) {
    constexpr double lowest = 24;
    constexpr double row_height = 9;
    return std::max(lowest, row_height * static_cast<double>(strip.rows.size()));
}

/// A period in which the same part of a row was out.
struct Box {
    double from_s = 0;
    double to_s = 0;
    double out = 0;
};

/// Joins adjacent slices of a row with the same part out.
std::vector<Box> boxes_of(const OutageStrip& strip, std::size_t row) {
    std::vector<Box> boxes;
    const double slice_s = strip.end_s / static_cast<double>(strip_size.slices);
    for (std::size_t slice = 0; slice < strip_size.slices; ++slice) {
        const double out = strip.out[row][slice];
        const double from_s = static_cast<double>(slice) * slice_s;
        if (out <= nothing) {
            continue;
        }
        if (!boxes.empty() && boxes.back().to_s == from_s &&
            std::abs(boxes.back().out - out) < nothing) {
            boxes.back().to_s = static_cast<double>(slice + 1) * slice_s;
        } else {
            boxes.push_back({from_s, static_cast<double>(slice + 1) * slice_s, out});
        }
    }
    return boxes;
}

std::vector<std::string> boxes_of(const OutageStrip& strip,
                                  double unit,
                                  const std::string& name,
                                  Script& script) {
    std::vector<std::string> boxes;
    for (std::size_t row = 0; row < strip.rows.size(); ++row) {
        for (const Box& box : boxes_of(strip, row)) {
            script.row({name,
                        strip.rows[row],
                        cell(box.from_s),
                        cell(box.to_s),
                        cell(box.out),
                        "",
                        "",
                        ""});
            const auto y = static_cast<double>(row);
            boxes.push_back(fmt::format("{0:.8g} {1} {0:.8g} {2:.8g} {3} {4} {5}",
                                        box.from_s / unit,
                                        y,
                                        box.to_s / unit,
                                        y - 0.42,
                                        y + 0.42,
                                        ramp(0.15 + 0.85 * std::min(box.out, 1.0))));
        }
    }
    return boxes;
}

std::vector<std::string> hits_of(const OutageStrip& strip,
                                 const Failures& failures,
                                 double unit,
                                 const std::string& name,
                                 Script& script) {
    std::vector<std::string> marks;
    for (const OutageStrip::Hit& hit : strip.hits) {
        const OutageRow& outage = failures.outages[hit.outage];
        script.row({name,
                    strip.rows[hit.row],
                    cell(outage.from_s),
                    "",
                    "",
                    outage.component,
                    outage.cause,
                    std::to_string(outage.jobs)});
        marks.push_back(fmt::format("{:.8g} {}", outage.from_s / unit, hit.row));
    }
    return marks;
}

/// The names of the rows, as many as there is room for.
std::string row_tics(const OutageStrip& strip) {
    const std::vector<std::string> names = short_names(strip.rows);
    std::string tics;
    for (std::size_t row = 0; row < names.size(); ++row) {
        tics += fmt::format("{}{} {}", row == 0 ? "" : ", ", single_quoted(names[row]), row);
    }
    return tics;
}

void panel(const RunDirectory& run,
           const std::string& name,
           const OutageStrip& strip,
           double top,
           Script& script) {
    const auto [unit, unit_s] = time_unit(strip.end_s);
    const std::vector<std::string> boxes = boxes_of(strip, unit_s, name, script);
    const std::vector<std::string> hits = hits_of(strip, *run.failures, unit_s, name, script);
    script.title(left,
                 top - 8,
                 fmt::format("{}: by {}{}",
                             name,
                             strip.level,
                             strip.left_out == 0
                                 ? ""
                                 : fmt::format(", without {} that were out less", strip.left_out)));
    script.place(left, top, page_width - left - 16, panel_height(strip));
    script.line("unset key\nset style fill solid 1 noborder\nset grid xtics linestyle 2");
    script.line(fmt::format("set ytics ({})", row_tics(strip)));
    script.line(fmt::format("set yrange [{}:-0.5]", static_cast<double>(strip.rows.size()) - 0.5));
    script.line(fmt::format("set xrange [0:{:.8g}]", strip.end_s / unit_s));
    script.line("set xtics offset 0,0.4");
    script.x_label(fmt::format("time ({})", unit));
    std::vector<std::string> plots{"NaN notitle"};
    if (!boxes.empty()) {
        plots.push_back(fmt::format("{} using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable",
                                    script.data(boxes)));
    }
    if (!hits.empty()) {
        plots.push_back(
            fmt::format("{} using 1:2 with points pointtype 11 pointsize 0.45 linecolor rgb '{}'",
                        script.data(hits),
                        hex(ink::group)));
    }
    script.line(fmt::format("plot {}", fmt::join(plots, ", ")));
}

}  // namespace outages

Script outages_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace outages;
    if (!choice.empty()) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure", choice));
    }
    constexpr double above = 40;
    constexpr double below = 46;
    const std::vector<std::string> names = run_names(runs);
    std::vector<OutageStrip> strips;
    std::vector<double> tops;
    double height = above;
    for (const RunDirectory& run : runs) {
        strips.push_back(strip_of(run));
        tops.push_back(height);
        height += panel_height(strips.back()) + below;
    }
    Script script(page_width, height - 10);
    script.columns({"run", "row", "from_s", "to_s", "out", "component", "cause", "jobs"});
    double x = script.key(left, 10, ramp(0.3), "some servers out");
    x = script.key(x, 10, ramp(1), "all out");
    script.label(x, 10, "▼", fmt::format("left textcolor rgb '{}'", hex(ink::group)));
    script.label(
        x + 9, 10, "took places of jobs", fmt::format("left textcolor rgb '{}'", hex(ink::muted)));
    for (std::size_t run = 0; run < runs.size(); ++run) {
        panel(runs[run], names[run], strips[run], tops[run], script);
        script.line("unset label");
    }
    return script;
}

}  // namespace berth::report
