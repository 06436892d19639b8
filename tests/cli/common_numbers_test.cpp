// Through the whole program, equal seeds give equal random numbers wherever two experiments are
// alike.

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A server that is busy 80 % of the time.
std::string queue(const std::string& service, const std::string& more = "") {
    return R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: queue}
spec:
  seed: 1
  replications: 40
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 1}}}
  types: {one: {cpu: 1}}
  workload:
    - generate:
        arrivals: {distribution: exponential, mean: 100s}
        service: )" +
           service + R"(
        count: 200
        type: one
)" + more + "  scheduler: {profile: {score: [first-fit]}}\n";
}

const std::string exponential = "{distribution: exponential, mean: 80s}";
const std::string weibull = "{distribution: weibull, shape: 0.9, scale: 76.03s}";

std::vector<CsvRow> rows(const Folder& folder, const std::string& text, const std::string& file) {
    folder.write("e.yaml", text);
    (void)done(folder, {"run", "e.yaml", "-o", "run", "--quiet"});
    return csv_rows(folder.read("run/" + file));
}

std::vector<std::string> column(const std::vector<CsvRow>& rows, const std::string& name) {
    std::vector<std::string> out;
    for (const CsvRow& row : rows) {
        out.push_back(row.at(name));
    }
    return out;
}

double correlation(const std::vector<CsvRow>& a, const std::vector<CsvRow>& b) {
    double x = 0;
    double y = 0;
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double p = std::stod(a[i].at("wait_s_mean"));
        const double q = std::stod(b[i].at("wait_s_mean"));
        x += p;
        y += q;
        xx += p * p;
        yy += q * q;
        xy += p * q;
    }
    const auto n = static_cast<double>(a.size());
    return (xy - x * y / n) / std::sqrt((xx - x * x / n) * (yy - y * y / n));
}

}  // namespace

TEST_CASE("another service law moves no arrival, and mean waits go together", "[cli][streams]") {
    const Folder folder;
    CHECK(column(rows(folder, queue(exponential), "pods.csv"), "submit_s") ==
          column(rows(folder, queue(weibull), "pods.csv"), "submit_s"));
    CHECK(correlation(rows(folder, queue(exponential), "replications.csv"),
                      rows(folder, queue(weibull), "replications.csv")) > 0.98);
}

TEST_CASE("another source moves nothing of the first", "[cli][streams]") {
    const Folder folder;
    const auto alone = rows(folder, queue(exponential), "pods.csv");
    const std::string other =
        "    - generate: {name: other, arrivals: {distribution: exponential, mean: 50s}, "
        "service: {distribution: exponential, mean: 1s}, count: 50, type: one}\n"
        "    - background: {load: 0.1, variation: 0.5}\n";
    std::vector<CsvRow> first;
    for (const CsvRow& row : rows(folder, queue(exponential, other), "pods.csv")) {
        if (row.at("pod").starts_with("generate-")) {
            first.push_back(row);
        }
    }
    CHECK(column(first, "submit_s") == column(alone, "submit_s"));
}

TEST_CASE("experiments with other seeds share no replication", "[cli][streams]") {
    const Folder folder;
    folder.write("e.yaml", queue(exponential));
    std::set<std::string> seeds;
    for (const char* seed : {"1", "2", "3"}) {
        (void)done(folder, {"run", "e.yaml", "-o", "run", "--quiet", "--seed", seed});
        for (const CsvRow& row : csv_rows(folder.read("run/replications.csv"))) {
            seeds.insert(row.at("seed"));
            CHECK(std::stoull(row.at("seed")) < 1ULL << 53);  // so that a double can represent it
        }
    }
    CHECK(seeds.size() == 3 * 40);
}
