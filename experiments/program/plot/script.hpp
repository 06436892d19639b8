#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

enum class PlotFormat : std::uint8_t { svg, pdf, png, csv };

/// The format that the extension of a path names, or an InputError that lists them.
[[nodiscard]] PlotFormat plot_format(const std::filesystem::path& out);

/// A gnuplot script in the making: a page measured in points (1/72 inch), the same in each format;
/// and beside it what the figure shows, as a table.
class Script {
public:
    /// `width` and `height` of the page in points.
    Script(double width, double height);

    /// One line; a newline is added.
    void line(std::string_view text) { body_ += std::string(text) + '\n'; }
    /// Names a block of rows, and returns the name for use in `plot`.
    std::string data(const std::vector<std::string>& rows);
    /// The next plot takes this part of the page: distances in points from left and top.
    void place(double left, double top, double width, double height);
    /// Text at a place of the page.
    void label(double x, double y, std::string_view text, std::string_view options = "");
    /// What a panel is called, from a place on to the right.
    void title(double x, double y, std::string_view text);
    /// What the next plot's x axis means, so far below its numbers.
    void x_label(std::string_view text, double below = 0.8);
    /// A coloured square with a text, as in a legend. Returns where the next one goes.
    double key(double x, double y, std::uint32_t colour, std::string_view text);
    /// A piece of a line with a point in its middle, as in a legend; drawn with the next plot.
    /// `point` and `dash` are gnuplot's pointtype and dashtype.
    void sample(
        double x, double y, double width, std::uint32_t colour, int point, std::string_view dash);
    /// A filled rectangle of the page from left and top on, drawn with the next plot.
    void rectangle(double left, double top, double width, double height, std::uint32_t colour);
    /// From here on x and y of a plot are points of the whole page, y downwards.
    void page_coordinates();

    /// The columns of the figure's table; each row has as many cells.
    void columns(std::vector<std::string> names);
    void row(const std::vector<std::string>& cells);
    /// The table as CSV.
    [[nodiscard]] const std::string& csv() const { return table_; }

    /// All of it, with the terminal of `format`, a picture's, which goes to the standard output.
    [[nodiscard]] std::string finish(PlotFormat format) const;

private:
    double width_;
    double height_;
    int blocks_ = 0;
    std::string body_;
    std::size_t column_count_ = 0;
    std::string table_;
};

/// Draws a figure into `out`, or writes its table: the file appears whole or not at all.
/// Errors: std::runtime_error when gnuplot is missing or fails.
void write_script(const Script& script, PlotFormat format, const std::filesystem::path& out);

/// A number for a table: twelve digits, all of a whole one, empty where there is none.
[[nodiscard]] std::string cell(double value);

/// A text for a single-quoted string or a data block: nothing in it can end the string or be run.
[[nodiscard]] std::string plain_text(std::string_view text);
/// The same between single quotes, for a command.
[[nodiscard]] std::string single_quoted(std::string_view text);

/// The figures; the table in plot.cpp names them. `choice` is what stood after the colon, or empty.
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

/// `#rrggbb`.
[[nodiscard]] std::string hex(std::uint32_t colour);
/// As a colour looks on white at 35%.
[[nodiscard]] std::uint32_t pale(std::uint32_t colour);
/// From idle over half to full; `share` in [0, 1].
[[nodiscard]] std::uint32_t ramp(double share);

/// One entry of a figure's key, and where place_keys() has put it.
struct Key {
    std::string text;
    std::uint32_t colour = 0;
    double x = 0;
    double y = 8;
};
/// Side by side from `left` on, and on a new line where there is no room. Returns the last line's
/// place.
double place_keys(std::vector<Key>& keys, double left, double width);

/// How wide a text is on the page, in points, for a font of the usual size: an estimate.
[[nodiscard]] double text_width(std::string_view text);

/// A round distance between an axis' tics, for five of them or fewer over `span`.
[[nodiscard]] double tic_step(double span);

/// A number with a unit, `90s`, `2h`, `1.5d`, in seconds; or an InputError.
[[nodiscard]] double parse_time(std::string_view text);

/// The parts of a choice between commas.
[[nodiscard]] std::vector<std::string> split_choice(std::string_view choice);

/// The unit in which a span of time has the most readable axis, and its length in seconds.
[[nodiscard]] std::pair<std::string, double> time_unit(double span_s);

/// The place of `choice` among the run's resources, the first when it is empty.
[[nodiscard]] std::size_t choose_resource(const RunDirectory& run, std::string_view choice);

/// A metric's name with its unit, for an axis: `wait_s_mean (s)`.
[[nodiscard]] std::string with_unit(const std::string& metric);

/// How a run is called in a figure: the experiment's name, and the directory's where two share it.
[[nodiscard]] std::vector<std::string> run_names(const std::vector<RunDirectory>& runs);

/// Names without what all of them begin with, when they end in digits: 0, 1, 2 for rack-0, ...
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& names);

}  // namespace berth::report
