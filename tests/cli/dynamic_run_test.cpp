#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string day = R"(kind: Experiment
metadata: {name: day}
spec:
  seed: 11
  replications: 2
  topology:
    spec:
      levels: [{name: rack, count: 4}, {name: server, count: [6, 8, 6, 4]}]
      machines: [{type: big, weight: 1}, {type: small, weight: 3}]
      machineTypes:
        big: {capacity: {cpu: 32}}
        small: {capacity: {cpu: 16}}
  types:
    one: {cpu: 1}
    four: {cpu: 4}
    half: {cpu: 500m}
  workload:
    - background: {load: 0.2, full: 0.1, idle: 0.3, variation: 1}
    - groups:
        - file: elastic.yaml
          at: 1h
          lifetime: 10h
          resize: [{at: 3h, size: 20}, {at: 5h, size: 4}, {at: 7h, size: 12}]
    - generate:
        name: singles
        arrivals: {distribution: exponential, mean: 90s}
        service: {distribution: log-normal, mean: 1h, variation: 2}
        mix: [{type: one, weight: 2}, {type: half}, {type: four}]
        until: 24h
    - generate:
        name: gangs
        arrivals: {distribution: exponential, mean: 15m}
        service: {distribution: log-normal, mean: 40m, variation: 1}
        until: 24h
        mix:
          - group:
              kind: GroupPlacement
              spec:
                group: {name: packed, size: 12, type: four}
                constraints: [{level: rack, affinity: pack, soft: true}]
          - group:
              kind: GroupPlacement
              spec:
                group: {name: spread, size: 8, minAvailable: 3, type: four}
                constraints: [{level: rack, affinity: spread, soft: true}]
  scheduler:
    period: 0s
    retry: always
  record: {sampleEvery: 10m}
)";

const std::string elastic = R"(kind: GroupPlacement
spec:
  group: {name: elastic, size: 10, type: one}
  constraints: [{level: rack, affinity: pack, soft: true}]
)";

double number(const CsvRow& row, const std::string& column) {
    const std::string& text = row.at(column);
    return text.empty() ? NAN : std::stod(text);
}

double demand_of(const CsvRow& pod) {
    const std::string& group = pod.at("group");
    if (group.starts_with("packed") || group.starts_with("spread")) {
        return 4;
    }
    return group == "elastic" ? 1 : NAN;
}

/// The results of one replication of the day.
struct Day {
    std::vector<CsvRow> pods;
    std::vector<CsvRow> groups;
    std::vector<CsvRow> samples;
    std::map<std::string, double> demands;  ///< Demands of single pods, by name.
    double end = 0;

    double demand(const CsvRow& pod) const {
        const auto single = demands.find(pod.at("pod"));
        return single != demands.end() ? single->second : demand_of(pod);
    }
    double stop(const CsvRow& pod) const {
        const double finish = number(pod, "finish_s");
        return std::isnan(finish) ? end : finish;
    }
};

std::vector<CsvRow> of_replication(const std::vector<CsvRow>& rows, const std::string& number) {
    std::vector<CsvRow> out;
    std::ranges::copy_if(rows, std::back_inserter(out), [&](const CsvRow& row) {
        return row.at("replication") == number;
    });
    return out;
}

Folder& ran(Folder& folder, const std::string& experiment) {
    folder.write("elastic.yaml", elastic);
    folder.write("day.yaml", experiment);
    (void)done(folder, {"run", "day.yaml", "--quiet"});
    return folder;
}

Day day_of(const Folder& folder) {
    Day out;
    out.pods = of_replication(csv_rows(folder.read("out/day/pods.csv")), "0");
    out.groups = of_replication(csv_rows(folder.read("out/day/groups.csv")), "0");
    out.samples = of_replication(csv_rows(folder.read("out/day/timeseries.csv")), "0");
    for (const CsvRow& job : csv_rows(done(folder, {"workload", "day.yaml", "--format", "csv"}))) {
        const std::string& cpu = job.at("cpu");
        if (job.at("group") == "false") {
            out.demands[job.at("job")] = cpu == "500m" ? 0.5 : std::stod(cpu);
        }
    }
    for (const CsvRow& pod : out.pods) {
        const double finish = number(pod, "finish_s");
        out.end = std::isnan(finish) ? out.end : std::max(out.end, finish);
    }
    return out;
}

