#include <fmt/format.h>

#include <string>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/failures_page.hpp"

namespace berth::report {
namespace mttf {

/// The sizes of a run that can be drawn on a logarithmic axis.
std::vector<SizeFailures> sizes_of(const RunDirectory& run) {
    if (!run.failures) {
        throw core::InputError(
            fmt::format("{}: error: the run has no mttf.csv: expected a run in which something "
                        "fails by chance or as a file says",
                        run.directory));
    }
    std::vector<SizeFailures> sizes = run.failures->sizes;
    std::erase_if(sizes, [](const SizeFailures& size) { return size.size_max == 0; });
    if (sizes.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: no job of a GPU ran: expected rows of such in mttf.csv", run.directory));
    }
    return sizes;
}

void add_rows(FigureTable& table, const std::string& name, const RunDirectory& run) {
    for (const SizeFailures& size : sizes_of(run)) {
        const TimeToFailure time = size.time();
        const double mean = size.mean_size();
        const auto projected = run.failures->projected_s(mean);
        table.row({name,
                   run.failures->size_of,
                   std::to_string(size.size_min),
                   std::to_string(size.size_max),
                   cell(mean),
                   std::to_string(size.jobs),
                   std::to_string(size.interruptions),
                   cell(size.running_s),
                   time.mean_s ? cell(*time.mean_s) : "",
                   cell(time.low_s),
                   time.high_s ? cell(*time.high_s) : "",
                   projected ? cell(*projected) : ""});
    }
}

}  // namespace mttf

Drawing mttf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    refuse_choice(choice);
    FigureTable table({"run",
                       "size_of",
                       "size_min",
                       "size_max",
                       "size_mean",
                       "jobs",
                       "interruptions",
                       "running_s",
                       "mttf_s",
                       "mttf_low_s",
                       "mttf_high_s",
                       "projected_s"});
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        mttf::add_rows(table, names[run], runs[run]);
    }
    return {std::move(table), data_of_runs(runs, [](const RunDirectory& run) {
                return nlohmann::ordered_json{{"failures", failures_data(run, 0)}};
            })};
}

}  // namespace berth::report
