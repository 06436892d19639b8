// The paper's three experiments over 1000 random backgrounds, compared by distributions: how many
// members the used racks and servers hold.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

/// How often a node held each number of members.
using Histogram = std::map<int, double>;

/// The fields of a line, up to `count`; none of them is quoted in these runs.
std::vector<std::string> first_fields(const std::string& line, std::size_t count) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; fields.size() < count && std::getline(in, field, ',');) {
        fields.push_back(field);
    }
    return fields;
}

/// Counts on servers or, with `per_node` servers per node, on the nodes above them.
Histogram counts_in(const std::string& pods_csv, int per_node) {
    std::map<std::pair<int, int>, int> members;  // by replication and node
    std::istringstream in(pods_csv);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        const auto fields = first_fields(line, 12);
        const std::string& node = fields.at(11);
        REQUIRE(node.starts_with("server-"));
        ++members[{std::stoi(fields[0]), std::stoi(node.substr(7)) / per_node}];
    }
    Histogram histogram;
    for (const auto& [where, count] : members) {
        ++histogram[count];
    }
    return histogram;
}

Histogram published(const nlohmann::json& counts) {
    Histogram histogram;
    for (const auto& [count, times] : counts.items()) {
        histogram[std::stoi(count)] = times.get<double>();
    }
    return histogram;
}

double total(const Histogram& histogram) {
    double sum = 0;
    for (const auto& [count, times] : histogram) {
        sum += times;
    }
    return sum;
}

/// The greatest difference between two distribution functions (Kolmogorov and Smirnov).
double distance(const Histogram& a, const Histogram& b) {
    std::set<int> counts;
    for (const auto& histogram : {a, b}) {
        for (const auto& [count, times] : histogram) {
            counts.insert(count);
        }
    }
    double below_a = 0;
    double below_b = 0;
    double greatest = 0;
    for (const int count : counts) {
        below_a += a.contains(count) ? a.at(count) / total(a) : 0;
        below_b += b.contains(count) ? b.at(count) / total(b) : 0;
        greatest = std::max(greatest, std::abs(below_a - below_b));
    }
    return greatest;
}

}  // namespace

TEST_CASE("random backgrounds: members lie on racks and servers as published", "[cli][paper]") {
    const auto all =
        nlohmann::json::parse(read_file(project_file("tests/golden/published-distributions.json")));
    const std::string experiment =
        GENERATE("pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft");
    const std::string rule = GENERATE("aggregate", "percolated");
    CAPTURE(experiment, rule);
    const std::string name = "random-" + experiment + (rule == "aggregate" ? "" : "-" + rule);
    const Folder folder;
    (void)done(folder,
               {"run",
                project_file("experiments/paper/" + name + ".yaml"),
                "-o",
                "run",
                "--quiet",
                "--set",
                "spec.record.placements=true"});
    const std::string pods = folder.read("run/pods.csv");
    // Counts within one run depend on each other, so the sample consists of 1000 runs, not of their
    // counts; two such samples from one distribution differ by more than this once in a thousand
    // times.
    const double bound = 1.95 * std::sqrt(2.0 / 1000);
    const nlohmann::json& shown = all.at(experiment + "/" + rule);
    CHECK(distance(counts_in(pods, 20), published(shown.at("rack"))) < bound);
    CHECK(distance(counts_in(pods, 1), published(shown.at("server"))) < bound);
}
