#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/run_parts.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace cdf {

constexpr std::size_t points_max = 600;

const Samples& samples_of(const RunDirectory& run, std::string_view name) {
    const auto found = std::ranges::find(run.pod_samples, name, &Samples::name);
    if (found == run.pod_samples.end()) {
        throw core::InputError(
            fmt::format("{}: error: no pod has a {}: expected pods.csv with values of it for this "
                        "figure",
                        run.directory,
                        name));
    }
    return *found;
}

Drawing draw(const std::vector<RunDirectory>& runs,
             std::string_view sample,
             std::string_view choice) {
    refuse_choice(choice);
    const std::vector<std::string> names = run_names(runs);
    FigureTable table({"run", std::string(sample), "share"});
    std::vector<std::string> said = names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Samples& samples = samples_of(runs[i], sample);
        const Cumulative curve = make_cumulative(samples, points_max);
        for (std::size_t k = 0; k < curve.value.size(); ++k) {
            table.row({names[i], cell(curve.value[k]), cell(curve.share[k])});
        }
        if (const double never = samples.never_started_share(); never > 0) {
            said[i] += fmt::format(": {} never started", value_text("share", never).value);
        }
    }
    nlohmann::ordered_json data = data_of_runs(runs, [](const RunDirectory& run) {
        return nlohmann::ordered_json{{"cumulatives", cumulatives_data(run, points_max)}};
    });
    data["names"] = said;
    return {std::move(table), std::move(data)};
}

}  // namespace cdf

Drawing jct_cdf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return cdf::draw(runs, "jct_s", choice);
}

Drawing wait_cdf_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return cdf::draw(runs, "wait_s", choice);
}

}  // namespace berth::report
