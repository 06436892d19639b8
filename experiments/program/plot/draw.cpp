#include "experiments/program/plot/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/support/source.hpp"
#include "experiments/program/plot/program.hpp"
#include "experiments/program/report/assets.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::report {
namespace {

using experiments::ProgramAnswer;
constexpr std::chrono::hours patience(24);  // the largest figures take minutes

/// A program's complaint in one line: the first that names an error, or else the last one.
std::string complaint(const std::string& output) {
    std::string last;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = std::min(output.find('\n', at), output.size());
        const std::string one = output.substr(at, end - at);
        if (one.find("rror: ") != std::string::npos) {
            return one;
        }
        last = one.empty() ? last : one;
        at = end + 1;
    }
    return last;
}

/// The output of a program that draws. Its output is complete if it ends in `end`.
std::string drawn_by(const std::string& program,
                     const std::optional<ProgramAnswer>& answer,
                     const std::string& missing,
                     std::string_view end) {
    if (!answer) {
        throw std::runtime_error(missing);
    }
    if (answer->status != 0) {
        throw std::runtime_error(fmt::format("{} failed: {}", program, complaint(answer->err)));
    }
    const std::size_t at = answer->out.rfind(end);
    // allow for a line break
    if (at == std::string::npos || answer->out.size() - at - end.size() > 2) {
        throw std::runtime_error(
            fmt::format("{} did not draw the figure to its end: is there enough memory?", program));
    }
    return answer->out;
}

/// An SVG in another format, which rsvg-convert draws at 180 dots per inch.
std::string converted(const std::string& svg, PlotFormat format) {
    const bool pdf = format == PlotFormat::pdf;
    const auto answer = experiments::run_program(
        {"rsvg-convert", "--dpi-x", "180", "--dpi-y", "180", "--format", pdf ? "pdf" : "png"},
        patience,
        {.text = svg, .variables = {"TZ=UTC0", "SOURCE_DATE_EPOCH=0"}});
    return drawn_by("rsvg-convert",
                    answer,
                    "rsvg-convert is missing: install it (package librsvg2-bin) for PDF and PNG, "
                    "or draw .svg",
                    pdf ? "%%EOF" : "IEND\xae\x42\x60\x82");
}

}  // namespace

PlotFormat plot_format(const std::filesystem::path& out) {
    const std::string extension = out.extension().string();
    constexpr std::pair<std::string_view, PlotFormat> formats[] = {{".svg", PlotFormat::svg},
                                                                   {".pdf", PlotFormat::pdf},
                                                                   {".png", PlotFormat::png},
                                                                   {".csv", PlotFormat::csv}};
    for (const auto& [name, format] : formats) {
        if (extension == name) {
            return format;
        }
    }
    throw core::InputError(
        fmt::format("{}: error: unknown picture format '{}': expected .svg, .pdf, .png or .csv",
                    out.string(),
                    extension));
}

std::string drawn_svg(const nlohmann::ordered_json& data) {
    const std::string text = experiments::dumped(data);
    const auto answer = experiments::run_program(
        {"node", "-"}, patience, {.text = paper_script(), .more = text, .variables = {"TZ=UTC0"}});
    return drawn_by("node",
                    answer,
                    "node is missing: install Node.js 18 or newer (package nodejs) to draw figures",
                    "</svg>");
}

void write_drawing(const Drawing& drawing, PlotFormat format, const std::filesystem::path& out) {
    if (format == PlotFormat::csv) {
        experiments::write_file(out, drawing.table.csv());
        return;
    }
    const std::string svg = drawn_svg(drawing.data);
    experiments::write_file(out, format == PlotFormat::svg ? svg : converted(svg, format));
}

}  // namespace berth::report
