// Failures with a known long-run answer: shares of time and numbers of interruptions are compared
// with the formulas, within the limits of chance.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "closed_form.hpp"
#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

constexpr double bound = 4;  ///< Standard errors: one seed in 1300 is farther off by chance.

/// Racks of servers in which things fail, in 20 replications, each of which lasts for 2000 failures
/// of each thing.
std::string racks(int count, int servers, const std::string& failures, const std::string& rest) {
    return fmt::format(R"(kind: Experiment
metadata: {{name: racks}}
spec:
  seed: 4
  replications: 20
  topology:
    spec:
      levels: [{{name: rack, count: {}}}, {{name: server, count: {}}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 1}}}}}}
  types: {{one: {{cpu: 1}}}}
  failures: {{{}}}
  until: 200000s
{})",
                       count,
                       servers,
                       failures,
                       rest.empty() ? "  record: {from: 2000s}\n" : rest);
}

/// The machine-repair queue: the mean number of working machines if each fails after `works` and
/// one of the crews repairs it in `repair`, both exponential.
double working(int machines, int crews, double works, double repair) {
    double weight = 1;
    double total = 1;
    double sum = machines;
    for (int broken = 1; broken <= machines; ++broken) {
        weight *= (machines - broken + 1) / works * repair / std::min(broken, crews);
        total += weight;
        sum += weight * (machines - broken);
    }
    return sum / total;
}

struct Law {
    std::string what;
    std::string experiment;
    std::string metric;
    double exact;
};

std::vector<Law> laws() {
    const std::string board = "{name: board, level: server, mtbf: 100s, repair: {mean: 25s}}";
    const std::string power = "{name: power, level: rack, mtbf: 90s, repair: 10s}";
    return {
        {"a server's availability is MTBF / (MTBF + MTTR)",
         racks(1, 4, fmt::format("random: [{}]", board), ""),
         "availability_server",
         0.8},
        {"nothing is repaired before it is detected",
         racks(1, 4, fmt::format("random: [{}], detection: 15s", board), ""),
         "availability_server",
         100.0 / (100 + 15 + 25)},
        {"whatever the distributions",
         racks(1,
               4,
               "random: [{name: board, level: server, mtbf: 100s, distribution: weibull, shape: "
               "0.7, repair: {distribution: log-normal, mean: 25s, variation: 2}}]",
               ""),
         "availability_server",
         0.8},
        {"a rack's availability",
         racks(4, 1, fmt::format("random: [{}, {}]", board, power), ""),
         "availability_rack",
         0.9},
        {"a server needs its rack",
         racks(4, 1, fmt::format("random: [{}, {}]", board, power), ""),
         "availability_server",
         0.8 * 0.9},
        {"lemons fail more often",
         racks(1, 40, fmt::format("random: [{}], lemons: {{share: 1, factor: 4}}", board), ""),
         "availability_server",
         25.0 / (25 + 25)},
        {"crews are a queue of machines to repair",
         racks(1, 10, fmt::format("random: [{}], crews: 2", board), ""),
         "availability_server",
         working(10, 2, 100, 25) / 10},
        {"a job of n servers is interrupted n times as often as one of them",
         racks(8,
               4,
               "random: [{name: board, level: server, rate: 1/6400s, repair: 0s}]",
               "  workload: [{groups: [{document: {kind: GroupPlacement, spec: {group: {name: g, "
               "size: 32, type: one}}}, at: 0s}]}]\n"),
         "mttf_s",
         200},
    };
}

/// The level of outages in a replication, at each instant at which it changes.
using Steps = std::map<double, int>;

/// The share of time, from `from` on, in which the level of outages is at most `most`.
double share_at_most(const Steps& steps, int most, double from, double until) {
    double last = 0;
    double held = 0;
    int out = 0;
    const auto pass = [&](double now) {
        held += out <= most ? std::max(std::min(now, until) - std::max(last, from), 0.0) : 0;
        last = now;
    };
    for (const auto& [at, more] : steps) {
        pass(at);
        out += more;
    }
    pass(until);
    return held / (until - from);
}

constexpr double mtbf = 1000;  ///< Seconds between failures of the checkpointed server.

