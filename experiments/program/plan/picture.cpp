#include "experiments/program/plan/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/support/html_text.hpp"

namespace berth::experiments {
namespace {

constexpr double left = 90;
constexpr double top = 30;
constexpr double height = 240;
constexpr double step_max = 130;
constexpr double width = 760;

/// One choice in the picture, in the metric's own unit.
struct Mark {
    std::string name;
    std::string value;
    double mean = 0;
    double low = 0;
    double high = 0;
    Standing standing = Standing::untried;
    bool is_answer = false;
};

/// How marks are named: where names do not fit beside each other, they are turned, and the values
/// that decide are shown alone.
struct Names {
    bool turned = false;
    double below = 22;  ///< From the axis to the end of the names.

    Names(const std::vector<Mark>& marks, double step) {
        constexpr double letter = 7.5;
        std::size_t longest = 0;
        for (const Mark& mark : marks) {
            longest = std::max(longest, mark.name.size());
        }
        const double wide = letter * static_cast<double>(longest);
        turned = wide > step;
        below = turned ? below + 0.7 * wide : below;
    }
    [[nodiscard]] bool shows_value(const Mark& mark) const {
        return !turned || mark.is_answer || mark.standing != Standing::meets;
    }
    [[nodiscard]] std::string svg(const Mark& mark, double x) const {
        const double y = top + height + 22;
        return fmt::format(
            "<text x=\"{0:.1f}\" y=\"{1:.1f}\" class=\"{2}{3}\"{4}>{5}</text>\n",
            x,
            y,
            turned ? "edge" : "name",
            mark.is_answer ? " answer" : "",
            turned ? fmt::format(" transform=\"rotate(-45 {:.1f} {:.1f})\"", x, y) : "",
            html_text(mark.name));
    }
};

/// The values at the lower and the upper edge.
struct Edges {
    double low = 0;
    double high = 1;

    [[nodiscard]] double y(double value) const {
        const double share = (std::clamp(value, low, high) - low) / (high - low);
        return top + height * (1 - share);
    }
};

std::vector<Mark> marks_of(const PlanAnswer& answer, std::size_t requirement) {
    std::vector<Mark> out;
    for (const std::size_t choice : tried_choices(answer)) {
        const TriedChoice& tried = answer.outcome.choices[choice];
        const Estimate& estimate = tried.estimates[requirement];
        if (estimate.count == 0) {
            continue;
        }
        const double half = std::isfinite(estimate.half) ? estimate.half : 0;
        out.push_back({answer.choices[choice].name,
                       estimate_text(answer, choice, requirement),
                       estimate.mean,
                       estimate.mean - half,
                       estimate.mean + half,
                       tried.standings[requirement],
                       answer.outcome.answer == choice});
    }
    return out;
}

/// Shows zero, the bound, and what is within four times the distance between them.
Edges edges_of(const std::vector<Mark>& marks, double bound) {
    constexpr double beyond = 4;
    constexpr double room = 1.15;
    double low = std::min(0.0, bound);
    double high = std::max(0.0, bound);
    for (const Mark& mark : marks) {
        low = std::min(low, mark.low);
        high = std::max(high, mark.high);
    }
    const double most = beyond * std::max(std::abs(bound), 1e-12);
    low = std::max(low, std::min(0.0, bound) - (bound < 0 ? most : 0));
    high = std::min(high, std::max(most, room * bound));
    return {low, low + std::max(high - low, 1e-12) * room};
}

constexpr std::string_view style = R"(<style>
svg text { font: 13px sans-serif; fill: #222; }
svg .name { text-anchor: middle; }
svg .answer { font-weight: bold; }
svg .edge { text-anchor: end; }
svg .kept { fill: #1b7837; opacity: 0.08; }
svg .bound { stroke: #222; stroke-dasharray: 6 4; }
svg .axis { stroke: #222; }
</style>
)";

std::string_view color_of(Standing standing) {
    switch (standing) {
        case Standing::meets:
            return "#1b7837";
        case Standing::misses:
            return "#b2182b";
        default:
            return "#8c6d00";
    }
}

std::string mark_svg(const Mark& mark, double x, const Edges& edges, const Names& names) {
    const std::string_view color = color_of(mark.standing);
    const double y = edges.y(mark.mean);
    std::string out = fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
        "stroke=\"{3}\" stroke-width=\"3\"/>\n",
        x,
        edges.y(mark.low),
        edges.y(mark.high),
        color);
    if (mark.mean > edges.high) {
        out +=
            fmt::format("<path d=\"M{:.1f} {:.1f} l-7 12 h14 z\" fill=\"{}\"/>\n", x, y - 6, color);
    } else {
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n",
                           x,
                           y,
                           mark.is_answer ? 8 : 5,
                           color);
    }
    if (names.shows_value(mark)) {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"value\">{}</text>\n",
                           x + 11,
                           y - 4,
                           html_text(mark.value));
    }
    return out + names.svg(mark, x);
}

}  // namespace

std::string requirement_picture(const PlanAnswer& answer, std::size_t requirement) {
    const std::vector<Mark> marks = marks_of(answer, requirement);
    const report::SweepTarget& target = answer.plan.requirements[requirement].target;
    const Edges edges = edges_of(marks, target.bound);
    const double step =
        std::min(step_max, width / static_cast<double>(std::max<std::size_t>(marks.size(), 1)));
    const Names names(marks, step);
    const double right = left + step * static_cast<double>(marks.size()) + 40;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "role=\"img\" aria-label=\"{}\">\n{}",
        right + 60,
        top + height + names.below + 18,
        html_text(target.metric + " by choice"),
        style);
    const double y = edges.y(target.bound);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"kept\"/>\n",
        left,
        target.at_most ? y : top,
        right - left,
        target.at_most ? top + height - y : y - top);
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"bound\"/>\n"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" class=\"edge\">{5} {6}</text>\n",
        left,
        right,
        y,
        left - 8,
        y + 5,
        target.at_most ? "≤" : "≥",
        report::value_text(report::metric_unit(target.metric), target.bound).value);
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"axis\"/>\n",
        left,
        right,
        top + height);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        out += mark_svg(marks[i], left + step * (static_cast<double>(i) + 0.4), edges, names);
    }
    return out + "</svg>\n";
}

}  // namespace berth::experiments
