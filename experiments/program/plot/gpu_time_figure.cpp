#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace gpu_time {

constexpr double page_width = 504;
constexpr std::string_view beginning = "gpu_time_";

/// The mean share of a cause over the replications; 0 if the run does not have the cause.
double share_of(const RunDirectory& run, const std::string& metric) {
    const auto found = std::ranges::find(run.metrics, metric, &MetricSummary::name);
    return found == run.metrics.end() ? 0 : found->mean.value_or(0);
}

/// The causes with a share in some run, in the order of metrics.md, with allocated time first.
std::vector<std::string> causes_of(const std::vector<RunDirectory>& runs) {
    std::vector<std::string> causes;
    causes.emplace_back("gpu_time_allocated");
    for (const RunDirectory& run : runs) {
        const auto known = std::ranges::find(run.metrics, causes[0], &MetricSummary::name);
        if (known == run.metrics.end()) {
            throw core::InputError(
                fmt::format("{}: error: the run has no GPU time: expected metrics gpu_time_... of "
                            "a cluster with GPUs",
                            run.directory));
        }
        for (const MetricSummary& metric : run.metrics) {
            if (metric.name.starts_with(beginning) && metric.mean.value_or(0) > 0 &&
                std::ranges::find(causes, metric.name) == causes.end()) {
                causes.push_back(metric.name);
            }
        }
    }
    return causes;
}

std::string text_of(std::string_view metric) {
    metric.remove_prefix(beginning.size());
    std::string text(metric);
    std::ranges::replace(text, '_', ' ');
    return text.starts_with("idle ") ? text.substr(5) : text;
}

std::uint32_t colour_of(std::size_t cause) {
    // The same colours as on the page. When all have been used, they repeat in a paler form.
    constexpr std::size_t count = std::size(ink::series);
    const std::uint32_t colour = ink::series[cause % count];
    return cause == 0 ? ink::bar : cause < count ? colour : pale(colour);
}

}  // namespace gpu_time

Script gpu_time_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace gpu_time;
    if (!choice.empty()) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure", choice));
    }
    const std::vector<std::string> causes = causes_of(runs);
    const std::vector<std::string> names = run_names(runs);
    double longest = 0;
    for (const std::string& name : names) {
        longest = std::max(longest, text_width(name));
    }
    const double left = std::min(180.0, 12 + longest);
    std::vector<Key> keys;
    for (std::size_t i = 0; i < causes.size(); ++i) {
        keys.push_back({text_of(causes[i]), colour_of(i)});
    }
    const double top = place_keys(keys, 8, page_width) + 12;
    const double height = 22 * static_cast<double>(runs.size());
    Script script(page_width, top + height + 30);
    script.columns({"run", "cause", "share"});
    for (const Key& key : keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    std::string tics;
    std::vector<double> before(runs.size());
    std::string plot;
    for (std::size_t i = 0; i < causes.size(); ++i) {
        std::vector<std::string> boxes;
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const double share = share_of(runs[run], causes[i]);
            const double y = static_cast<double>(run);
            script.row({names[run], text_of(causes[i]), cell(share)});
            boxes.push_back(fmt::format("{0:.8g} {1} {0:.8g} {2:.8g} {3} {4}",
                                        before[run],
                                        y,
                                        before[run] + share,
                                        y - 0.34,
                                        y + 0.34));
            before[run] += share;
        }
        plot += fmt::format("{}{} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}'",
                            i == 0 ? "plot " : ", ",
                            script.data(boxes),
                            hex(colour_of(i)));
    }
    for (std::size_t run = 0; run < names.size(); ++run) {
        tics += fmt::format("{}{} {}", run == 0 ? "" : ", ", single_quoted(names[run]), run);
    }
    script.place(left, top, page_width - left - 16, height);
    script.line("unset key\nset style fill solid 1 noborder\nset grid xtics linestyle 2");
    script.line(fmt::format("set ytics ({})", tics));
    script.line(fmt::format("set yrange [{}:-0.5]", static_cast<double>(runs.size()) - 0.5));
    script.line(
        "set xrange [0:1]\nset format x '%.0f%%'\n"
        "set xtics ('0%%' 0, '25%%' 0.25, '50%%' 0.5, '75%%' 0.75, '100%%' 1) offset 0,0.4");
    script.line(plot);
    return script;
}

}  // namespace berth::report
