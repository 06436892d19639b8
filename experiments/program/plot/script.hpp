#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

enum class PlotFormat : std::uint8_t { svg, pdf, png, csv };

/// The format for the extension of a path. Throws an InputError that lists the formats.
[[nodiscard]] PlotFormat plot_format(const std::filesystem::path& out);

/// A gnuplot script that is being written, for a page measured in points (1/72 inch), which is the
/// same in each format; and the data of the figure as a table.
class Script {
public:
    /// The page has this width and height, in points.
    Script(double width, double height);

    /// Adds a line, with a line break.
    void line(std::string_view text) { body_ += std::string(text) + '\n'; }
    /// Adds a block of rows, and returns its name for use in `plot`.
    std::string data(const std::vector<std::string>& rows);
    /// Puts the next plot into this part of the page. Distances are in points from the left and the
    /// top.
    void place(double left, double top, double width, double height);
    /// Draws text at a place of the page.
    void label(double x, double y, std::string_view text, std::string_view options = "");
    /// Draws a panel's title, from a place on to the right.
    void title(double x, double y, std::string_view text);
    /// Sets the label of the next plot's x axis, at this distance below its numbers.
    void x_label(std::string_view text, double below = 0.8);
    /// Draws a coloured square with a text, as in a legend. Returns the place of the next one.
    double key(double x, double y, std::uint32_t colour, std::string_view text);
    /// Draws a piece of a line with a point in its middle, as in a legend, together with the next
    /// plot. `point` and `dash` are gnuplot's pointtype and dashtype.
    void sample(
        double x, double y, double width, std::uint32_t colour, int point, std::string_view dash);
    /// Draws a filled rectangle from the left and top of the page, together with the next plot.
    void rectangle(double left, double top, double width, double height, std::uint32_t colour);
    /// From here on, x and y of a plot are points of the whole page, with y downwards.
    void page_coordinates();

    /// Sets the columns of the figure's table. Each row has the same number of cells.
    void columns(std::vector<std::string> names);
    void row(const std::vector<std::string>& cells);
    /// The table as CSV.
    [[nodiscard]] const std::string& csv() const { return table_; }

    /// The whole script, with the terminal for a picture in `format`, which is written to the
    /// standard output.
    [[nodiscard]] std::string finish(PlotFormat format) const;

private:
    double width_;
    double height_;
    int blocks_ = 0;
    std::string body_;
    std::size_t column_count_ = 0;
    std::string table_;
};

/// Draws a figure into `out`, or writes its table. The file is written completely or not at all.
/// Errors: std::runtime_error if gnuplot is missing or fails.
void write_script(const Script& script, PlotFormat format, const std::filesystem::path& out);

/// A number for a table: with twelve digits, with all digits if it is whole, and empty if there is
/// none.
[[nodiscard]] std::string cell(double value);

/// A text for a single-quoted string or a data block. Nothing in it can end the string or be
/// executed.
[[nodiscard]] std::string plain_text(std::string_view text);
/// The same text in single quotes, for a command.
[[nodiscard]] std::string single_quoted(std::string_view text);

/// The figures, which the table in plot.cpp names. `choice` is the text behind the colon, or empty.
[[nodiscard]] Script cluster_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script fragment_classes_figure(const std::vector<RunDirectory>& runs,
                                             std::string_view choice);
[[nodiscard]] Script gantt_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script gpu_time_figure(const std::vector<RunDirectory>& runs,
                                     std::string_view choice);
[[nodiscard]] Script jct_cdf_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script quota_areas_figure(const std::vector<RunDirectory>& runs,
                                        std::string_view choice);
[[nodiscard]] Script wait_cdf_figure(const std::vector<RunDirectory>& runs,
                                     std::string_view choice);
[[nodiscard]] Script levels_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script locality_figure(const std::vector<RunDirectory>& runs,
                                     std::string_view choice);
[[nodiscard]] Script mttf_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script outages_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script timeseries_figure(const std::vector<RunDirectory>& runs,
                                       std::string_view choice);
[[nodiscard]] Script distribution_figure(const std::vector<RunDirectory>& runs,
                                         std::string_view choice);
[[nodiscard]] Script fragmentation_figure(const std::vector<RunDirectory>& runs,
                                          std::string_view choice);
[[nodiscard]] Script unallocated_figure(const std::vector<RunDirectory>& runs,
                                        std::string_view choice);
[[nodiscard]] Script quotas_figure(const std::vector<RunDirectory>& runs, std::string_view choice);
[[nodiscard]] Script comparison_figure(const std::vector<RunDirectory>& runs,
                                       std::string_view choice);

/// The colours of the report, for paper.
namespace ink {
inline constexpr std::uint32_t idle = 0xEEF1F4;
inline constexpr std::uint32_t half = 0xA9C4DD;
inline constexpr std::uint32_t full = 0x2A5B8C;
inline constexpr std::uint32_t bar = 0x6D97BF;
inline constexpr std::uint32_t group = 0xD55E00;
inline constexpr std::uint32_t warning = 0xA6341B;
inline constexpr std::uint32_t text = 0x1D2329;
inline constexpr std::uint32_t muted = 0x5A6672;
inline constexpr std::uint32_t line = 0xDFE3E6;
inline constexpr std::uint32_t edge = 0xB4BDC6;
inline constexpr std::uint32_t series[] = {
    0x0072B2, 0xD55E00, 0x009073, 0xA6588A, 0xB07D00, 0x3D9FD6, 0x5C5F66};
}  // namespace ink

/// The form `#rrggbb` of a colour.
[[nodiscard]] std::string hex(std::uint32_t colour);
/// The colour as it looks on white at 35%.
[[nodiscard]] std::uint32_t pale(std::uint32_t colour);
/// A colour between idle, half and full, for a `share` in [0, 1].
[[nodiscard]] std::uint32_t ramp(double share);

/// An entry of a figure's key, and where place_keys() puts it.
struct Key {
    std::string text;
    std::uint32_t colour = 0;
    double x = 0;
    double y = 8;
};
/// Places keys side by side from `left` on, and on a new line if there is no room. Returns the
/// place of the last line.
double place_keys(std::vector<Key>& keys, double left, double width);

/// An estimate of the width of a text on the page, in points, for a font of the usual size.
[[nodiscard]] double text_width(std::string_view text);

/// A round distance between the tics of an axis, for at most five of them over `span`.
[[nodiscard]] double tic_step(double span);

/// Reads a number with a unit, `90s`, `2h`, `1.5d`, in seconds. Throws an InputError.
[[nodiscard]] double parse_time(std::string_view text);

/// The parts of a choice between its commas.
[[nodiscard]] std::vector<std::string> split_choice(std::string_view choice);

/// The unit that gives a time axis of this length the most readable numbers, and its length in
/// seconds.
[[nodiscard]] std::pair<std::string, double> time_unit(double span_s);

/// The index of `choice` among the run's resources; the first one if it is empty.
[[nodiscard]] std::size_t choose_resource(const RunDirectory& run, std::string_view choice);

/// A metric's name with its unit, for an axis: `wait_s_mean (s)`.
[[nodiscard]] std::string with_unit(const std::string& metric);

/// The name of each run in a figure: the experiment's name, or the directory's if two runs share
/// it.
[[nodiscard]] std::vector<std::string> run_names(const std::vector<RunDirectory>& runs);

/// Names without their common beginning, if they end in digits: 0, 1, 2 for rack-0, ...
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& names);

}  // namespace berth::report
