#include "experiments/program/defrag/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/support/html_text.hpp"

namespace berth::experiments {
namespace {

constexpr std::size_t rows_max = 40;
constexpr double row_height = 34;
constexpr double bar_height = 24;
constexpr double bar_width = 330;
constexpr double before_x = 150;
constexpr double after_x = before_x + bar_width + 50;
constexpr double top = 30;

constexpr std::array<std::string_view, 8> colors{
    "#4477aa", "#ee6677", "#228833", "#aa7700", "#3399bb", "#aa3377", "#555555", "#775500"};

constexpr std::string_view style = R"(<style>
svg text { font: 13px sans-serif; fill: #222; }
svg .node { text-anchor: end; }
svg .moved { fill: #fff; text-anchor: middle; font-weight: bold; }
svg .free { fill: #fff; stroke: #999; }
svg .room { fill: #e3f3e6; stroke: #1b7837; stroke-width: 2; }
svg .stays { fill: #ccc; stroke: #fff; }
</style>
)";

/// What a server has, from left to right: pods that stay, pods that move, and what is free.
std::string bar(const ShownServer& server, const std::vector<HeldBy>& pods, double x, double y) {
    const bool is_after = x == after_x;
    std::string out = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n",
        x,
        y,
        bar_width,
        bar_height,
        is_after && server.has_room ? "room" : "free");
    const double scale =
        bar_width / static_cast<double>(std::max<core::Amount>(server.capacity, 1));
    for (const bool moves : {false, true}) {
        for (const HeldBy& pod : pods) {
            if ((pod.move > 0) != moves) {
                continue;
            }
            const double width = static_cast<double>(pod.amount) * scale;
            core::append(out,
                         "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}>"
                         "<title>{}</title></rect>\n",
                         x,
                         y + 1,
                         width,
                         bar_height - 2,
                         moves ? fmt::format("fill=\"{}\" stroke=\"#fff\"",
                                             colors[(pod.move - 1) % colors.size()])
                               : std::string("class=\"stays\""),
                         html_text(pod.pod));
            if (moves) {
                core::append(out,
                             "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"moved\">{}</text>\n",
                             x + width / 2,
                             y + 17,
                             pod.move);
            }
            x += width;
        }
    }
    return out;
}

}  // namespace

std::string defrag_picture(const DefragAnswer& answer) {
    const std::size_t rows = std::min(answer.servers.size(), rows_max);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
        "aria-label=\"Servers before and after the moves\">\n{}"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"{:.0f}\" y=\"18\">before</text>\n<text x=\"{:.0f}\" y=\"18\">after</text>\n",
        after_x + bar_width + 10,
        top + row_height * static_cast<double>(rows),
        style,
        before_x,
        after_x);
    for (std::size_t i = 0; i < rows; ++i) {
        const ShownServer& server = answer.servers[i];
        const double y = top + row_height * static_cast<double>(i);
        core::append(out,
                     "<text x=\"{:.0f}\" y=\"{:.1f}\" class=\"node\">{}</text>\n",
                     before_x - 10,
                     y + 17,
                     html_text(server.name));
        out += bar(server, server.before, before_x, y) + bar(server, server.after, after_x, y);
    }
    return out + "</svg>\n";
}

std::string defrag_page(const DefragAnswer& answer) {
    std::istringstream lines(defrag_text(answer));
    std::string first;
    std::getline(lines, first);
    std::string out = fmt::format("<h1>{}</h1>\n", html_text(first));
    if (!answer.servers.empty()) {
        out += defrag_picture(answer);
        out += fmt::format(
            "<p>Each bar is a server with its {}s. Pods that stay are gray; a pod that moves has "
            "the number of its move. A green frame is where there is room then.{}</p>\n",
            answer.resource,
            answer.servers.size() > rows_max
                ? fmt::format(" {} more servers are not shown.", answer.servers.size() - rows_max)
                : "");
    }
    for (std::string line; std::getline(lines, line);) {
        out += fmt::format("<p>{}</p>\n", html_text(line));
    }
    return plain_page("berth defrag", out);
}

}  // namespace berth::experiments
