#include "experiments/program/plot/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/tables/metric_table.hpp"

namespace berth::report {
namespace {

constexpr double font_points = 8;
constexpr double font_scale = 0.75;  // the cairo terminals take a point as 1/54 inch
constexpr double png_scale = 2.5;    // pixels per point: 180 dots per inch

}  // namespace

PlotFormat plot_format(const std::filesystem::path& out) {
    const std::string extension = out.extension().string();
    if (extension == ".svg") {
        return PlotFormat::svg;
    }
    if (extension == ".pdf") {
        return PlotFormat::pdf;
    }
    if (extension == ".png") {
        return PlotFormat::png;
    }
    if (extension == ".csv") {
        return PlotFormat::csv;
    }
    throw core::InputError(
        fmt::format("{}: error: unknown picture format '{}': expected .svg, .pdf, .png or .csv",
                    out.string(),
                    extension));
}

Script::Script(double width, double height) : width_(width), height_(height) {}

std::string Script::data(const std::vector<std::string>& rows) {
    const std::string name = fmt::format("$data{}", ++blocks_);
    body_ += name + " << END_OF_DATA\n";
    for (const std::string& row : rows) {
        body_ += row + '\n';
    }
    body_ += "END_OF_DATA\n";
    return name;
}

void Script::place(double left, double top, double width, double height) {
    line(fmt::format("set lmargin at screen {:.6f}", left / width_));
    line(fmt::format("set rmargin at screen {:.6f}", (left + width) / width_));
    line(fmt::format("set tmargin at screen {:.6f}", 1 - top / height_));
    line(fmt::format("set bmargin at screen {:.6f}", 1 - (top + height) / height_));
}

void Script::label(double x, double y, std::string_view text, std::string_view options) {
    line(fmt::format("set label {} at screen {:.6f},{:.6f} front {}",
                     single_quoted(text),
                     x / width_,
                     1 - y / height_,
                     options));
}

void Script::title(double x, double y, std::string_view text) {
    label(x, y, text, fmt::format("left textcolor rgb '{}'", hex(ink::text)));
}

void Script::x_label(std::string_view text, double below) {
    line(fmt::format("set xlabel {} offset 0,{} textcolor rgb '{}'",
                     single_quoted(text),
                     below,
                     hex(ink::muted)));
}

double Script::key(double x, double y, std::uint32_t colour, std::string_view text) {
    label(x, y, "■", fmt::format("left textcolor rgb '{}'", hex(colour)));
    label(x + 9, y, text, fmt::format("left textcolor rgb '{}'", hex(ink::muted)));
    return x + 9 + text_width(text) + 14;
}

void Script::sample(
    double x, double y, double width, std::uint32_t colour, int point, std::string_view dash) {
    line(
        fmt::format("set arrow from screen {:.6f},{:.6f} to screen {:.6f},{:.6f} nohead front "
                    "linecolor rgb '{}' linewidth 1.3 dashtype {}",
                    x / width_,
                    1 - y / height_,
                    (x + width) / width_,
                    1 - y / height_,
                    hex(colour),
                    dash));
    line(
        fmt::format("set label '' at screen {:.6f},{:.6f} front point pointtype {} pointsize 0.6 "
                    "linecolor rgb '{}'",
                    (x + width / 2) / width_,
                    1 - y / height_,
                    point,
                    hex(colour)));
}

void Script::rectangle(double left, double top, double width, double height, std::uint32_t colour) {
    line(
        fmt::format("set object rectangle from screen {:.6f},{:.6f} to screen {:.6f},{:.6f} "
                    "fillcolor rgb '{}' fillstyle solid 1 noborder",
                    left / width_,
                    1 - (top + height) / height_,
                    (left + width) / width_,
                    1 - top / height_,
                    hex(colour)));
}

double text_width(std::string_view text) {
    const auto characters = std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return static_cast<double>(characters) * 0.56 * font_points;
}

void Script::page_coordinates() {
    place(0, 0, width_, height_);
    line("unset border");
    line("unset tics");
    line("unset key");
    line(fmt::format("set xrange [0:{:.2f}]", width_));
    line(fmt::format("set yrange [{:.2f}:0]", height_));
}

void Script::columns(std::vector<std::string> names) {
    BERTH_ASSERT(table_.empty(), "a figure has one table");
    column_count_ = names.size();
    row(names);
}

void Script::row(const std::vector<std::string>& cells) {
    BERTH_ASSERT(cells.size() == column_count_, "a row has as many cells as there are columns");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        table_ += i == 0 ? "" : ",";
        if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
            table_ += cells[i];
            continue;
        }
        table_ += '"';
        for (const char c : cells[i]) {
            table_ += c == '"' ? "\"\"" : std::string(1, c);
        }
        table_ += '"';
    }
    table_ += '\n';
}

std::string cell(double value) {
    if (!std::isfinite(value)) {
        return "";
    }
    const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value);
}

