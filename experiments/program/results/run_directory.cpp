#include "experiments/program/results/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <system_error>

#include "core/support/file_reader.hpp"
#include "core/support/interner.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/results/course.hpp"
#include "experiments/program/results/job_traits.hpp"
#include "experiments/program/results/open_pods.hpp"
#include "experiments/program/results/question.hpp"
#include "experiments/program/results/read_summary.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/support/sql_names.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t group_rows_max = 20'000;
constexpr std::size_t configuration_bytes_max = 256 * 1024;

void read_replications(const fs::path& path, RunDirectory& run) {
    CsvReader csv(path);
    const std::size_t replication = csv.column("replication");
    const std::optional<std::size_t> seed = csv.find_column("seed");
    for (const std::string& name : csv.header()) {
        run.replication_samples.push_back({name, {}});
    }
    const std::vector<bool> repeated = repeated_for_sql(csv.header());
    while (csv.next()) {
        for (std::size_t c = 0; c < csv.header().size(); ++c) {
            if (c == replication || c == seed || repeated[c]) {
                continue;
            }
            if (const auto value = csv.number(c)) {
                run.replication_samples[c].values.push_back(*value);
            }
        }
    }
    std::erase_if(run.replication_samples, [](const Samples& s) { return s.values.empty(); });
    const auto of_quotas = std::stable_partition(
        run.replication_samples.begin(), run.replication_samples.end(), [](const Samples& s) {
            return !is_of_quota(s.name);
        });
    std::move(of_quotas, run.replication_samples.end(), std::back_inserter(run.quota_samples));
    run.replication_samples.erase(of_quotas, run.replication_samples.end());
}

void read_timeseries(const fs::path& path, RunDirectory& run) {
    CsvReader csv(path);
    const std::size_t replication = csv.column("replication");
    const std::size_t time = csv.column("time_s");
    std::vector<std::size_t> columns;
    const std::vector<bool> repeated = repeated_for_sql(csv.header());
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != replication && c != time && !repeated[c] && !is_of_quota(csv.header()[c])) {
            columns.push_back(c);
            run.series.columns.push_back(csv.header()[c]);
        }
    }
    std::map<std::int64_t, std::size_t> known;
    auto& all = run.series.replications;
    while (csv.next()) {
        const std::int64_t id = csv.whole(replication);
        const auto [at, is_new] = known.try_emplace(id, all.size());
        if (is_new) {
            all.push_back({id, {}, std::vector<std::vector<double>>(columns.size())});
        }
        ReplicationSeries& series = all[at->second];
        const double time_s = csv.required_number(time);
        if (!series.time_s.empty() && time_s < series.time_s.back()) {
            csv.fail(time, "the time goes back: expected rows in ascending time_s");
        }
        series.time_s.push_back(time_s);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            series.values[c].push_back(
                csv.number(columns[c]).value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    std::ranges::sort(all, {}, &ReplicationSeries::replication);
}

/// Reads a demand such as `cpu=2 memory=34359738368`, by the names of `resources`. A resource that
/// is not named has 0.
std::vector<double> read_demand(const CsvReader& csv,
                                std::size_t column,
                                const std::vector<std::string>& resources) {
    std::vector<double> demand;
    std::string_view text = csv.field(column);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (part.empty()) {
            continue;
        }
        const std::size_t equals = part.find('=');
        const auto amount = equals == std::string_view::npos
                                ? std::nullopt
                                : core::parse_number<double>(part.substr(equals + 1));
        if (!amount) {
            csv.fail(column, fmt::format("'{}': expected RESOURCE=NUMBER", part));
        }
        demand.resize(resources.size());
        const auto found = std::ranges::find(resources, part.substr(0, equals));
        if (found != resources.end()) {
            demand[static_cast<std::size_t>(found - resources.begin())] = *amount;
        }
    }
    return demand;
}

/// The data for the picture of the cluster, gathered from three files.
struct ClusterSource {
    std::vector<std::string> levels;
    std::string leaf = "server";
    std::vector<std::string> resources;
    std::vector<NodeRow> nodes;
    std::vector<PodRow> pods;
    core::Interner<std::string> groups;
    core::Interner<std::string> quotas{""};  ///< The first one stands for no quota.
    core::Interner<std::string> stems;
    /// The demand of each group, as an index into demands.
    std::vector<std::uint32_t> group_demand;
    Demands demands{{}};
    std::map<std::string, std::uint32_t, std::less<>> demand_index{{"", 0}};
    std::map<std::string, std::uint32_t, std::less<>> node_index;

