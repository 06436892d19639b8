#include "experiments/program/results/sweep_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/support/source.hpp"
#include "core/support/text.hpp"

namespace berth::report {
namespace {

constexpr std::size_t names_shown_max = 12;

/// The place of a name among `names`. `what` is the option, for messages.
std::size_t find_name(const std::string& wanted,
                      const std::vector<std::string>& names,
                      const std::string& what,
                      const std::string& kind) {
    const auto found = std::ranges::find(names, wanted);
    if (found != names.end()) {
        return static_cast<std::size_t>(found - names.begin());
    }
    const std::size_t shown = std::min(names.size(), names_shown_max);
    throw core::InputError(fmt::format("{}: error: unknown {} '{}'{}: expected {}{}",
                                       what,
                                       kind,
                                       wanted,
                                       core::suggestion(wanted, names),
                                       core::join(std::span(names).first(shown), ", "),
                                       shown < names.size() ? ", ..." : ""));
}

std::vector<std::string> axis_names(const SweepDirectory& sweep) {
    std::vector<std::string> names;
    std::ranges::transform(sweep.axes, std::back_inserter(names), &SweepAxis::name);
    return names;
}

/// Whether a value of one of the axes determines that of the other, as with zipped axes.
bool go_together(const SweepDirectory& sweep, std::size_t a, std::size_t b) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const std::vector<std::size_t>& point : sweep.points) {
        pairs.emplace(point[a], point[b]);
    }
    return pairs.size() <= std::max(sweep.axes[a].values.size(), sweep.axes[b].values.size());
}

std::size_t default_x(const SweepDirectory& sweep) {
    const auto varies = [](const SweepAxis& axis) { return axis.values.size() > 1; };
    auto found = std::ranges::find_if(
        sweep.axes, [&](const SweepAxis& axis) { return axis.numeric() && varies(axis); });
    if (found == sweep.axes.end()) {
        found = std::ranges::find_if(sweep.axes, varies);
    }
    return found == sweep.axes.end() ? 0 : static_cast<std::size_t>(found - sweep.axes.begin());
}

/// The next axis to draw: the first one with few values, or else the first one.
std::optional<std::size_t> next_axis(const SweepDirectory& sweep,
                                     const std::vector<std::size_t>& taken) {
    constexpr std::size_t few = 12;
    std::optional<std::size_t> large;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const std::size_t values = sweep.axes[a].values.size();
        const bool free = std::ranges::none_of(
            taken, [&](std::size_t b) { return a == b || go_together(sweep, a, b); });
        if (free && values > 1 && values <= few) {
            return a;
        }
        if (free && values > few && !large) {
            large = a;
        }
    }
    return large;
}

/// Whether a metric differs, for the same seed, between points that are equal in the axes `kept`.
bool changes(const SweepDirectory& sweep,
             const SweepMetric& metric,
             const std::vector<std::size_t>& kept) {
    const std::size_t count = sweep.replications.size();
    std::map<std::vector<std::size_t>, std::vector<double>> first;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        std::vector<std::size_t> place;
        for (const std::size_t axis : kept) {
            place.push_back(sweep.points[p][axis]);
        }
        const auto begin = metric.values.begin() + static_cast<std::ptrdiff_t>(p * count);
        const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(count));
        const auto [at, added] = first.try_emplace(place, values);
        for (std::size_t r = 0; r < count && !added; ++r) {
            if (!std::isnan(values[r]) && !std::isnan(at->second[r]) &&
                values[r] != at->second[r]) {
                return true;
            }
        }
    }
    return false;
}

/// The first metric that changes along x while the other axes are fixed, or else the first that
/// changes at all.
std::size_t default_metric(const SweepDirectory& sweep, std::size_t x) {
    std::vector<std::size_t> others;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        if (a != x && !go_together(sweep, a, x)) {
            others.push_back(a);
        }
    }
    for (const std::vector<std::size_t>& kept : {others, std::vector<std::size_t>()}) {
        const auto found = std::ranges::find_if(
            sweep.metrics, [&](const SweepMetric& metric) { return changes(sweep, metric, kept); });
        if (found != sweep.metrics.end()) {
            return static_cast<std::size_t>(found - sweep.metrics.begin());
        }
    }
    return 0;
}

