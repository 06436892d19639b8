// Queues with a known long-run answer: the metrics of a run are compared with the formulas, within
// the limits of chance, and the order of jobs with a recursion, to the nanosecond.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "closed_form.hpp"
#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Jobs of one CPU each that arrive every 100 s on average, on servers with one CPU each.
std::string queue(int servers, const std::string& service, const std::string& retry) {
    return fmt::format(R"(kind: Experiment
metadata: {{name: queue}}
spec:
  seed: 1
  replications: 20
  topology:
    spec:
      levels: [{{name: server, count: {}}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 1}}}}}}
  types: {{one: {{cpu: 1}}}}
  workload:
    - generate:
        arrivals: {{distribution: exponential, mean: 100s}}
        service: {}
        count: 10000
        type: one
  scheduler: {{retry: {}}}
  record: {{placements: false, from: 100000s, sampleEvery: 100000s}}
)",
                       servers,
                       service,
                       retry);
}

/// Erlang's B, by its recursion: the share of jobs that find all servers taken and are lost.
double erlang_b(int servers, double load) {
    double lost = 1;
    for (int n = 1; n <= servers; ++n) {
        lost = load * lost / (n + load * lost);
    }
    return lost;
}

/// Erlang's C: the share of jobs that wait.
double erlang_c(int servers, double load) {
    const double lost = erlang_b(servers, load);
    const double busy = load / servers;
    return lost / (1 - busy * (1 - lost));
}

struct Law {
    std::string what;
    int servers;
    std::string service;
    std::string wrong;  ///< The same service, but 3 % longer.
    std::string retry;
    std::string metric;
    double exact;
};

/// The mean wait in M/G/1, which depends only on the first two moments of the service time
/// (Pollaczek, Khinchine).
double m_g_1(double mean, double second_moment) {
    constexpr double every = 100;
    return second_moment / every / (2 * (1 - mean / every));
}

std::vector<Law> laws() {
    constexpr double load = 2.8;
    const double gain = (4 - load) / 280;  // four servers' service rate minus the arrival rate
    const std::string four = "{distribution: exponential, mean: 280s}";
    const std::string slow_four = "{distribution: exponential, mean: 288400ms}";
    return {
        {"M/M/1, mean wait",
         1,
         "{distribution: exponential, mean: 70s}",
         "{distribution: exponential, mean: 72100ms}",
         "always",
         "wait_s_mean",
         70 * 0.7 / 0.3},
        {"M/D/1, mean wait",
         1,
         "{distribution: constant, value: 70s}",
         "{distribution: constant, value: 72100ms}",
         "always",
         "wait_s_mean",
         m_g_1(70, 70 * 70)},
        {"M/G/1 with uniform services, mean wait",
         1,
         "{distribution: uniform, min: 40s, max: 100s}",
         "{distribution: uniform, min: 41200ms, max: 103s}",
         "always",
         "wait_s_mean",
         m_g_1(70, 70 * 70 + 60 * 60 / 12.0)},
        {"M/G/1 with log-normal services, mean wait",
         1,
         "{distribution: log-normal, mean: 70s, variation: 1.2}",
         "{distribution: log-normal, mean: 72100ms, variation: 1.2}",
         "always",
         "wait_s_mean",
         m_g_1(70, 70 * 70 * (1 + 1.2 * 1.2))},
        {"M/M/4, mean wait", 4, four, slow_four, "always", "wait_s_mean", erlang_c(4, load) / gain},
        {"M/M/4, 95th percentile of waits",
         4,
         four,
         slow_four,
         "always",
         "wait_s_p95",
         std::log(erlang_c(4, load) / 0.05) / gain},
        {"M/M/8/8, who is served",
         8,
         "{distribution: exponential, mean: 600s}",
         "{distribution: exponential, mean: 618s}",
         "never",
         "success_rate",
         1 - erlang_b(8, 6)},
        {"M/G/8/8, who is served, whatever the distribution",
         8,
         "{distribution: uniform, min: 0s, max: 1200s}",
         "{distribution: uniform, min: 0s, max: 1236s}",
         "never",
         "success_rate",
         1 - erlang_b(8, 6)},
    };
}