std::string Script::finish(PlotFormat format) const {
    std::string out;
    switch (format) {
        case PlotFormat::svg:
            out = fmt::format(
                "set terminal svg size {:.0f},{:.0f} font 'sans-serif,{}' noenhanced "
                "background rgb 'white'\n",
                width_,
                height_,
                font_points);
            break;
        case PlotFormat::pdf:
            out = fmt::format(
                "set terminal pdfcairo size {:.4f}in,{:.4f}in font 'sans-serif,{}' fontscale {} "
                "linewidth 1 noenhanced\n",
                width_ / 72,
                height_ / 72,
                font_points,
                font_scale);
            break;
        case PlotFormat::png:
            out = fmt::format(
                "set terminal pngcairo size {:.0f},{:.0f} font 'sans-serif,{}' fontscale {} "
                "linewidth {} noenhanced background rgb 'white'\n",
                width_ * png_scale,
                height_ * png_scale,
                font_points,
                png_scale * font_scale,
                png_scale);
            break;
        case PlotFormat::csv:
            BERTH_ASSERT(false, "a table is no picture");
    }
    out += "set encoding utf8\n";
    out += fmt::format("set style line 1 linecolor rgb '{}' linewidth 0.6\n", hex(ink::muted));
    out += fmt::format("set style line 2 linecolor rgb '{}' linewidth 0.5\n", hex(ink::line));
    out += fmt::format("set border 1 linestyle 1\nset tics nomirror textcolor rgb '{}' scale 0\n",
                       hex(ink::muted));
    out += fmt::format("set key textcolor rgb '{}'\n", hex(ink::muted));
    out += "set multiplot\n";
    out += body_;
    out += "unset multiplot\nunset output\n";
    return out;
}

std::string plain_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool unsafe = c == '"' || c == '\'' || c == '`' || c == '\\';
        const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
        out += unsafe ? '.' : control ? ' ' : c;
    }
    return out;
}

std::string single_quoted(std::string_view text) {
    return "'" + plain_text(text) + "'";
}

double tic_step(double span) {
    return span > 0 ? round_step(span / 5) : 1;
}

std::string hex(std::uint32_t colour) {
    return fmt::format("#{:06x}", colour);
}

std::uint32_t pale(std::uint32_t colour) {
    std::uint32_t out = 0;
    for (const int shift : {16, 8, 0}) {
        const std::uint32_t part = (colour >> shift) & 0xFF;
        out |= (255 - (255 - part) * 35 / 100) << shift;
    }
    return out;
}

double place_keys(std::vector<Key>& keys, double left, double width) {
    double x = left;
    double y = 8;
    for (Key& key : keys) {
        const double wide = 9 + text_width(key.text);
        if (x > left && x + wide > width - 4) {
            x = left;
            y += 12;
        }
        key.x = x;
        key.y = y;
        x += wide + 14;
    }
    return y;
}

std::uint32_t ramp(double share) {
    share = std::clamp(share, 0.0, 1.0);
    const std::uint32_t from = share < 0.5 ? ink::idle : ink::half;
    const std::uint32_t to = share < 0.5 ? ink::half : ink::full;
    const double part = share < 0.5 ? share * 2 : share * 2 - 1;
    std::uint32_t out = 0;
    for (const int shift : {16, 8, 0}) {
        const double a = (from >> shift) & 0xFF;
        const double b = (to >> shift) & 0xFF;
        out |= static_cast<std::uint32_t>(std::lround(a + (b - a) * part)) << shift;
    }
    return out;
}

double parse_time(std::string_view text) {
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    constexpr std::pair<std::string_view, double> units[] = {
        {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (const auto& [name, seconds] : units) {
        if (error == std::errc() && number >= 0 && unit == name) {
            return number * seconds;
        }
    }
    throw core::InputError(fmt::format(
        "--figure: error: found '{}': expected a time with its unit, such as 90s, 2h or 1.5d",
        text));
}

std::vector<std::string> split_choice(std::string_view choice) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= choice.size();) {
        const std::size_t end = std::min(choice.find(',', at), choice.size());
        parts.emplace_back(choice.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::pair<std::string, double> time_unit(double span_s) {
    if (span_s >= 4 * 86400) {
        return {"days", 86400};
    }
    if (span_s >= 2 * 3600) {
        return {"hours", 3600};
    }
    return span_s >= 240 ? std::pair<std::string, double>{"minutes", 60}
                         : std::pair<std::string, double>{"seconds", 1};
}

std::size_t choose_resource(const RunDirectory& run, std::string_view choice) {
    const std::vector<std::string>& resources = run.cluster->resources;
    if (choice.empty()) {
        return paid_resource(resources);
    }
    const auto found = std::ranges::find(resources, choice);
    if (found == resources.end()) {
        throw core::InputError(fmt::format("{}: error: unknown resource '{}': expected {}",
                                           run.directory,
                                           choice,
                                           core::join(resources, ", ")));
    }
    return static_cast<std::size_t>(found - resources.begin());
}

std::string with_unit(const std::string& metric) {
    const MetricRecord* record = find_metric(metric);
    return record == nullptr || record->unit.empty() ? metric
                                                     : fmt::format("{} ({})", metric, record->unit);
}

std::vector<std::string> run_names(const std::vector<RunDirectory>& runs) {
    std::vector<std::string> names;
    for (const RunDirectory& run : runs) {
        const auto same = std::ranges::count(runs, run.experiment, &RunDirectory::experiment);
        names.push_back(same > 1 ? fmt::format("{} ({})", run.experiment, run.directory)
                                 : run.experiment);
    }
    return names;
}

std::vector<std::string> short_names(const std::vector<std::string>& names) {
    const auto beginning = [](const std::string& name) {
        const std::size_t last = name.find_last_not_of("0123456789");
        return last == std::string::npos ? std::string() : name.substr(0, last + 1);
    };
    const std::string common = names.empty() ? "" : beginning(names.front());
    const bool all = !common.empty() && std::ranges::all_of(names, [&](const std::string& name) {
        return beginning(name) == common && name != common;
    });
    std::vector<std::string> out = names;
    if (all) {
        for (std::string& name : out) {
            name.erase(0, common.size());
        }
    }
    return out;
}

}  // namespace berth::report