/// The axis in a text AXIS=VALUE.
std::size_t where_axis(const std::vector<std::string>& names, const std::string& text) {
    if (text.find('=') == std::string::npos) {
        throw core::InputError(
            fmt::format("--where: error: '{}' has no '=': expected AXIS=VALUE", text));
    }
    return find_name(text.substr(0, text.find('=')), names, "--where", "axis");
}

void take_where(const SweepDirectory& sweep,
                const std::vector<std::string>& names,
                const std::string& text,
                SweepChoice& choice) {
    const auto [axis, value] = axis_value(sweep, text);
    choice.where[axis] = value;
    for (const std::optional<std::size_t> used : {std::optional(choice.x), choice.by}) {
        if (used == axis) {
            throw core::InputError(
                fmt::format("--where: error: axis '{}' is drawn: expected one of the others, or "
                            "another --x or --by",
                            names[axis]));
        }
    }
}

/// The axis of an option: nothing for `none`; `fallback` if the option is not given.
std::optional<std::size_t> axis_option(const std::optional<std::string>& option,
                                       const std::vector<std::string>& names,
                                       const std::string& what,
                                       std::optional<std::size_t> fallback) {
    if (!option) {
        return fallback;
    }
    if (*option == "none") {
        return std::nullopt;
    }
    return find_name(*option, names, what, "axis");
}

void refuse_axis_twice(const std::vector<std::string>& names, const SweepChoice& choice) {
    for (const auto& [a, b, what] : {std::tuple(choice.by, std::optional(choice.x), "--by"),
                                     std::tuple(choice.panel, std::optional(choice.x), "--panel"),
                                     std::tuple(choice.panel, choice.by, "--panel")}) {
        if (a && a == b) {
            throw core::InputError(
                fmt::format("{}: error: axis '{}' is used twice: expected another axis, or none",
                            what,
                            names[*a]));
        }
    }
}

/// One value for each replication, averaged over the points of a cell. Also counts the points that
/// have values.
std::vector<double> averages(const SweepDirectory& sweep,
                             const SweepMetric& metric,
                             const std::vector<std::size_t>& points,
                             std::size_t& points_with_values) {
    const std::size_t count = sweep.replications.size();
    std::vector<std::size_t> known;
    for (const std::size_t p : points) {
        const auto begin = metric.values.begin() + static_cast<std::ptrdiff_t>(p * count);
        if (!std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count), [](double v) {
                return std::isnan(v);
            })) {
            known.push_back(p);
        }
    }
    points_with_values = known.size();
    std::vector<double> out;
    for (std::size_t r = 0; r < count; ++r) {
        double sum = 0;
        for (const std::size_t p : known) {
            sum += metric.values[p * count + r];
        }
        if (!known.empty() && !std::isnan(sum)) {
            out.push_back(sum / static_cast<double>(known.size()));
        }
    }
    return out;
}

/// Drops all values of an axis but these. Returns for each old place the new one, if any.
std::vector<std::optional<std::size_t>> keep_values(SweepAxis& axis,
                                                    const std::set<std::size_t>& kept) {
    std::vector<std::optional<std::size_t>> place(axis.values.size());
    SweepAxis narrowed{axis.name, {}, {}};  // a figure does not need what the values set
    for (const std::size_t value : kept) {
        place[value] = narrowed.values.size();
        narrowed.values.push_back(std::move(axis.values[value]));
        if (axis.numeric()) {
            narrowed.numbers.push_back(axis.numbers[value]);
        }
    }
    axis = std::move(narrowed);
    return place;
}

