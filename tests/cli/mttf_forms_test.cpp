// Compares the interval of mttf.csv with its definition: it misses the true mean time between
// interruptions with a probability of 10 %, or a little less, since numbers of interruptions are
// whole.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

constexpr int replications = 400;

/// A gang on all 8 servers, each of which fails every `mtbf` seconds and is back at once.
std::string gang(double mtbf, double until) {
    return fmt::format(R"(kind: Experiment
metadata: {{name: gang}}
spec:
  seed: 7
  replications: {}
  topology:
    spec:
      levels: [{{name: server, count: 8}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 1}}}}}}
  types: {{one: {{cpu: 1}}}}
  workload:
    - groups: [{{document: {{spec: {{group: {{name: g, size: 8, type: one}}}}}}, at: 0s}}]
  failures: {{random: [{{name: board, level: server, mtbf: {}s, repair: 0s}}]}}
  record: {{placements: false}}
  until: {}s
)",
                       replications,
                       mtbf,
                       until);
}

/// The share of the intervals that contain a time.
double share_with(const std::vector<CsvRow>& rows, double time_s) {
    double with = 0;
    for (const CsvRow& row : rows) {
        const std::string& high = row.at("mttf_high_s");
        const bool holds = std::stod(row.at("mttf_low_s")) <= time_s &&
                           (high.empty() || time_s <= std::stod(high));
        with += holds ? 1 : 0;
    }
    return with / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE("closed forms: intervals of mttf.csv hold the truth", "[cli][closed-forms]") {
    const auto [mean, covered] = GENERATE(table<double, double>({
        // The expected number of interruptions, and how often the interval of a Poisson number then
        // contains its mean: summed over the numbers whose interval does.
        {2, 0.98344},
        {20, 0.92665},
    }));
    CAPTURE(mean);
    const Folder folder;
    folder.write("gang.yaml", gang(800, 100 * mean));
    (void)done(folder, {"run", "gang.yaml", "-q", "-o", "out"});
    const auto rows = csv_rows(folder.read("out/mttf.csv"));
    REQUIRE(rows.size() == replications);
    // One seed in 1300 is farther off by chance.
    const double off = 4 * std::sqrt(covered * (1 - covered) / replications);
    CHECK(share_with(rows, 100) == Approx(covered).margin(off));
    CHECK(share_with(rows, 250) < covered - off);
    CHECK(share_with(rows, 40) < covered - off);
}