/// Converts seconds with up to nine digits after the point.
std::int64_t nanoseconds(const std::string& seconds) {
    const std::size_t point = std::min(seconds.find('.'), seconds.size());
    std::string digits = seconds.substr(0, point);
    std::string fraction = point < seconds.size() ? seconds.substr(point + 1) : "";
    fraction.resize(9, '0');
    return std::stoll(digits + fraction);
}

/// Arrivals in clusters, and services of which few make up most of the work, on five servers.
std::string five_servers(const std::string& order) {
    std::string text = queue(5, "{distribution: weibull, shape: 0.6, scale: 280s}", "always");
    text = replaced(text, "exponential, mean: 100s", "log-normal, mean: 100s, variation: 2.5");
    text = replaced(text, "replications: 20", "replications: 1");
    text = replaced(text,
                    "record: {placements: false, from: 100000s, sampleEvery: 100000s}",
                    "record: {sampleEvery: 100000s}");
    return replaced(text, "retry: always", "profile: {queueSort: " + order + "}");
}

/// The number of jobs whose wait differs from the recursion of Kiefer and Wolfowitz, which only
/// knows, for each server, how long it still works when a job arrives. Jobs and services are those
/// of `berth workload`, which schedules nothing.
std::size_t other_waits(const Folder& folder) {
    const auto jobs = csv_rows(done(folder, {"workload", "five.yaml", "--format", "csv"}));
    const auto pods = csv_rows(folder.read("out/pods.csv"));
    REQUIRE(jobs.size() == 10'000);
    REQUIRE(pods.size() == jobs.size());
    std::vector<std::int64_t> left(5, 0);
    std::int64_t before = 0;
    std::size_t other = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::int64_t submit = nanoseconds(jobs[i].at("submit_s"));
        for (std::int64_t& work : left) {
            work = std::max<std::int64_t>(work - (submit - before), 0);
        }
        std::ranges::sort(left);
        before = submit;
        const bool same = pods[i].at("pod") == jobs[i].at("job") &&
                          nanoseconds(pods[i].at("wait_s")) == left.front() &&
                          nanoseconds(pods[i].at("start_s")) == submit + left.front();
        other += same ? 0 : 1;
        left.front() += nanoseconds(jobs[i].at("duration_s"));
    }
    return other;
}

}  // namespace

TEST_CASE("closed forms: a queue's long run is what its formula says", "[cli][closed-forms]") {
    // Over 20 replications, a correct program is more than four standard errors off with one seed
    // in 1300; services that are 3 % longer than in the formula are detected.
    constexpr double bound = 4;
    const Law law = GENERATE(from_range(laws()));
    CAPTURE(law.what);
    const Folder folder;
    const auto off = [&](const std::string& service) {
        return errors_off(folder, queue(law.servers, service, law.retry), law.metric, law.exact);
    };
    CHECK(std::abs(off(law.service)) < bound);
    CHECK(std::abs(off(law.wrong)) > bound);
}

TEST_CASE("closed forms: first come, first served is Kiefer and Wolfowitz' recursion",
          "[cli][closed-forms]") {
    const Folder folder;
    folder.write("five.yaml", five_servers("fcfs"));
    (void)done(folder, {"run", "five.yaml", "-q", "-o", "out"});
    CHECK(other_waits(folder) == 0);
    folder.write("five.yaml", five_servers("shortest-job"));
    (void)done(folder, {"run", "five.yaml", "-q", "-o", "out"});
    CHECK(other_waits(folder) > 100);
}

