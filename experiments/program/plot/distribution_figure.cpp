#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace distribution {

constexpr double page_width = 360;  // five inches
constexpr double left = 40;
constexpr double right = 10;

bool varies(const Samples& samples) {
    const auto [least, greatest] = std::ranges::minmax(samples.values);
    return least < greatest;
}

/// Finds samples by `name`, or by `group:name` and the like if several files have the name. Without
/// such a prefix, samples that vary are preferred to those that do not.
const Samples* find_samples(const RunDirectory& run, std::string_view name) {
    const Samples* constant = nullptr;
    if (is_of_quota(name)) {
        const auto found = std::ranges::find(run.quota_samples, name, &Samples::name);
        return found == run.quota_samples.end() ? nullptr : &*found;
    }
    const std::pair<std::string_view, const std::vector<Samples>*> places[] = {
        {"group:", &run.group_samples},
        {"replication:", &run.replication_samples},
        {"pod:", &run.pod_samples}};
    for (const auto& [of, all] : places) {
        if (name.starts_with(of)) {
            const auto found = std::ranges::find(*all, name.substr(of.size()), &Samples::name);
            return found == all->end() ? nullptr : &*found;
        }
        const auto found = std::ranges::find(*all, name, &Samples::name);
        if (found != all->end() && varies(*found)) {
            return &*found;
        }
        if (found != all->end() && constant == nullptr) {
            constant = &*found;
        }
    }
    return constant;
}

/// The servers that groups use if that varies, or else the first metric that varies, or else the
/// first metric.
std::string usual_metric(const RunDirectory& run) {
    if (run.cluster) {
        const Samples* used = find_samples(run, run.cluster->leaf + "_used");
        if (used != nullptr && varies(*used)) {
            return used->name;
        }
    }
    std::string first;
    for (const auto* all : {&run.group_samples, &run.replication_samples, &run.pod_samples}) {
        for (const Samples& samples : *all) {
            if (varies(samples)) {
                return samples.name;
            }
            first = first.empty() ? samples.name : first;
        }
    }
    return first;
}

/// Checks that a metric varies.
/// Errors: core::InputError if it has the same value in all runs, since its distribution would show
///         nothing. The message names a metric that varies.
void check_varies(const std::vector<RunDirectory>& runs,
                  const std::string& name,
                  const std::vector<const Samples*>& samples) {
    const double first = samples.front()->values.front();
    const bool same = std::ranges::all_of(
        samples, [&](const Samples* one) { return !varies(*one) && one->values.front() == first; });
    if (!same) {
        return;
    }
    const auto& known = runs.front().replication_samples;
    const auto other = std::ranges::find_if(known, varies);
    throw core::InputError(
        fmt::format("{}: error: '{}' is {:.6g} everywhere: expected a metric that varies{}",
                    runs.front().directory,
                    name,
                    first,
                    other == known.end() ? "" : fmt::format(", such as '{}'", other->name)));
}

/// The samples of every run with this name. If there are none, throws an InputError that lists the
/// names.
std::vector<const Samples*> samples_of(const std::vector<RunDirectory>& runs,
                                       const std::string& name) {
    std::vector<const Samples*> out;
    for (const RunDirectory& run : runs) {
        out.push_back(find_samples(run, name));
        if (out.back() == nullptr) {
            std::vector<std::string> known;
            for (const auto* all :
                 {&run.replication_samples, &run.group_samples, &run.pod_samples}) {
                std::ranges::transform(*all, std::back_inserter(known), &Samples::name);
            }
            if (known.empty()) {
                throw core::InputError(fmt::format(
                    "{}: error: the run has no samples: expected replications.csv or groups.csv",
                    run.directory));
            }
            throw core::InputError(fmt::format("{}: error: unknown metric '{}'{}: expected {}",
                                               run.directory,
                                               name,
                                               core::suggestion(name, known),
                                               core::join(known, ", ")));
        }
    }
    return out;
}

/// Describes samples, with an interval if they have one value for each replication.
Distribution described(const RunDirectory& run, const Samples* samples) {
    for (const auto* all : {&run.replication_samples, &run.quota_samples}) {
        for (const Samples& one : *all) {
            if (&one == samples) {
                return describe_replications(one);
            }
        }
    }
    return describe(*samples);
}