/// A job with this much work, in 20 replications, on a server that is back as soon as it has
/// failed. `terms`: those of a checkpoint in an experiment.
std::string writing(const std::string& terms, double work) {
    return fmt::format(R"(kind: Experiment
metadata: {{name: writing}}
spec:
  seed: 4
  replications: 20
  topology:
    spec:
      levels: [{{name: server, count: 1}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 1}}}}}}
  types: {{one: {{cpu: 1, checkpoint: {}}}}}
  workload: [{{pods: [{{name: job, type: one, lifetime: {}s}}]}}]
  failures: {{random: [{{name: board, level: server, mtbf: {}s, repair: 0s}}]}}
  scheduler: {{onFailure: {{name: requeue, giveUpAfter: 1000000000}}}}
  record: {{placements: false}}
)",
                       terms,
                       work,
                       mtbf);
}

std::string writing(const std::string& every, double takes, double restart, double work) {
    return writing(fmt::format("{{every: {}, takes: {}s, restart: {}s}}", every, takes, restart),
                   work);
}

}  // namespace

TEST_CASE("closed forms: what fails is out as long as its formula says", "[cli][closed-forms]") {
    const Law law = GENERATE(from_range(laws()));
    CAPTURE(law.what);
    const Folder folder;
    CHECK(std::abs(errors_off(folder, law.experiment, law.metric, law.exact)) < bound);
    CHECK(std::abs(errors_off(folder, law.experiment, law.metric, law.exact * 1.03)) > bound);
}

