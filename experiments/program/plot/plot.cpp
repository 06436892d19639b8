#include "experiments/program/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/draw.hpp"
#include "experiments/program/plot/sweep_plot.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;
using MakeFigure = Drawing (*)(const std::vector<RunDirectory>&, std::string_view);

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
    if (std::ranges::find(sweep_figures(), name, &Figure::name) != sweep_figures().end()) {
        throw core::InputError(fmt::format(
            "--figure: error: '{}' is a figure of a sweep, and this is a run: expected {}",
            wanted,
            core::join(names, ", ")));
    }
    throw core::InputError(fmt::format("--figure: error: unknown figure '{}'{}: expected {}",
                                       wanted,
                                       core::suggestion(wanted, names),
                                       core::join(names, ", ")));
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
    Drawing drawing = make(runs, choice);
    drawing.data["figure"] = figure.substr(0, colon);
    write_drawing(drawing, format, out);
}

}  // namespace berth::report