    std::uint32_t group(const std::string& name) {
        const std::uint32_t index = groups.number(name);
        group_demand.resize(groups.size());
        return index;
    }
    /// Splits a pod's name. Most names are a text and a number: `generate-17`.
    void set_name(PodRow& pod, std::string_view name) {
        std::size_t digits = name.find_last_not_of("0123456789");
        digits = digits == std::string_view::npos ? 0 : digits + 1;
        // Digits that would be written differently stay with the text: long numbers, and leading
        // zeros.
        digits = std::max(digits, name.size() - std::min<std::size_t>(name.size(), 9));
        while (digits + 1 < name.size() && name[digits] == '0') {
            ++digits;
        }
        pod.number = no_number;
        std::from_chars(name.data() + digits, name.data() + name.size(), pod.number);
        pod.stem = stems.number(std::string(name.substr(0, digits)));
    }

    /// The index of a demand. Few different demands occur in many rows, so each text is read once.
    std::uint32_t demand(const CsvReader& csv, std::size_t column) {
        const auto known = demand_index.find(csv.field(column));
        if (known != demand_index.end()) {
            return known->second;
        }
        const auto index = static_cast<std::uint32_t>(demands.size());
        demands.push_back(read_demand(csv, column, resources));
        demand_index.emplace(csv.field(column), index);
        return index;
    }
};

void read_nodes(const fs::path& path, ClusterSource& source) {
    constexpr std::string_view capacity = "_capacity";
    CsvReader csv(path);
    const std::size_t node = csv.column("node");
    std::vector<std::size_t> levels;
    std::vector<std::size_t> capacities;
    std::vector<std::size_t> backgrounds;
    for (std::size_t c = node + 1; c < csv.header().size(); ++c) {
        const std::string& name = csv.header()[c];
        if (name.ends_with(capacity)) {
            source.resources.push_back(name.substr(0, name.size() - capacity.size()));
            capacities.push_back(c);
            backgrounds.push_back(csv.column(source.resources.back() + "_background"));
        } else if (capacities.empty()) {
            source.levels.push_back(name);
            levels.push_back(c);
        }
    }
    if (capacities.empty()) {
        throw core::InputError(path.string() +
                               ":1:1: error: no resource: expected a column RESOURCE_capacity");
    }
    constexpr double most = 0x1p62;  // no run has so much of a resource
    std::vector<double> totals(capacities.size());
    while (csv.next()) {
        NodeRow row;
        row.name = csv.field(node);
        for (const std::size_t c : levels) {
            row.path.push_back(csv.field(c));
        }
        for (std::size_t r = 0; r < capacities.size(); ++r) {
            row.capacity.push_back(csv.required_number(capacities[r]));
            totals[r] += row.capacity.back();
            if (row.capacity.back() < 0 || totals[r] >= most) {
                csv.fail(capacities[r],
                         fmt::format("'{}': expected from 0 on, and less than 2^62 on all nodes "
                                     "together",
                                     csv.field(capacities[r])));
            }
            row.background.push_back(csv.required_number(backgrounds[r]));
        }
        const auto index = static_cast<std::uint32_t>(source.nodes.size());
        if (!source.node_index.try_emplace(row.name, index).second) {
            csv.fail(node, fmt::format("the node '{}' stands here twice", row.name));
        }
        source.nodes.push_back(std::move(row));
    }
}

