#include "experiments/program/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/program.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;
using MakeFigure = Script (*)(const std::vector<RunDirectory>&, std::string_view);

constexpr Figure table[] = {
    {"cluster", "every server with its background and its members (cluster:RESOURCE,TIME)"},
    {"comparison", "a metric's mean, interval and quartiles, run by run (comparison:METRIC)"},
    {"distribution", "a metric over replications, groups or pods (distribution:METRIC)"},
    {"fragment-classes", "what free GPUs were to typical pods (fragment-classes:FROM,TO)"},
    {"fragmentation", "fragments of the GPUs over what has arrived (fragmentation:FROM,TO)"},
    {"gantt", "pods on GPUs or servers over time (gantt:SERVERS,FROM,TO)"},
    {"gpu-time", "what the GPU time went into, run by run"},
    {"jct-cdf", "cumulative distribution of completion times"},
    {"levels", "use by room, by rack, and histograms of the servers (levels:RESOURCE)"},
    {"locality", "reached and possible nearness of GPUs by size, run by run (locality:KIND)"},
    {"mttf", "time between interruptions by the size of jobs, run by run"},
    {"outages", "how much of each rack was out over time, and what that interrupted"},
    {"quota-areas", "what the quotas below one use and borrow (quota-areas:PARENT,RESOURCE)"},
    {"quotas", "used, runtime, request, min, max over time (quotas:QUOTA,RESOURCE)"},
    {"timeseries", "sampled metrics over time (timeseries:METRIC,METRIC)"},
    {"unallocated", "GPUs not allocated over what has arrived (unallocated:FROM,TO)"},
    {"wait-cdf", "cumulative distribution of waits"},
};
constexpr MakeFigure makers[] = {&cluster_figure,
                                 &comparison_figure,
                                 &distribution_figure,
                                 &fragment_classes_figure,
                                 &fragmentation_figure,
                                 &gantt_figure,
                                 &gpu_time_figure,
                                 &jct_cdf_figure,
                                 &levels_figure,
                                 &locality_figure,
                                 &mttf_figure,
                                 &outages_figure,
                                 &quota_areas_figure,
                                 &quotas_figure,
                                 &timeseries_figure,
                                 &unallocated_figure,
                                 &wait_cdf_figure};
static_assert(std::size(table) == std::size(makers));

MakeFigure find_figure(std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(table); ++i) {
        if (table[i].name == name) {
            return makers[i];
        }
        names.emplace_back(table[i].name);
    }
    const std::string wanted(name);
    throw core::InputError(fmt::format("--figure: error: unknown figure '{}'{}: expected {}",
                                       wanted,
                                       core::suggestion(wanted, names),
                                       core::join(names, ", ")));
}

/// gnuplot's error in one line: the line with the message, without the script around it.
std::string complaint(const std::string& output) {
    std::string last;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = std::min(output.find('\n', at), output.size());
        const std::string one = output.substr(at, end - at);
        if (one.find_first_not_of(" \t^") != std::string::npos) {
            last = one;
        }
        at = end + 1;
    }
    return last;
}

/// Runs a script, and returns what gnuplot draws.
std::string run_gnuplot(const std::string& script) {
    constexpr std::chrono::hours patience(24);  // the largest figures take minutes
    // `-d` ignores the user's own settings, which would change the figure.
    const auto answer = experiments::run_program({"gnuplot", "-d"}, patience, script, {"TZ=UTC0"});
    if (!answer) {
        throw std::runtime_error(
            "gnuplot is missing: install it (package gnuplot-nox) to draw figures");
    }
    if (answer->status != 0) {
        throw std::runtime_error(fmt::format("gnuplot failed: {}", complaint(answer->err)));
    }
    return answer->out;
}

/// Replaces the date that Cairo writes into a PDF. The number of digits stays the same, so the
/// file's offsets stay correct.
void erase_date(std::string& pdf) {
    constexpr std::string_view mark = "/CreationDate (D:";
    constexpr std::string_view epoch = "19700101000000";
    if (const std::size_t at = pdf.find(mark); at != std::string::npos) {
        pdf.replace(at + mark.size(), epoch.size(), epoch);
    }
}

/// Checks that the picture is complete, since gnuplot does not report that a figure has no room.
void check_end(const std::string& picture, PlotFormat format) {
    const std::string_view end = format == PlotFormat::svg   ? "</svg>"
                                 : format == PlotFormat::pdf ? "%%EOF"
                                                             : "IEND\xae\x42\x60\x82";
    const std::size_t at = picture.rfind(end);
    // allow for a line break
    if (at == std::string::npos || picture.size() - at - end.size() > 2) {
        throw std::runtime_error(
            "gnuplot did not draw the figure to its end: is there room for temporary files?");
    }
}

}  // namespace

std::span<const Figure> figures() {
    return table;
}

void write_plot(const std::vector<fs::path>& run_directories,
                std::string_view figure,
                const fs::path& out) {
    const std::size_t colon = figure.find(':');
    const MakeFigure make = find_figure(figure.substr(0, colon));
    const std::string_view choice =
        colon == std::string_view::npos ? std::string_view() : figure.substr(colon + 1);
    const PlotFormat format = plot_format(out);
    if (run_directories.empty()) {
        throw core::InputError("error: no run directory: expected one or more");
    }
    std::vector<RunDirectory> runs;
    for (const fs::path& path : run_directories) {
        runs.push_back(read_run_directory(path));
    }
    write_script(make(runs, choice), format, out);
}

void write_script(const Script& script, PlotFormat format, const fs::path& out) {
    if (format == PlotFormat::csv) {
        experiments::write_file(out, script.csv());
        return;
    }
    std::string picture = run_gnuplot(script.finish(format));
    check_end(picture, format);
    if (format == PlotFormat::pdf) {
        erase_date(picture);
    }
    experiments::write_file(out, picture);
}

}  // namespace berth::report