TEST_CASE("closed forms: Little's law holds for the queue and for the servers",
          "[cli][closed-forms]") {
    // In a run that begins and ends empty, the law is an identity for any order.
    const std::string order = GENERATE("fcfs", "shortest-job", "longest-job");
    const Folder folder;
    folder.write("five.yaml", five_servers(order));
    (void)done(folder, {"run", "five.yaml", "-q", "-o", "out"});
    double waited = 0;
    double served = 0;
    for (const CsvRow& row : csv_rows(folder.read("out/pods.csv"))) {
        waited += std::stod(row.at("wait_s"));
        served += std::stod(row.at("finish_s")) - std::stod(row.at("start_s"));
    }
    const CsvRow run = csv_rows(folder.read("out/replications.csv")).at(0);
    const double end = std::stod(run.at("end_s"));
    CHECK(std::stod(run.at("queue_length_mean")) * end == Approx(waited).epsilon(1e-9));
    CHECK(std::stod(run.at("cpu_utilization")) * 5 * end == Approx(served).epsilon(1e-9));
    CHECK(waited > 100 * 10'000);  // there was a queue
}

namespace {

/// A quota that wants a given number of 1000 CPUs.
struct Sibling {
    std::string name;
    double min;
    double max;
    double wanted;  ///< Infinite: more than its max.
};

/// The shares of a fluid that fills vessels: each gets its min, as far as it wants that, and then
/// shares in proportion to its max until nothing is left. Computed by bisection of the level.
std::vector<double> fluid_shares(const std::vector<Sibling>& siblings, double total) {
    std::vector<double> shares(siblings.size());
    double low = 0;
    double high = 1;
    for (int step = 0; step < 100; ++step) {
        const double level = (low + high) / 2;
        double sum = 0;
        for (std::size_t i = 0; i < siblings.size(); ++i) {
            const Sibling& one = siblings[i];
            const double most = std::min(one.wanted, one.max);
            shares[i] = std::min(most, std::min(one.min, most) + level * one.max);
            sum += shares[i];
        }
        (sum < total ? low : high) = level;
    }
    return shares;
}

const std::vector<Sibling> siblings{
    {"a", 100, 1000, 1e9}, {"b", 100, 500, 1e9}, {"c", 100, 1000, 200}, {"d", 0, 250, 1e9}};

/// More jobs than there is room for in three quotas, and 200 jobs that never end in the fourth.
std::string four_quotas(double max_of_b) {
    std::string quotas;
    std::string sources = "    - pods: [{type: one, quota: c, count: 200}]\n";
    for (const Sibling& one : siblings) {
        quotas += fmt::format(
            "        - {{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, "
            "metadata: {{name: {}}}, spec: {{min: {{cpu: {}}}, max: {{cpu: {}}}}}}}\n",
            one.name,
            one.min,
            one.name == "b" ? max_of_b : one.max);
        if (one.name != "c") {
            sources += fmt::format(
                "    - generate: {{name: {0}, quota: {0}, type: one, until: 8h, arrivals: "
                "{{distribution: exponential, mean: 3s}}, service: {{distribution: exponential, "
                "mean: 1h}}}}\n",
                one.name);
        }
    }
    return R"(kind: Experiment
metadata: {name: fair}
spec:
  until: 8h
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 1000}}}
  types: {one: {cpu: 1}}
  quotas:
    - objects:
)" + quotas +
           "  workload:\n" + sources + R"(  scheduler: {profile: {preFilter: [elastic-quota]}}
  record: {placements: false, from: 4h}
)";
}

/// The greatest distance of any quota from its fluid share, averaged over time, in CPUs.
double farthest(const Folder& folder, double max_of_b) {
    folder.write("fair.yaml", four_quotas(max_of_b));
    (void)done(folder, {"run", "fair.yaml", "-q", "-o", "out"});
    const CsvRow run = csv_rows(folder.read("out/replications.csv")).at(0);
    const std::vector<double> shares = fluid_shares(siblings, 1000);
    double most = 0;
    for (std::size_t i = 0; i < siblings.size(); ++i) {
        const double used =
            1000 * std::stod(run.at("quota/" + siblings[i].name + "/dominant_share"));
        most = std::max(most, std::abs(used - shares[i]));
    }
    return most;
}

}  // namespace

TEST_CASE("closed forms: quotas with work for ever get what a fluid would",
          "[cli][closed-forms][quota]") {
    // Shares are whole CPUs: each may be off by one, and one CPU stays idle if no quota may have
    // it.
    const Folder folder;
    CHECK(farthest(folder, 500) < 2);
    CHECK(farthest(folder, 515) > 2);  // a weight that is 3 % off is detected
}
