#include "experiments/program/results/narrow_sweep.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {
namespace {

/// Leaves some values of an axis; by its old place, where each of them stands now.
std::vector<std::optional<std::size_t>> keep_values(SweepAxis& axis,
                                                    const std::set<std::size_t>& kept) {
    std::vector<std::optional<std::size_t>> place(axis.values.size());
    SweepAxis narrowed{axis.name, {}, {}};  // a figure does not ask what its values set
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
    sweep.exceptions.clear();  // no figure of berth plot asks for them
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