void draw_histogram(Script& script, const Distribution& d, double top, double height) {
    const Histogram& h = d.histogram;
    const double shift = h.whole ? 0.5 : 0;
    std::vector<std::string> bars;
    const double inset = h.width * (h.whole ? 0.1 : 0.02);
    std::size_t most = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
        const double from = h.from + static_cast<double>(i) * h.width - shift;
        bars.push_back(fmt::format("{:.8g} 0 {:.8g} {:.8g} 0 {}",
                                   from + h.width / 2,
                                   from + inset,
                                   from + h.width - inset,
                                   h.counts[i]));
        most = std::max(most, h.counts[i]);
    }
    const double peak = static_cast<double>(most);
    const double ci95 = d.ci95.value_or(0);
    const std::vector<std::string> interval{fmt::format(
        "{:.8g} {:.8g} {:.8g} {:.8g}", d.mean, peak * 1.13, d.mean - ci95, d.mean + ci95)};
    const std::vector<std::string> mean{fmt::format("{:.8g} 0", d.mean),
                                        fmt::format("{:.8g} {:.8g}", d.mean, peak * 1.13)};
    script.place(left, top, page_width - left - right, height);
    script.line(fmt::format(
        "set yrange [0:{:.8g}]\nset ytics {}", peak * 1.2, std::max(tic_step(peak), 1.0)));
    script.line(
        fmt::format("plot {} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}', "
                    "{} using 1:2 with lines linecolor rgb '{}' linewidth 0.8, "
                    "{} using 1:2:3:4 with xerrorbars linecolor rgb '{}' linewidth 1.6 pointtype 7 "
                    "pointsize 0.45",
                    script.data(bars),
                    hex(ink::bar),
                    script.data(mean),
                    hex(ink::group),
                    script.data(interval),
                    hex(ink::group)));
}

/// Adds the table of a comparison.
void add_rows(Script& script,
              const std::string& metric,
              const std::vector<std::string>& names,
              const std::vector<Distribution>& distributions) {
    script.columns({"run",
                    "metric",
                    "n",
                    "mean",
                    "ci95",
                    "sd",
                    "min",
                    "lower_quartile",
                    "median",
                    "upper_quartile",
                    "max"});
    for (std::size_t i = 0; i < distributions.size(); ++i) {
        const Distribution& d = distributions[i];
        std::vector<std::string> cells{names[i], metric, fmt::format("{}", d.count)};
        cells.push_back(cell(d.mean));
        cells.push_back(d.ci95 ? cell(*d.ci95) : "");
        for (const double value :
             {d.sd, d.min, d.lower_quartile, d.median, d.upper_quartile, d.max}) {
            cells.push_back(cell(value));
        }
        script.row(cells);
    }
}

}  // namespace distribution

Script distribution_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace distribution;
    const std::string name = choice.empty() ? usual_metric(runs.front()) : std::string(choice);
    std::vector<Distribution> distributions;
    double low = 0;
    double high = 0;
    bool whole = true;
    const std::vector<const Samples*> samples = samples_of(runs, name);
    if (!choice.empty()) {
        check_varies(runs, name, samples);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Distribution d = described(runs[i], samples[i]);
        const double shift = d.histogram.whole ? 0.5 : 0;
        const double from = d.histogram.from - shift;
        const double to = from + static_cast<double>(d.histogram.counts.size()) * d.histogram.width;
        low = distributions.empty() ? from : std::min(low, from);
        high = distributions.empty() ? to : std::max(high, to);
        whole = whole && d.histogram.whole;
        distributions.push_back(std::move(d));
    }
    const double panel = runs.size() == 1 ? 130 : 70;
    const double step = panel + 24;
    Script script(page_width, 20 + step * static_cast<double>(runs.size()) + 20);
    script.line("set style fill solid 1 noborder\nunset key\nset grid ytics linestyle 2");
    script.columns({"run", "metric", "from", "to", "count"});
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", low, high));
    const double step_x = std::max(tic_step(high - low), whole ? 1.0 : 0.0);
    script.line(fmt::format("set xtics {} offset 0,0.4\nset format y '%.0f'", step_x));
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t i = 0; i < distributions.size(); ++i) {
        const Distribution& d = distributions[i];
        const double top = 20 + step * static_cast<double>(i);
        script.title(
            left,
            top - 8,
            fmt::format("{}: mean {}, n = {}", names[i], with_interval(d.mean, d.ci95), d.count));
        script.line("set format x ''");
        if (i + 1 == distributions.size()) {
            script.line("set format x '%g'");
            script.x_label(with_unit(name));
        }
        draw_histogram(script, d, top, panel);
        const Histogram& h = d.histogram;
        for (std::size_t k = 0; k < h.counts.size(); ++k) {
            const double from = h.from + static_cast<double>(k) * h.width;
            script.row({names[i],
                        name,
                        cell(from),
                        cell(h.whole ? from : from + h.width),
                        fmt::format("{}", h.counts[k])});
        }
        script.line("unset label");
    }
    return script;
}