void read_groups(const fs::path& path, RunDirectory& run, ClusterSource& source) {
    constexpr std::string_view used = "_used";
    CsvReader csv(path);
    const std::size_t replication = csv.column("replication");
    const std::size_t group = csv.column("group");
    const std::optional<std::size_t> demand = csv.find_column("demand");
    const std::optional<std::size_t> satisfied = csv.find_column("satisfied");
    const std::optional<std::size_t> asked = csv.find_column("asked");
    std::vector<std::size_t> shown;
    std::vector<std::size_t> sampled;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        const std::string& name = csv.header()[c];
        if (name.ends_with(used)) {
            source.leaf = name.substr(0, name.size() - used.size());
        }
        if (c == replication || c == demand) {
            continue;
        }
        shown.push_back(c);
        run.groups.columns.push_back(name);
        const bool instant = name == "submit_s" || name == "start_s" || name == "finish_s";
        if (c != group && c != satisfied && c != asked && !instant) {
            sampled.push_back(c);
            run.group_samples.push_back({name, {}});
        }
    }
    while (csv.next()) {
        for (std::size_t i = 0; i < sampled.size(); ++i) {
            if (const auto value = csv.number(sampled[i])) {
                run.group_samples[i].values.push_back(*value);
            }
        }
        if (csv.whole(replication) != 0) {
            continue;
        }
        const std::uint32_t index = source.group(csv.field(group));
        if (demand) {
            source.group_demand[index] = source.demand(csv, *demand);
        }
        if (run.groups.rows.size() == group_rows_max) {
            ++run.groups.left_out;
            continue;
        }
        std::vector<std::string> row;
        std::ranges::transform(
            shown, std::back_inserter(row), [&](std::size_t c) { return csv.field(c); });
        run.groups.rows.push_back(std::move(row));
    }
    std::erase_if(run.group_samples, [](const Samples& s) { return s.values.empty(); });
}

/// Reads GPUs such as `0-1-4`. GPUs beyond the 64th, and any other text, count as not known.
std::uint64_t read_gpus(std::string_view text) {
    std::uint64_t mask = 0;
    for (const char* at = text.data(); at < text.data() + text.size();) {
        std::uint32_t index = 64;
        const auto [stop, error] = std::from_chars(at, text.data() + text.size(), index);
        if (error != std::errc() || index >= 64) {
            return 0;
        }
        mask |= std::uint64_t{1} << index;
        at = stop + 1;
    }
    return mask;
}

/// The end of each replication; empty if replications.csv does not state it.
std::vector<double> ends_of_replications(const RunDirectory& run) {
    const auto end_s = std::ranges::find(run.replication_samples, "end_s", &Samples::name);
    return end_s == run.replication_samples.end() ? std::vector<double>{} : end_s->values;
}

void read_pods(const fs::path& path,
               const std::vector<double>& end_s,
               RunDirectory& run,
               ClusterSource& source,
               Course& course) {
    CsvReader csv(path);
    const auto [name, replication, group, start, finish, node, outcome, reason] = csv.columns(
        "pod", "replication", "group", "start_s", "finish_s", "node", "outcome", "reason");
    const std::optional<std::size_t> demand = csv.find_column("demand");
    const std::optional<std::size_t> quota = csv.find_column("quota");
    const std::optional<std::size_t> submit = csv.find_column("submit_s");
    const std::optional<std::size_t> devices = csv.find_column("devices");
    std::vector<std::size_t> sampled;
    for (const char* sample : {"wait_s", "jct_s", "slowdown"}) {
        if (const auto column = csv.find_column(sample)) {
            sampled.push_back(*column);
            run.pod_samples.push_back({sample, {}});
        }
    }
    const EarlierRuns evicted = read_earlier_runs(path.parent_path());
    OpenPods open;
    while (csv.next()) {
        for (std::size_t i = 0; i < sampled.size(); ++i) {
            if (const auto value = csv.number(sampled[i])) {
                run.pod_samples[i].values.push_back(*value);
            }
        }
        const std::optional<double> start_s = csv.number(start);
        if (submit) {
            const PodTimes times{csv.whole(replication),
                                 csv.field(name),
                                 csv.field(outcome),
                                 csv.number(*submit).value_or(0),
                                 start_s,
                                 csv.number(finish)};
            std::span<const EarlierRun> earlier;
            if (!evicted.empty()) {
                const auto found = evicted.find({times.replication, csv.field(name)});
                earlier = found == evicted.end() ? earlier : std::span(found->second);
            }
            open.add(times, earlier);
            course.add(times, earlier, 1, source.demands[demand ? source.demand(csv, *demand) : 0]);
        }
        ++run.pods.outcomes[csv.field(outcome)];
        if (!csv.field(reason).empty()) {
            ++run.pods.reasons[csv.field(reason)];
        }
        if (source.nodes.empty() || csv.whole(replication) != 0 || csv.field(node).empty() ||
            !start_s) {
            continue;
        }
        const auto at = source.node_index.find(csv.field(node));
        if (at == source.node_index.end()) {
            csv.fail(node, fmt::format("'{}': expected a node of nodes.csv", csv.field(node)));
        }
        PodRow pod;
        pod.node = at->second;
        pod.group = csv.field(group).empty() ? no_group : source.group(csv.field(group));
        pod.start_s = *start_s;
        pod.finish_s = csv.number(finish).value_or(std::numeric_limits<double>::infinity());
        if (demand && !csv.field(*demand).empty()) {
            pod.demand = source.demand(csv, *demand);
        } else if (pod.group != no_group) {
            pod.demand = source.group_demand[pod.group];
        }
        pod.submit_s = submit ? csv.number(*submit).value_or(pod.start_s) : pod.start_s;
        pod.quota = quota ? source.quotas.number(csv.field(*quota)) : 0;
        pod.gpus = devices ? read_gpus(csv.field(*devices)) : 0;
        source.set_name(pod, csv.field(name));
        source.pods.push_back(pod);
    }
    open.add_to(run.pod_samples, end_s);
    std::erase_if(run.pod_samples, [](const Samples& s) { return s.values.empty(); });
}