std::string with_period(const std::string& period) {
    return replaced(day, "period: 0s", "period: " + period);
}

std::string without_samples(const std::string& experiment) {
    return replaced(experiment, "  record: {sampleEvery: 10m}\n", "");
}

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max({1.0, a, b});
}

}  // namespace

TEST_CASE("day: no server holds more than its capacity at any instant", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, with_period(GENERATE("0s", "1s"))));
    std::map<std::string, std::vector<std::pair<double, double>>> changes;
    for (const CsvRow& pod : run.pods) {
        if (!pod.at("node").empty()) {
            changes[pod.at("node")].emplace_back(number(pod, "start_s"), run.demand(pod));
            changes[pod.at("node")].emplace_back(run.stop(pod), -run.demand(pod));
        }
    }
    for (const CsvRow& node : csv_rows(folder.read("out/day/nodes.csv"))) {
        auto& list = changes[node.at("node")];
        std::ranges::sort(list);  // at one instant, ends come before starts
        double used = number(node, "cpu_background");
        double most = used;
        for (const auto& [at, change] : list) {
            used += change;
            most = std::max(most, used);
        }
        CAPTURE(node.at("node"));
        CHECK(most <= number(node, "cpu_capacity"));
        CHECK(used == number(node, "cpu_background"));
    }
}

TEST_CASE("day: every pod has one row, in order of arrival, and times that agree",
          "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, with_period(GENERATE("0s", "1s"))));
    std::set<std::string> names;
    double before = 0;
    std::string group;
    for (const CsvRow& pod : run.pods) {
        CAPTURE(pod.at("pod"));
        CHECK(names.insert(pod.at("pod")).second);
        const double submit = number(pod, "submit_s");
        // A member that joined a running group is listed with its group, but came later.
        const bool joined = !pod.at("group").empty() && pod.at("group") == group && submit > before;
        CHECK((submit >= before || joined));
        before = joined ? before : submit;
        group = pod.at("group");
        const std::string& outcome = pod.at("outcome");
        const bool placed = outcome == "finished";
        // Only a group that may start without all its members continues without them.
        CHECK((placed || (outcome == "dropped" && pod.at("group").starts_with("spread"))));
        CHECK(pod.at("node").empty() != placed);
        if (placed) {
            CHECK(close(number(pod, "wait_s"), number(pod, "start_s") - submit));
            CHECK(close(number(pod, "jct_s"), number(pod, "finish_s") - submit));
            CHECK(number(pod, "start_s") >= submit);
        }
    }
    CHECK(run.pods.size() > 1000);
    CHECK(std::ranges::all_of(run.demands,
                              [&](const auto& job) { return names.contains(job.first); }));
}

TEST_CASE("day: with a period, everything starts at a tick", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, with_period("10s")));
    for (const CsvRow& pod : run.pods) {
        if (const double start = number(pod, "start_s"); !std::isnan(start)) {
            CAPTURE(pod.at("pod"));
            CHECK(std::fmod(start, 10) == 0);
        }
    }
}

