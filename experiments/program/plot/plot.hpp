#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace berth::report {

/// A figure that `berth plot` can draw.
struct Figure {
    std::string_view name;
    std::string_view summary;  ///< One line, with the possible texts behind `name:`.
};

/// All figures, by name.
[[nodiscard]] std::span<const Figure> figures();

/// Draws a figure of the runs into `out`, in the format of its extension: svg, pdf or png; csv
/// writes the figure's data as a table. `figure` is a name of figures(), or `name:choice`, where
/// the choice is a resource or a metric.
///
/// Errors: core::InputError for an unknown figure, choice or extension, for a directory that is not
///         a run directory, and for a run without the data of the figure; std::runtime_error if
///         Node.js or, for pdf and png, rsvg-convert is missing or fails. `out` is written
///         completely or not at all.
/// Order:  the same runs give the same bytes of SVG; pdf and png with the same version of
///         rsvg-convert and its fonts.
void write_plot(const std::vector<std::filesystem::path>& run_directories,
                std::string_view figure,
                const std::filesystem::path& out);

}  // namespace berth::report
