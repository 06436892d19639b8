#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/answer.hpp"
#include "experiments/program/report/run_parts.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace distribution {

bool varies(const Samples& samples) {
    const auto [least, greatest] = std::ranges::minmax(samples.values);
    return least < greatest;
}

/// Finds samples by `name`, or by `group:name` and the like if several files have the name. Without
/// such a prefix, samples that vary are preferred to those that do not.
const Samples* find_samples(const RunDirectory& run, std::string_view name) {
    const Samples* constant = nullptr;
    if (is_of_quota(name)) {
        const auto found = std::ranges::find(run.quota_samples, name, &Samples::name);
        return found == run.quota_samples.end() ? nullptr : &*found;
    }
    const std::pair<std::string_view, const std::vector<Samples>*> places[] = {
        {"group:", &run.group_samples},
        {"replication:", &run.replication_samples},
        {"pod:", &run.pod_samples}};
    for (const auto& [of, all] : places) {
        if (name.starts_with(of)) {
            const auto found = std::ranges::find(*all, name.substr(of.size()), &Samples::name);
            return found == all->end() ? nullptr : &*found;
        }
        const auto found = std::ranges::find(*all, name, &Samples::name);
        if (found != all->end() && varies(*found)) {
            return &*found;
        }
        if (found != all->end() && constant == nullptr) {
            constant = &*found;
        }
    }
    return constant;
}

/// The servers that groups use if that varies, or else the first metric that varies, or else the
/// first metric.
std::string usual_metric(const RunDirectory& run) {
    if (run.cluster) {
        const Samples* used = find_samples(run, run.cluster->leaf + "_used");
        if (used != nullptr && varies(*used)) {
            return used->name;
        }
    }
    std::string first;
    for (const auto* all : {&run.group_samples, &run.replication_samples, &run.pod_samples}) {
        for (const Samples& samples : *all) {
            if (varies(samples)) {
                return samples.name;
            }
            first = first.empty() ? samples.name : first;
        }
    }
    return first;
}

/// Checks that a metric varies.
/// Errors: core::InputError if it has the same value in all runs, since its distribution would show
///         nothing. The message names a metric that varies.
void check_varies(const std::vector<RunDirectory>& runs,
                  const std::string& name,
                  const std::vector<const Samples*>& samples) {
    const double first = samples.front()->values.front();
    const bool same = std::ranges::all_of(
        samples, [&](const Samples* one) { return !varies(*one) && one->values.front() == first; });
    if (!same) {
        return;
    }
    const auto& known = runs.front().replication_samples;
    const auto other = std::ranges::find_if(known, varies);
    throw core::InputError(
        fmt::format("{}: error: '{}' is {:.6g} everywhere: expected a metric that varies{}",
                    runs.front().directory,
                    name,
                    first,
                    other == known.end() ? "" : fmt::format(", such as '{}'", other->name)));
}

/// The samples of every run with this name. If there are none, throws an InputError that lists the
/// names.
std::vector<const Samples*> samples_of(const std::vector<RunDirectory>& runs,
                                       const std::string& name) {
    std::vector<const Samples*> out;
    for (const RunDirectory& run : runs) {
        out.push_back(find_samples(run, name));
        if (out.back() == nullptr) {
            std::vector<std::string> known;
            for (const auto* all :
                 {&run.replication_samples, &run.group_samples, &run.pod_samples}) {
                std::ranges::transform(*all, std::back_inserter(known), &Samples::name);
            }
            if (known.empty()) {
                throw core::InputError(fmt::format(
                    "{}: error: the run has no samples: expected replications.csv or groups.csv",
                    run.directory));
            }
            throw core::InputError(fmt::format("{}: error: unknown metric '{}'{}: expected {}",
                                               run.directory,
                                               name,
                                               core::suggestion(name, known),
                                               core::join(known, ", ")));
        }
    }
    return out;
}

/// Describes samples, with an interval if they have one value for each replication.
Distribution described(const RunDirectory& run, const Samples* samples) {
    for (const auto* all : {&run.replication_samples, &run.quota_samples}) {
        for (const Samples& one : *all) {
            if (&one == samples) {
                return describe_replications(one);
            }
        }
    }
    return describe(*samples);
}

/// Adds the table of a comparison.
FigureTable comparison_table(const std::string& metric,
                             const std::vector<std::string>& names,
                             const std::vector<Distribution>& distributions) {
    FigureTable table({"run",
                       "metric",
                       "n",
                       "mean",
                       "ci95",
                       "sd",
                       "min",
                       "lower_quartile",
                       "median",
                       "upper_quartile",
                       "max"});
    for (std::size_t i = 0; i < distributions.size(); ++i) {
        const Distribution& d = distributions[i];
        std::vector<std::string> cells{names[i], metric, fmt::format("{}", d.count)};
        cells.push_back(cell(d.mean));
        cells.push_back(d.ci95 ? cell(*d.ci95) : "");
        for (const double value :
             {d.sd, d.min, d.lower_quartile, d.median, d.upper_quartile, d.max}) {
            cells.push_back(cell(value));
        }
        table.row(cells);
    }
    return table;
}

FigureTable histogram_table(const std::string& metric,
                            const std::vector<std::string>& names,
                            const std::vector<Distribution>& distributions) {
    FigureTable table({"run", "metric", "from", "to", "count"});
    for (std::size_t i = 0; i < distributions.size(); ++i) {
        const Histogram& h = distributions[i].histogram;
        for (std::size_t k = 0; k < h.counts.size(); ++k) {
            const double from = h.from + static_cast<double>(k) * h.width;
            table.row({names[i],
                       metric,
                       cell(from),
                       cell(h.whole ? from : from + h.width),
                       fmt::format("{}", h.counts[k])});
        }
    }
    return table;
}

using MakeTable = FigureTable (*)(const std::string& metric,
                                  const std::vector<std::string>& names,
                                  const std::vector<Distribution>& distributions);

/// What the values of these samples belong to.
std::string_view noun_of(const RunDirectory& run, const Samples* samples) {
    const auto among = [&](const std::vector<Samples>& all) {
        return !all.empty() && samples >= &all.front() && samples <= &all.back();
    };
    return among(run.pod_samples) ? "pod" : among(run.group_samples) ? "group" : "replication";
}

Drawing draw(const std::vector<RunDirectory>& runs, std::string_view choice, MakeTable make) {
    const std::string name = choice.empty() ? usual_metric(runs.front()) : std::string(choice);
    const std::vector<const Samples*> samples = samples_of(runs, name);
    if (!choice.empty()) {
        check_varies(runs, name, samples);
    }
    std::vector<Distribution> distributions;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        distributions.push_back(described(runs[i], samples[i]));
        list.push_back(distribution_data(
            noun_of(runs[i], samples[i]), distributions.back(), samples[i]->going_on.size()));
    }
    const std::vector<std::string> names = run_names(runs);
    nlohmann::ordered_json data =
        data_of_runs(runs, [](const RunDirectory&) { return nlohmann::ordered_json::object(); });
    data["page"]["definitions"] = definitions({distributions.front().name});
    data["distributions"] = std::move(list);
    return {make(name, names, distributions), std::move(data)};
}

}  // namespace distribution

Drawing distribution_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return distribution::draw(runs, choice, &distribution::histogram_table);
}

Drawing comparison_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return distribution::draw(runs, choice, &distribution::comparison_table);
}

}  // namespace berth::report
