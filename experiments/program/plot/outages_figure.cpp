#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/failures_page.hpp"
#include "experiments/program/results/outage_strip.hpp"

namespace berth::report {
namespace outages {

constexpr StripSize strip_size{48, 300};
constexpr double nothing = 5e-7;  ///< A smaller part of a slice is not drawn.

OutageStrip strip_of(const RunDirectory& run) {
    const auto end_s = std::ranges::find(run.replication_samples, "end_s", &Samples::name);
    if (run.failures && run.cluster && end_s != run.replication_samples.end()) {
        if (auto strip =
                outage_strip(*run.cluster, *run.failures, end_s->values.front(), strip_size)) {
            return std::move(*strip);
        }
    }
    throw core::InputError(
        fmt::format("{}: error: the run has no outages over time: expected failures.csv, mttf.csv, "
                    "nodes.csv and an end above 0 s",
                    run.directory));
}

/// A period in which the same part of a row was out.
struct Box {
    double from_s = 0;
    double to_s = 0;
    double out = 0;
};

/// Joins adjacent slices of a row with the same part out.
std::vector<Box> boxes_of(const OutageStrip& strip, std::size_t row) {
    std::vector<Box> boxes;
    const double slice_s = strip.end_s / static_cast<double>(strip_size.slices);
    for (std::size_t slice = 0; slice < strip_size.slices; ++slice) {
        const double out = strip.out[row][slice];
        const double from_s = static_cast<double>(slice) * slice_s;
        if (out <= nothing) {
            continue;
        }
        if (!boxes.empty() && boxes.back().to_s == from_s &&
            std::abs(boxes.back().out - out) < nothing) {
            boxes.back().to_s = static_cast<double>(slice + 1) * slice_s;
        } else {
            boxes.push_back({from_s, static_cast<double>(slice + 1) * slice_s, out});
        }
    }
    return boxes;
}

void add_rows(FigureTable& table, const std::string& name, const RunDirectory& run) {
    const OutageStrip strip = strip_of(run);
    for (std::size_t row = 0; row < strip.rows.size(); ++row) {
        for (const Box& box : boxes_of(strip, row)) {
            table.row({name,
                       strip.rows[row],
                       cell(box.from_s),
                       cell(box.to_s),
                       cell(box.out),
                       "",
                       "",
                       ""});
        }
    }
    for (const OutageStrip::Hit& hit : strip.hits) {
        const OutageRow& outage = run.failures->outages[hit.outage];
        table.row({name,
                   strip.rows[hit.row],
                   cell(outage.from_s),
                   "",
                   "",
                   outage.component,
                   outage.cause,
                   std::to_string(outage.jobs)});
    }
}

}  // namespace outages

Drawing outages_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    refuse_choice(choice);
    constexpr std::size_t hits_max = 20'000;
    FigureTable table({"run", "row", "from_s", "to_s", "out", "component", "cause", "jobs"});
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        outages::add_rows(table, names[run], runs[run]);
    }
    return {std::move(table), data_of_runs(runs, [](const RunDirectory& run) {
                return nlohmann::ordered_json{{"failures", failures_data(run, hits_max)}};
            })};
}

}  // namespace berth::report
