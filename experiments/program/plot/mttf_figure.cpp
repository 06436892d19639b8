#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/support/rounded_math.hpp"
#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace mttf {

constexpr double page_width = 360;
constexpr double left = 48;
constexpr double panel_height = 170;

constexpr double shift_of_next = 1.07;

/// A round time, with the text of its tic.
struct Tic {
    double time_s = 0;
    const char* text = "";
};
constexpr Tic tics[] = {{1e-3, "1 ms"},
                        {1, "1 s"},
                        {10, "10 s"},
                        {60, "1 min"},
                        {600, "10 min"},
                        {3600, "1 h"},
                        {6 * 3600, "6 h"},
                        {86400, "1 d"},
                        {3 * 86400, "3 d"},
                        {7 * 86400, "7 d"},
                        {30 * 86400, "30 d"},
                        {365 * 86400.0, "1 a"},
                        {10 * 365 * 86400.0, "10 a"},
                        {100 * 365 * 86400.0, "100 a"}};

/// The sizes of a run that can be drawn on a logarithmic axis.
std::vector<SizeFailures> sizes_of(const RunDirectory& run) {
    if (!run.failures) {
        throw core::InputError(
            fmt::format("{}: error: the run has no mttf.csv: expected a run in which something "
                        "fails by chance or as a file says",
                        run.directory));
    }
    std::vector<SizeFailures> sizes = run.failures->sizes;
    std::erase_if(sizes, [](const SizeFailures& size) { return size.size_max == 0; });
    if (sizes.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: no job of a GPU ran: expected rows of such in mttf.csv", run.directory));
    }
    return sizes;
}

/// The range that the axes must show.
struct Range {
    double size_min = std::numeric_limits<double>::infinity();
    double size_max = 0;
    double time_min = std::numeric_limits<double>::infinity();
    double time_max = 0;

    void add(double size, double time_s) {
        size_min = std::min(size_min, size);
        size_max = std::max(size_max, size);
        time_min = std::min(time_min, time_s);
        time_max = std::max(time_max, time_s);
    }
};

/// The marks of one run, as rows of gnuplot's data.
struct Marks {
    std::vector<std::string> means;       ///< size, mean, low, high
    std::vector<std::string> at_least;    ///< size, low: for sizes without an interruption
    std::vector<std::string> projection;  ///< size, time
};

/// The marks of one run. Their x positions are `shift` times their sizes, so that the marks of
/// several runs are side by side.
Marks marks_of(
    const RunDirectory& run, const std::string& name, double shift, Range& range, Script& script) {
    Marks marks;
    for (const SizeFailures& size : sizes_of(run)) {
        const TimeToFailure time = size.time();
        const double x = size.mean_size();
        const auto projected = run.failures->projected_s(x);
        script.row({name,
                    run.failures->size_of,
                    std::to_string(size.size_min),
                    std::to_string(size.size_max),
                    cell(x),
                    std::to_string(size.jobs),
                    std::to_string(size.interruptions),
                    cell(size.running_s),
                    time.mean_s ? cell(*time.mean_s) : "",
                    cell(time.low_s),
                    time.high_s ? cell(*time.high_s) : "",
                    projected ? cell(*projected) : ""});
        range.add(x, time.low_s);
        if (time.mean_s) {
            range.add(x, *time.high_s);
            marks.means.push_back(fmt::format(
                "{:.8g} {:.8g} {:.8g} {:.8g}", x * shift, *time.mean_s, time.low_s, *time.high_s));
        } else {
            marks.at_least.push_back(fmt::format("{:.8g} {:.8g}", x * shift, time.low_s));
        }
        if (projected) {
            range.add(x, *projected);
            marks.projection.push_back(fmt::format("{:.8g} {:.8g}", x, *projected));
        }
    }
    return marks;
}

std::string time_tics(double least, double most) {
    std::string out;
    for (const Tic& tic : tics) {
        if (tic.time_s >= least && tic.time_s <= most) {
            out += fmt::format("{}'{}' {:.8g}", out.empty() ? "" : ", ", tic.text, tic.time_s);
        }
    }
    return out;
}

void axes(const Range& range, const std::string& size_of, Script& script) {
    constexpr double wider = 1.4;
    constexpr double higher = 1.5;
    const double least = range.time_min / higher;
    const double most = range.time_max * higher;
    script.line("unset key\nset grid xtics ytics linestyle 2\nset logscale x 2\nset logscale y");
    script.line(
        fmt::format("set xrange [{:.8g}:{:.8g}]", range.size_min / wider, range.size_max * wider));
    script.line(fmt::format("set yrange [{:.8g}:{:.8g}]", least, most));
    script.line("set format x '%.0f'\nset xtics 2 offset 0,0.4\nunset mxtics\nunset mytics");
    const std::string times = time_tics(least, most);
    script.line(times.empty() ? "set format y '%g s'" : fmt::format("set ytics ({})", times));
    script.x_label(size_of == "pods" ? "pods of a job" : "GPUs of a job");
}

std::string plot_of(const Marks& marks, std::uint32_t colour, Script& script) {
    std::vector<std::string> parts;
    const std::string ink = hex(colour);
    if (!marks.projection.empty()) {
        parts.push_back(
            fmt::format("{} using 1:2 with lines linecolor rgb '{}' linewidth 1 dashtype 2",
                        script.data(marks.projection),
                        ink));
    }
    if (!marks.means.empty()) {
        parts.push_back(fmt::format(
            "{} using 1:2:3:4 with yerrorbars linecolor rgb '{}' linewidth 1.3 pointtype 7 "
            "pointsize 0.4",
            script.data(marks.means),
            ink));
    }
    if (!marks.at_least.empty()) {
        parts.push_back(
            fmt::format("{} using 1:2 with points linecolor rgb '{}' pointtype 8 pointsize 0.6",
                        script.data(marks.at_least),
                        ink));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace mttf

Script mttf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace mttf;
    if (!choice.empty()) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure", choice));
    }
    const std::vector<std::string> names = run_names(runs);
    std::vector<Key> keys;
    for (std::size_t run = 0; run < names.size(); ++run) {
        keys.push_back({names[run], ink::series[run % std::size(ink::series)]});
    }
    const double top = place_keys(keys, left, page_width) + 24;
    Script script(page_width, top + panel_height + 32);
    script.columns({"run",
                    "size_of",
                    "size_min",
                    "size_max",
                    "size_mean",
                    "jobs",
                    "interruptions",
                    "running_s",
                    "mttf_s",
                    "mttf_low_s",
                    "mttf_high_s",
                    "projected_s"});
    for (const Key& key : keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    script.label(left,
                 top - 10,
                 "with the 90 % interval; △: at least; dashed: 1 / (N r), by the size alone",
                 fmt::format("left textcolor rgb '{}'", hex(ink::muted)));
    Range range;
    std::vector<std::string> plots;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const double off_middle =
            static_cast<double>(run) - static_cast<double>(runs.size() - 1) / 2;
        const Marks marks = marks_of(
            runs[run], names[run], core::rounded_pow(shift_of_next, off_middle), range, script);
        plots.push_back(plot_of(marks, keys[run].colour, script));
    }
    script.place(left, top, page_width - left - 12, panel_height);
    axes(range, runs.front().failures->size_of, script);
    script.line(fmt::format("plot {}", fmt::join(plots, ", ")));
    return script;
}

}  // namespace berth::report