/// The largest amount of a resource that any server has.
double largest_server(const Cluster& cluster) {
    double most = 0;
    for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
        const bool gpus = core::find_gpu_resource(cluster.resources[r]) != nullptr;
        for (const Cell& cell : cluster.cells) {
            most = gpus ? std::max(most, cell.capacity[r]) : most;
        }
    }
    return most;
}

}  // namespace

bool is_of_quota(std::string_view metric) {
    constexpr std::string_view beginning = "quota/";
    return metric.starts_with(beginning) &&
           metric.find('/', beginning.size() + 1) != std::string_view::npos;
}

std::vector<MetricSummary> read_metrics(const fs::path& run) {
    RunDirectory out;
    read_summary(run, out);
    return out.metrics;
}

RunDirectory read_run_directory(const fs::path& path) {
    const auto has = [&](const char* file) { return has_table(path / file); };
    RunDirectory run;
    run.directory = run_name(path);
    read_summary(path, run);
    if (run.experiment.empty()) {
        run.experiment = run.directory;
    }
    if (has("replications.csv")) {
        read_replications(path / "replications.csv", run);
    }
    if (has("timeseries.csv")) {
        read_timeseries(path / "timeseries.csv", run);
    }
    ClusterSource source;
    if (has("nodes.csv")) {
        read_nodes(path / "nodes.csv", source);
    }
    if (has("groups.csv")) {
        read_groups(path / "groups.csv", run, source);
    }
    const std::vector<double> end_s = ends_of_replications(run);
    Course course(end_s, source.resources);
    if (has("pods.csv")) {
        read_pods(path / "pods.csv", end_s, run, source, course);
    } else if (has("jobs.csv")) {
        course.add_jobs(path / "jobs.csv");
    }
    if (!source.nodes.empty()) {
        run.cluster = build_cluster(
            std::move(source.levels),
            std::move(source.leaf),
            std::move(source.resources),
            source.nodes,
            std::move(source.pods),
            PodNames{source.groups.values(), source.quotas.values(), source.stems.values()},
            std::move(source.demands));
        run.course = course.series(*run.cluster);
        const bool some_run = std::ranges::any_of(
            run.cluster->pods, [](const PodRow& pod) { return !std::isfinite(pod.finish_s); });
        if (some_run && !end_s.empty()) {
            run.cluster->last_s = std::max(run.cluster->last_s, end_s.front());
        }
    }
    run.quotas = read_quotas(path);
    run.of_schedulers = read_scheduler_results(
        path, run.replications, end_s.empty() ? std::nullopt : std::optional(end_s.front()));
    if (has("jobs.csv")) {
        run.job_traits = read_job_traits(path / "jobs.csv", run.metrics);
    }
    run.devices = read_devices(path);
    run.failures = read_failures(path);
    if (run.failures && run.cluster && run.failures->size_of == "gpus") {
        run.failures->server_size = largest_server(*run.cluster);
    }
    if (has("experiment.yaml")) {
        run.configuration = core::text_of_file(path / "experiment.yaml");
        run.setup = read_setup(run.configuration);
        if (run.configuration.size() > configuration_bytes_max) {
            run.configuration.resize(configuration_bytes_max);
            run.configuration += "\n# ... the rest is in experiment.yaml\n";
        }
    }
    if (has("manifest.json")) {
        run.origin = read_facts(path / "manifest.json");
    }
    if (has("run.json")) {
        run.machine = read_facts(path / "run.json");
    }
    return run;
}

}  // namespace berth::report