void copy_point(const SweepDirectory& from, std::size_t point, SweepDirectory& to) {
    to.keys.push_back(from.keys[point]);
    to.finished.push_back(from.finished[point]);
    const std::size_t count = from.replications.size();
    for (std::size_t m = 0; m < from.metrics.size(); ++m) {
        const auto begin =
            from.metrics[m].values.begin() + static_cast<std::ptrdiff_t>(point * count);
        to.metrics[m].values.insert(
            to.metrics[m].values.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
}

void keep_axis_values(SweepDirectory& sweep, std::size_t axis, const std::set<std::size_t>& kept) {
    const auto place = keep_values(sweep.axes[axis], kept);
    const SweepDirectory before = sweep;
    sweep.points.clear();
    sweep.keys.clear();
    sweep.finished.clear();
    sweep.exceptions.clear();  // no figure of berth plot uses them
    for (SweepMetric& metric : sweep.metrics) {
        metric.values.clear();
    }
    for (std::size_t point = 0; point < before.points.size(); ++point) {
        const auto now = place[before.points[point][axis]];
        if (now) {
            sweep.points.push_back(before.points[point]);
            sweep.points.back()[axis] = *now;
            copy_point(before, point, sweep);
        }
    }
}

}  // namespace

AxisValue axis_value(const SweepDirectory& sweep, const std::string& text) {
    const std::vector<std::string> names = axis_names(sweep);
    const std::size_t axis = where_axis(names, text);
    return {axis,
            find_name(text.substr(text.find('=') + 1),
                      sweep.axes[axis].values,
                      "--where",
                      fmt::format("value of axis '{}'", names[axis]))};
}

SweepChoice choose(const SweepDirectory& sweep, const SweepOptions& options) {
    if (sweep.axes.empty() || sweep.metrics.empty()) {
        throw core::InputError(fmt::format("{}: error: the sweep has no {}: expected some to draw",
                                           sweep.directory,
                                           sweep.axes.empty() ? "axes" : "metrics"));
    }
    const std::vector<std::string> names = axis_names(sweep);
    std::vector<std::string> metrics;
    std::ranges::transform(sweep.metrics, std::back_inserter(metrics), &SweepMetric::name);
    SweepChoice choice;
    // An axis that an option asks for must not become the default of another option.
    std::vector<std::size_t> asked;
    for (const auto& [option, what] : {std::pair(options.by, "--by"), {options.panel, "--panel"}}) {
        if (const auto axis = axis_option(option, names, what, std::nullopt)) {
            asked.push_back(*axis);
        }
    }
    choice.x = default_x(sweep);
    if (options.x) {
        choice.x = find_name(*options.x, names, "--x", "axis");
    } else if (std::ranges::find(asked, choice.x) != asked.end()) {
        choice.x = next_axis(sweep, asked).value_or(choice.x);
    }
    choice.metric = options.metric ? find_name(*options.metric, metrics, "--metric", "metric")
                                   : default_metric(sweep, choice.x);
    choice.where.resize(names.size());
    std::vector<std::size_t> taken = asked;
    taken.push_back(choice.x);
    for (const std::string& text : options.where) {
        taken.push_back(where_axis(names, text));
    }
    choice.by = axis_option(options.by, names, "--by", next_axis(sweep, taken));
    if (choice.by) {
        taken.push_back(*choice.by);
    }
    choice.panel = axis_option(options.panel, names, "--panel", next_axis(sweep, taken));
    refuse_axis_twice(names, choice);
    for (const std::string& text : options.where) {
        take_where(sweep, names, text, choice);
    }
    return choice;
}

std::vector<SweepCell> sweep_cells(const SweepDirectory& sweep, const SweepChoice& choice) {
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<std::size_t>> groups;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        const std::vector<std::size_t>& point = sweep.points[p];
        bool wanted = true;
        for (std::size_t a = 0; a < point.size(); ++a) {
            wanted = wanted && choice.where[a].value_or(point[a]) == point[a];
        }
        if (wanted) {
            groups[{choice.panel ? point[*choice.panel] : 0,
                    choice.by ? point[*choice.by] : 0,
                    point[choice.x]}]
                .push_back(p);
        }
    }
    const SweepMetric& metric = sweep.metrics[choice.metric];
    std::vector<SweepCell> cells;
    for (const auto& [at, points] : groups) {
        SweepCell cell;
        std::tie(cell.panel, cell.by, cell.x) = at;
        const std::vector<double> values = averages(sweep, metric, points, cell.points);
        if (!values.empty()) {
            cell.values = describe_replications({metric.name, values});
            cells.push_back(std::move(cell));
        }
    }
    return cells;
}

void narrow_sweep(SweepDirectory& sweep, std::vector<std::string>& where) {
    std::map<std::size_t, std::set<std::size_t>> named;
    for (const std::string& text : where) {
        const AxisValue one = axis_value(sweep, text);
        named[one.axis].insert(one.value);
    }
    std::erase_if(named, [](const auto& values) { return values.second.size() == 1; });
    std::erase_if(where, [&](const std::string& text) {
        return named.contains(axis_value(sweep, text).axis);
    });
    for (const auto& [axis, values] : named) {
        keep_axis_values(sweep, axis, values);
    }
}

}  // namespace berth::report