Script comparison_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace distribution;
    const std::string name = choice.empty() ? usual_metric(runs.front()) : std::string(choice);
    const std::vector<const Samples*> samples = samples_of(runs, name);
    if (!choice.empty()) {
        check_varies(runs, name, samples);
    }
    const std::vector<std::string> names = run_names(runs);
    double longest = 0;
    double low = 0;
    double high = 0;
    std::vector<std::string> boxes;
    std::vector<std::string> whiskers;
    std::vector<std::string> medians;
    std::vector<std::string> means;
    std::vector<std::string> labels;
    std::vector<Distribution> distributions;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        distributions.push_back(described(runs[i], samples[i]));
        const Distribution& d = distributions.back();
        const double ci95 = d.ci95.value_or(0);
        const double y = static_cast<double>(i);
        boxes.push_back(fmt::format("{:.8g} {} {:.8g} {:.8g} {} {}",
                                    d.median,
                                    y,
                                    d.lower_quartile,
                                    d.upper_quartile,
                                    y - 0.22,
                                    y + 0.22));
        low = i == 0 ? d.min : std::min(low, d.min);
        high = i == 0 ? d.max : std::max(high, d.max);
        whiskers.push_back(fmt::format("{:.8g} {} {:.8g} 0", d.min, y, d.max - d.min));
        medians.push_back(fmt::format("{:.8g} {} 0 0.44", d.median, y - 0.22));
        means.push_back(
            fmt::format("{:.8g} {} {:.8g} {:.8g}", d.mean, y, d.mean - ci95, d.mean + ci95));
        labels.push_back(
            fmt::format("{:.8g} {} \"{}\"", d.mean, y - 0.36, with_interval(d.mean, d.ci95)));
        longest = std::max(longest, text_width(names[i]));
    }
    const double wide = std::min(180.0, 14 + longest);
    const double height = 30 * static_cast<double>(runs.size());
    Script script(page_width, height + 44);
    add_rows(script, name, names, distributions);
    std::string tics;
    for (std::size_t i = 0; i < names.size(); ++i) {
        tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", single_quoted(names[i]), i);
    }
    script.place(wide, 8, page_width - wide - 20, height);
    script.line("unset key\nset grid xtics linestyle 2\nset style fill solid 1 border");
    script.line(fmt::format("set ytics ({})\nset format x '%g'", tics));
    script.line(fmt::format("set yrange [{}:-0.6]", static_cast<double>(runs.size()) - 0.5));
    // room for the texts beside the ends
    const double margin = high > low ? (high - low) * 0.08 : 1;
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]\nset xtics {} offset 0,0.4",
                            low - margin,
                            high + margin,
                            tic_step(high - low)));
    script.x_label(with_unit(name));
    const std::string muted = hex(ink::muted);
    script.line(fmt::format(
        "plot {} using 1:2:3:4 with vectors nohead linecolor rgb '{}' linewidth 1, "
        "{} using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '{}' linecolor rgb '{}' linewidth 0.8, "
        "{} using 1:2:3:4 with vectors nohead linecolor rgb '{}' linewidth 2, "
        "{} using 1:2:3:4 with xerrorbars linecolor rgb '{}' linewidth 1.8 pointtype 7 pointsize "
        "0.5, "
        "{} using 1:2:3 with labels center font 'sans-serif,7' textcolor rgb '{}'",
        script.data(whiskers),
        muted,
        script.data(boxes),
        hex(ink::idle),
        muted,
        script.data(medians),
        muted,
        script.data(means),
        hex(ink::group),
        script.data(labels),
        hex(ink::text)));
    return script;
}

}  // namespace berth::report