TEST_CASE("day: a group starts at once, with as many as must", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, with_period(GENERATE("0s", "1s"))));
    std::map<std::string, std::vector<const CsvRow*>> members;
    for (const CsvRow& pod : run.pods) {
        if (!pod.at("group").empty()) {
            members[pod.at("group")].push_back(&pod);
        }
    }
    REQUIRE(members.size() == run.groups.size());
    for (const CsvRow& group : run.groups) {
        const std::string& name = group.at("group");
        if (name == "elastic") {
            continue;
        }
        CAPTURE(name);
        const auto& own = members.at(name);
        const auto started = std::ranges::count_if(
            own, [&](const CsvRow* pod) { return pod->at("start_s") == group.at("start_s"); });
        CHECK(own.size() == static_cast<std::size_t>(number(group, "size")));
        CHECK(static_cast<double>(started) == number(group, "placed"));
        CHECK(started >= (name.starts_with("spread") ? 3 : 12));
        CHECK(close(number(group, "wait_s"), number(group, "start_s") - number(group, "submit_s")));
    }
    CHECK(run.groups.size() > 50);
}

TEST_CASE("day: a group grows and shrinks when it is told to", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, day));
    const auto running_at = [&](double at) {
        return std::ranges::count_if(run.pods, [&](const CsvRow& pod) {
            return pod.at("group") == "elastic" && number(pod, "start_s") <= at &&
                   run.stop(pod) > at;
        });
    };
    const double hour = 3600;
    CHECK(running_at(2 * hour) == 10);
    CHECK(running_at(4 * hour) == 20);
    CHECK(running_at(6 * hour) == 4);
    CHECK(running_at(8 * hour) == 12);
    CHECK(running_at(11.5 * hour) == 0);
}

TEST_CASE("day: the mean utilization is the one that the pods give", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, without_samples(with_period(GENERATE("0s", "1s")))));
    double capacity = 0;
    double used = 0;
    for (const CsvRow& node : csv_rows(folder.read("out/day/nodes.csv"))) {
        capacity += number(node, "cpu_capacity");
        used += number(node, "cpu_background") * run.end;
    }
    for (const CsvRow& pod : run.pods) {
        if (!pod.at("node").empty()) {
            used += run.demand(pod) * (run.stop(pod) - number(pod, "start_s"));
        }
    }
    const auto rows = csv_rows(folder.read("out/day/replications.csv"));
    CHECK(number(rows.front(), "cpu_utilization") == Approx(used / capacity / run.end));
    const auto summary = nlohmann::json::parse(folder.read("out/day/summary.json"));
    const double mean =
        (number(rows[0], "cpu_utilization") + number(rows[1], "cpu_utilization")) / 2;
    CHECK(summary.at("metrics").at("cpu_utilization").at("mean").get<double>() == Approx(mean));
}

TEST_CASE("day: each sample counts the pods that run and wait at its time", "[cli][dynamic]") {
    Folder folder;
    const Day run = day_of(ran(folder, day));
    REQUIRE(run.samples.size() > 100);
    for (const CsvRow& sample : run.samples) {
        const double at = number(sample, "time_s");
        double running = 0;
        for (const CsvRow& pod : run.pods) {
            running += number(pod, "start_s") <= at && run.stop(pod) > at ? 1 : 0;
        }
        CAPTURE(at);
        CHECK(number(sample, "pods_running") == running);
        // The last sample shows the end of the work, whenever that is.
        CHECK((std::fmod(at, 600) == 0 || &sample == &run.samples.back()));
    }
}

TEST_CASE("day: what is measured does not depend on how often it is sampled", "[cli][dynamic]") {
    Folder folder;
    const std::string seldom = replaced(day, "sampleEvery: 10m", "sampleEvery: 6h");
    const std::string often = ran(folder, day).read("out/day/replications.csv");
    CHECK(ran(folder, seldom).read("out/day/replications.csv") == often);
    CHECK(ran(folder, without_samples(day)).read("out/day/replications.csv") == often);
}

TEST_CASE("day: a member that a group goes on without has a reason", "[cli][dynamic]") {
    Folder folder;
    std::size_t without_reason = 0;
    for (const CsvRow& pod : day_of(ran(folder, day)).pods) {
        without_reason += pod.at("outcome") == "dropped" && pod.at("reason").empty() ? 1 : 0;
    }
    CHECK(without_reason == 0);
}
