#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/gantt_page.hpp"
#include "experiments/program/results/pod_size.hpp"

namespace berth::report {
namespace gantt {

/// Pods of all runs in the picture, which shows only as many servers as it has room for.
constexpr std::size_t pods_max = 120'000;

struct Wanted {
    std::string servers;
    double from_s = 0;
    double until_s = std::numeric_limits<double>::infinity();
};

Wanted read_choice(std::string_view choice) {
    const std::vector<std::string> parts = split_choice(choice);
    Wanted wanted;
    wanted.servers = parts[0];
    if (parts.size() > 1 && !parts[1].empty()) {
        wanted.from_s = parse_time(parts[1]);
    }
    if (parts.size() > 2 && !parts[2].empty()) {
        wanted.until_s = parse_time(parts[2]);
    }
    if (parts.size() > 3 || !(wanted.from_s < wanted.until_s)) {
        throw core::InputError(fmt::format(
            "--figure: error: found '{}': expected SERVERS,FROM,TO, such as server-1,2h,6h",
            choice));
    }
    return wanted;
}

std::string gpus_of(const PodRow& pod) {
    std::string text;
    for (std::size_t gpu = 0; gpu < 64; ++gpu) {
        if (((pod.gpus >> gpu) & 1U) != 0) {
            text += fmt::format("{}{}", text.empty() ? "" : "-", gpu);
        }
    }
    return text;
}

/// The cluster with the pods that were on servers with such a name, in such a time: by server, and
/// there by their start.
Cluster chosen(const RunDirectory& run, const Wanted& wanted) {
    if (!run.cluster || run.cluster->pods.empty()) {
        throw core::InputError(
            fmt::format("{}: error: the run has no pods with a place: expected nodes.csv and "
                        "pods.csv for this figure",
                        run.directory));
    }
    if (!(run.cluster->last_s > 0)) {
        throw core::InputError(
            fmt::format("{}: error: no time passes in this run: expected a pod that starts or "
                        "finishes later than at 0 s",
                        run.directory));
    }
    Cluster cluster = *run.cluster;
    const double until_s =
        std::min(wanted.until_s, std::max(busy_until(cluster), wanted.from_s + 1e-9));
    std::erase_if(cluster.pods, [&](const PodRow& pod) {
        return pod.start_s >= until_s || pod.finish_s < wanted.from_s ||
               cluster.cells[pod.node].name.find(wanted.servers) == std::string::npos;
    });
    if (cluster.pods.empty()) {
        throw core::InputError(
            fmt::format("{}: error: no pod ran on a server named '{}' then: expected part of a "
                        "server's name, and a time in which one did",
                        run.directory,
                        wanted.servers));
    }
    std::ranges::stable_sort(
        cluster.pods, {}, [](const PodRow& pod) { return std::tuple(pod.node, pod.start_s); });
    return cluster;
}

void add_rows(FigureTable& table, const std::string& run, const Cluster& cluster) {
    const PodSize size(cluster);
    const PodNames& names = cluster.names;
    for (const PodRow& pod : cluster.pods) {
        const std::string& stem = names.stems[pod.stem];
        table.row({run,
                   pod.number == no_number ? stem : fmt::format("{}{}", stem, pod.number),
                   names.quotas[pod.quota],
                   pod.group == no_group ? "" : names.groups[pod.group],
                   cluster.cells[pod.node].name,
                   gpus_of(pod),
                   cell(static_cast<double>(size.thousandths(pod)) / 1000),
                   cell(pod.submit_s),
                   cell(pod.start_s),
                   cell(pod.finish_s)});
    }
}

}  // namespace gantt

Drawing gantt_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace gantt;
    const Wanted wanted = read_choice(choice);
    std::vector<Cluster> clusters;
    for (const RunDirectory& run : runs) {
        clusters.push_back(chosen(run, wanted));
    }
    FigureTable table({"run",
                       "pod",
                       "quota",
                       "group",
                       "node",
                       "gpus",
                       PodSize(clusters.front()).resource(),
                       "submit_s",
                       "start_s",
                       "finish_s"});
    const std::vector<std::string> names = run_names(runs);
    std::size_t place = 0;
    nlohmann::ordered_json data = data_of_runs(runs, [&](const RunDirectory& run) {
        const Cluster& cluster = clusters[place];
        add_rows(table, names[place++], cluster);
        return nlohmann::ordered_json{
            {"gantt",
             gantt_data(cluster, run.devices ? &*run.devices : nullptr, pods_max / runs.size())}};
    });
    data["window"] = {wanted.from_s, nullptr};
    if (std::isfinite(wanted.until_s)) {
        data["window"][1] = wanted.until_s;
    }
    return {std::move(table), std::move(data)};
}

}  // namespace berth::report
