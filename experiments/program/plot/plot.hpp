#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace berth::report {

/// A figure that `berth plot` can draw.
struct Figure {
    std::string_view name;
    std::string_view summary;  ///< One line, with what may stand after `name:`.
};

/// All figures, by name.
[[nodiscard]] std::span<const Figure> figures();

/// Draws a figure of the runs with gnuplot into `out`, as its extension says: svg, pdf or png; or
/// writes what it shows as a table: csv.
/// `figure` is a name of figures(), or `name:choice`: a resource, or a metric.
///
/// Errors: core::InputError for an unknown figure, choice or extension, a directory that is no run
///         directory, a run without what the figure shows; std::runtime_error when gnuplot is
///         missing or fails. `out` appears whole or not at all.
/// Order:  the same runs give the same bytes, with one version of gnuplot and its fonts.
void write_plot(const std::vector<std::filesystem::path>& run_directories,
                std::string_view figure,
                const std::filesystem::path& out);

}  // namespace berth::report
