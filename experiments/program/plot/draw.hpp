#pragma once

#include <cstdint>
#include <filesystem>

#include "experiments/program/plot/drawing.hpp"

namespace berth::report {

enum class PlotFormat : std::uint8_t { svg, pdf, png, csv };

/// The format for the extension of a path. Throws an InputError that lists the formats.
[[nodiscard]] PlotFormat plot_format(const std::filesystem::path& out);

/// The figure as SVG, which Node.js draws with the modules of the report's page.
/// Errors: std::runtime_error if Node.js is missing or fails.
[[nodiscard]] std::string drawn_svg(const nlohmann::ordered_json& data);

/// Draws a figure into `out`, or writes its table. The file is written completely or not at all.
/// Errors: std::runtime_error if a program that draws is missing or fails.
void write_drawing(const Drawing& drawing, PlotFormat format, const std::filesystem::path& out);

}  // namespace berth::report
