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

std::string mark_svg(const Mark& mark, double x, const Edges& edges) {
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
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"value\">{}</text>\n",
                       x + 11,
                       y - 4,
                       html_text(mark.value));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name{}\">{}</text>\n",
                       x,
                       top + height + 22,
                       mark.is_answer ? " answer" : "",
                       html_text(mark.name));
    return out;
}

}  // namespace

std::string requirement_picture(const PlanAnswer& answer, std::size_t requirement) {
    const std::vector<Mark> marks = marks_of(answer, requirement);
    const report::SweepTarget& target = answer.plan.requirements[requirement].target;
    const Edges edges = edges_of(marks, target.bound);
    const double step =
        std::min(step_max, width / static_cast<double>(std::max<std::size_t>(marks.size(), 1)));
    const double right = left + step * static_cast<double>(marks.size()) + 40;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "role=\"img\" aria-label=\"{}\">\n{}",
        right + 60,
        top + height + 40,
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
        out += mark_svg(marks[i], left + step * (static_cast<double>(i) + 0.4), edges);
    }
    return out + "</svg>\n";
}

}  // namespace berth::experiments