TEST_CASE("closed forms: how many servers are up is binomial", "[cli][closed-forms]") {
    const Folder folder;
    folder.write(
        "closed.yaml",
        racks(
            1, 18, "random: [{name: board, level: server, mtbf: 190s, repair: {mean: 10s}}]", ""));
    (void)done(folder, {"run", "closed.yaml", "-q", "-o", "out"});
    std::vector<Steps> steps(20);
    for (const CsvRow& row : csv_rows(folder.read("out/failures.csv"))) {
        Steps& here = steps.at(std::stoul(row.at("replication")));
        here[std::stod(row.at("time_s"))] += 1;
        if (!row.at("repaired_s").empty()) {
            here[std::stod(row.at("repaired_s"))] -= 1;
        }
    }
    double exact = 0;
    for (int out = 0; out <= 2; ++out) {
        exact += std::tgamma(19.0) / std::tgamma(out + 1.0) / std::tgamma(19.0 - out) *
                 std::pow(0.05, out) * std::pow(0.95, 18 - out);
    }
    std::vector<double> shares;
    for (const Steps& here : steps) {
        shares.push_back(share_at_most(here, 2, 2000, 200'000));
    }
    CHECK(std::abs(standard_errors_off(shares, exact)) < bound);
    CHECK(std::abs(standard_errors_off(shares, exact * 1.01)) > bound);
}

TEST_CASE("closed forms: a rack's failures hold its servers up together", "[cli][closed-forms]") {
    // Two servers in one rack need two boards and one rack; in two racks, two boards and two racks.
    const Folder folder;
    folder.write("closed.yaml",
                 racks(2,
                       2,
                       "random: [{name: board, level: server, mtbf: 100s, repair: {mean: 25s}}, "
                       "{name: power, level: rack, mtbf: 90s, repair: 10s}]",
                       ""));
    (void)done(folder, {"run", "closed.yaml", "-q", "-o", "out"});
    const auto rows = csv_rows(folder.read("out/failures.csv"));
    const auto off = [&](const std::vector<std::string>& needed, double exact) {
        std::vector<Steps> steps(20);
        for (const CsvRow& row : rows) {
            if (std::ranges::find(needed, row.at("component")) != needed.end()) {
                Steps& here = steps.at(std::stoul(row.at("replication")));
                here[std::stod(row.at("time_s"))] += 1;
                here[row.at("repaired_s").empty() ? 1e9 : std::stod(row.at("repaired_s"))] -= 1;
            }
        }
        std::vector<double> shares;
        for (const Steps& here : steps) {
            shares.push_back(share_at_most(here, 0, 2000, 200'000));
        }
        return std::abs(standard_errors_off(shares, exact));
    };
    CHECK(off({"server-0", "server-1", "rack-0"}, 0.8 * 0.8 * 0.9) < bound);
    CHECK(off({"server-0", "server-2", "rack-0", "rack-1"}, 0.8 * 0.8 * 0.9 * 0.9) < bound);
    CHECK(off({"server-0", "server-1", "rack-0"}, 0.8 * 0.8 * 0.9 * 0.9) > bound);
}

TEST_CASE("closed forms: work with checkpoints takes Daly's expected time", "[cli][closed-forms]") {
    // 99.9 % of means of 20 values lie within this many of their standard errors (Student's t).
    constexpr double bound_of_20 = 3.883;
    const auto [every, takes, restart, intervals] = GENERATE(table<double, double, double, int>({
        {20, 1, 30, 50'000},
        {100, 10, 50, 30'000},
        {500, 50, 100, 30'000},
        {1000, 100, 300, 20'000},
        {1500, 200, 100, 15'000},
        {2000, 100, 500, 10'000},
    }));
    CAPTURE(every, takes, restart);
    const Folder folder;
    const double work = every * intervals;
    const std::string experiment = writing(fmt::format("{}s", every), takes, restart, work);
    const double exact = expected_time({every, takes, restart, mtbf}, work);
    const std::vector<double> times = values_of(folder, experiment, "job_jct_s_mean");
    const double off = standard_errors_off(times, exact);
    CAPTURE(off, standard_errors_off(times, 0));
    CHECK(std::abs(off) < bound_of_20);
    CHECK(std::abs(standard_errors_off(times, exact * 1.02)) > bound_of_20);
    // Each of these would be a different model: a restart before each interval, no restart at all,
    // and writes that take no time.
    const double restarts_first = expected_time({every, takes + restart, 0, mtbf}, work);
    const double never_restarts = expected_time({every, takes, 0, mtbf}, work);
    const double never_writes = expected_time({every, 0, restart, mtbf}, work);
    for (const double other : {restarts_first, never_restarts, never_writes}) {
        CHECK(std::abs(standard_errors_off(times, other)) > bound_of_20);
    }
}

TEST_CASE("closed forms: a write beside the work costs as much as a longer restart does",
          "[cli][closed-forms]") {
    // Between two saves, an interval's work and its stop pass. After a failure, the next save needs
    // the restart, these two, and the rest of the write: Daly's time with a write as long as the
    // stop, and with a restart that is longer by the rest.
    constexpr double bound_of_20 = 3.883;
    const auto [every, takes, stall, restart, intervals] =
        GENERATE(table<double, double, double, double, int>({
            {200, 150, 5, 30, 30'000},
            {1000, 400, 0, 100, 15'000},
        }));
    CAPTURE(every, takes, stall, restart);
    const Folder folder;
    const double work = every * intervals;
    const std::string terms = fmt::format(
        "{{every: {}s, takes: {}s, stall: {}s, restart: {}s}}", every, takes, stall, restart);
    const std::vector<double> times = values_of(folder, writing(terms, work), "job_jct_s_mean");
    const double exact = expected_time({every, stall, restart + takes - stall, mtbf}, work);
    const double off = standard_errors_off(times, exact);
    CAPTURE(off);
    CHECK(std::abs(off) < bound_of_20);
    CHECK(std::abs(standard_errors_off(times, exact * 1.02)) > bound_of_20);
    // A write that is complete when the job continues, and one that stops the job until it is
    // complete.
    const double at_once = expected_time({every, stall, restart, mtbf}, work);
    const double synchronous = expected_time({every, takes, restart, mtbf}, work);
    for (const double other : {at_once, synchronous}) {
        CHECK(std::abs(standard_errors_off(times, other)) > bound_of_20);
    }
}

TEST_CASE("closed forms: the optimal interval is where a sweep finds it", "[cli][closed-forms]") {
    constexpr double takes = 100;
    constexpr double restart = 50;
    constexpr double work = 4e6;
    const Folder folder;
    (void)values_of(folder, writing("optimal", takes, restart, work), "job_jct_s_mean");
    const double optimal =
        std::stod(csv_rows(folder.read("out/jobs.csv")).front().at("checkpoint_every_s"));
    std::vector<double> intervals;
    std::vector<double> times;
    for (int step = -7; step <= 7; ++step) {
        // Whole intervals, about as long as the work in total, from half the optimum to twice the
        // optimum.
        const double every = std::round(optimal * std::exp(0.1 * step));
        const double whole = every * std::round(work / every);
        intervals.push_back(std::log(every));
        const std::vector<double> taken = values_of(
            folder, writing(fmt::format("{}s", every), takes, restart, whole), "job_jct_s_mean");
        times.push_back(std::accumulate(taken.begin(), taken.end(), 0.0) / whole);
    }
    for (double& interval : intervals) {
        interval -= std::log(optimal);
    }
    const double found = std::exp(least_of_fit(intervals, times));
    CAPTURE(optimal, found);
    CHECK(std::abs(found - 1) < 0.03);
    // The first-order optimum, the square root of 2 d M, is 17 % larger.
    CHECK(std::abs(found * optimal / std::sqrt(2 * takes * mtbf) - 1) > 0.1);
}
