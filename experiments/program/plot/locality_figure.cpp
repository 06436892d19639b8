#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/device_page.hpp"
#include "experiments/program/results/device_figures.hpp"

namespace berth::report {
namespace locality {

/// The shares of one kind of nearness in all runs.
struct Panel {
    std::size_t kind = 0;
    std::vector<std::size_t> sizes;  ///< The numbers of GPUs; 0 stands for all pods.
};

using Sizes = std::vector<std::vector<NearnessOfSize>>;  // one entry for each run

Sizes sizes_of(const std::vector<RunDirectory>& runs) {
    Sizes sizes;
    for (const RunDirectory& run : runs) {
        if (!run.devices) {
            throw core::InputError(
                fmt::format("{}: error: the run has no devices.csv: expected one for this figure",
                            run.directory));
        }
        sizes.push_back(nearness_by_size(*run.devices));
    }
    return sizes;
}

/// The counts of a size; nullptr if the run has no pods of that size for which the kind is counted.
const NearnessCount* find(const std::vector<NearnessOfSize>& sizes,
                          std::size_t gpus,
                          std::size_t kind) {
    const auto found = std::ranges::find(sizes, gpus, &NearnessOfSize::gpus);
    const bool there = found != sizes.end() && found->kinds[kind].pods > 0;
    return there ? &found->kinds[kind] : nullptr;
}

std::vector<Panel> panels_of(const Sizes& runs, std::string_view choice) {
    if (!choice.empty() && std::ranges::count(nearness_kinds, choice) == 0) {
        const std::string wanted(choice);
        const std::vector<std::string> known(nearness_kinds.begin(), nearness_kinds.end());
        throw core::InputError(fmt::format("--figure: error: unknown kind '{}'{}: expected {}",
                                           wanted,
                                           core::suggestion(wanted, known),
                                           core::join(known, ", ")));
    }
    std::vector<Panel> panels;
    for (std::size_t kind = 0; kind < nearness_kinds.size(); ++kind) {
        std::set<std::size_t> sizes;
        for (const std::vector<NearnessOfSize>& run : runs) {
            for (const NearnessOfSize& of_size : run) {
                if (of_size.kinds[kind].pods > 0) {
                    sizes.insert(of_size.gpus);
                }
            }
        }
        if (!sizes.empty() && (choice.empty() || nearness_kinds[kind] == choice)) {
            panels.push_back({kind, {sizes.begin(), sizes.end()}});
        }
    }
    if (panels.empty()) {
        throw core::InputError(
            "--figure: error: no pod has devices to keep together: expected one for this figure");
    }
    return panels;
}

/// Adds rows by size; `all` stands for all pods together.
void add_rows(FigureTable& table,
              const std::vector<std::string>& names,
              const Sizes& runs,
              const Panel& panel) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const std::size_t gpus : panel.sizes) {
            if (const NearnessCount* count = find(runs[run], gpus, panel.kind)) {
                table.row({names[run],
                           std::string(nearness_kinds[panel.kind]),
                           gpus == 0 ? "all" : fmt::format("{}", gpus),
                           fmt::format("{}", count->pods),
                           fmt::format("{}", count->reached),
                           fmt::format("{}", count->attainable)});
            }
        }
    }
}

}  // namespace locality

Drawing locality_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace locality;
    const Sizes sizes = sizes_of(runs);
    FigureTable table({"run", "kind", "gpus", "pods", "reached", "possible"});
    for (const Panel& panel : panels_of(sizes, choice)) {
        add_rows(table, run_names(runs), sizes, panel);
    }
    nlohmann::ordered_json data = data_of_runs(runs, [](const RunDirectory& run) {
        return nlohmann::ordered_json{{"devices", devices_data(run, 0)}};
    });
    data["kind"] = choice;
    return {std::move(table), std::move(data)};
}

}  // namespace berth::report
