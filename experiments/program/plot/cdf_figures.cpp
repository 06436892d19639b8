#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace cdf {

constexpr double page_width = 360;
constexpr double left = 40;
constexpr double panel_height = 150;
constexpr std::size_t points_max = 600;

/// The tics of a logarithmic time axis.
constexpr std::pair<double, const char*> decades[] = {{1e-6, "1 µs"},
                                                      {1e-3, "1 ms"},
                                                      {0.01, "10 ms"},
                                                      {0.1, "0.1 s"},
                                                      {1, "1 s"},
                                                      {10, "10 s"},
                                                      {60, "1 min"},
                                                      {600, "10 min"},
                                                      {3600, "1 h"},
                                                      {6 * 3600, "6 h"},
                                                      {86400, "1 d"},
                                                      {7 * 86400, "7 d"},
                                                      {30 * 86400, "30 d"},
                                                      {365 * 86400, "1 a"}};

/// A run's curve, and the share of its pods that never started.
struct Curve {
    Cumulative shares;
    double never_started = 0;
};

std::vector<Curve> curves_of(const std::vector<RunDirectory>& runs,
                             std::string_view sample,
                             std::string_view choice) {
    if (!choice.empty()) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure", choice));
    }
    std::vector<Curve> curves;
    for (const RunDirectory& run : runs) {
        const auto found = std::ranges::find(run.pod_samples, sample, &Samples::name);
        if (found == run.pod_samples.end()) {
            throw core::InputError(fmt::format(
                "{}: error: no pod has a {}: expected pods.csv with values of it for this figure",
                run.directory,
                sample));
        }
        curves.push_back({make_cumulative(*found, points_max), found->never_started_share()});
    }
    return curves;
}

/// The ends of the axis: the greatest time, and the least one above zero, if that is not too far
/// away.
std::pair<double, double> range_of(const std::vector<Curve>& curves) {
    double most = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [curve, never_started] : curves) {
        most = std::max(most, curve.value.back());
        const auto positive = std::ranges::upper_bound(curve.value, 0.0);
        least = positive == curve.value.end() ? least : std::min(least, *positive);
    }
    if (!(most > 0)) {
        return {0.1, 1};  // no pod waited: one line at the top
    }
    least = std::max(least, most / 1e7);
    return {least < most ? least : most / 10, most};
}

Script draw(const std::vector<RunDirectory>& runs,
            const std::vector<Curve>& curves,
            std::string_view sample,
            std::string_view title) {
    const std::vector<std::string> names = run_names(runs);
    std::vector<Key> keys;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double never = curves[i].never_started;
        keys.push_back(
            {never > 0
                 ? fmt::format("{}: {} never started", names[i], value_text("share", never).value)
                 : names[i],
             ink::series[i % std::size(ink::series)]});
    }
    const double top = place_keys(keys, left, page_width) + 12;
    Script script(page_width, top + panel_height + 32);
    script.columns({"run", std::string(sample), "share"});
    for (const Key& key : keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    const auto [least, most] = range_of(curves);
    std::string tics;
    for (const auto& [time_s, text] : decades) {
        if (time_s >= least && time_s <= most) {
            tics += fmt::format("{}'{}' {:.8g}", tics.empty() ? "" : ", ", text, time_s);
        }
    }
    script.place(left, top, page_width - left - 12, panel_height);
    script.line("unset key\nset grid xtics ytics linestyle 2\nset logscale x");
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", least, most));
    script.line(tics.empty() ? "set format x '%g'"
                             : fmt::format("set xtics ({}) offset 0,0.4", tics));
    script.line(
        "set yrange [0:1]\nset format y '%.0f%%'\n"
        "set ytics ('0%%' 0, '25%%' 0.25, '50%%' 0.5, '75%%' 0.75, '100%%' 1)");
    script.x_label(title);
    std::string plot;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const Cumulative& curve = curves[i].shares;
        std::vector<std::string> rows;
        double share = 0;
        for (std::size_t k = 0; k < curve.value.size(); ++k) {
            script.row({names[i], cell(curve.value[k]), cell(curve.share[k])});
            if (curve.value[k] >= least) {
                rows.push_back(fmt::format("{:.8g} {:.8g}", curve.value[k], curve.share[k]));
            } else {
                share = curve.share[k];
            }
        }
        rows.insert(rows.begin(), fmt::format("{:.8g} {:.8g}", least, share));
        if (curve.share.back() == 1) {
            rows.push_back(fmt::format("{:.8g} 1", most));
        }
        plot +=
            fmt::format("{}{} using 1:2 with steps linecolor rgb '{}' linewidth 1.3 dashtype {}",
                        i == 0 ? "plot " : ", ",
                        script.data(rows),
                        hex(ink::series[i % std::size(ink::series)]),
                        1 + i / std::size(ink::series) % 3);
    }
    script.line(plot);
    return script;
}

}  // namespace cdf

Script jct_cdf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace cdf;
    return draw(runs, curves_of(runs, "jct_s", choice), "jct_s", "completion time");
}

Script wait_cdf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace cdf;
    return draw(runs, curves_of(runs, "wait_s", choice), "wait_s", "wait");
}

}  // namespace berth::report
