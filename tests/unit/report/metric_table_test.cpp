#include "experiments/program/results/tables/metric_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace berth::report;

namespace {

std::string documentation() {
    std::ifstream in(BERTH_SOURCE_DIR "/docs/reference/metrics.md");
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether the documentation names a metric, possibly as `..._mean` with its last part alone.
bool is_documented(const std::string& text, const std::string& name) {
    const bool of_one = name.starts_with("quota/NAME/") || name.starts_with("queue/NAME/");
    const std::string figure = of_one ? name.substr(std::string("quota/NAME/").size()) : name;
    return text.find("`" + figure + "`") != std::string::npos ||
           text.find("`..." + figure.substr(std::min(figure.rfind('_'), figure.size() - 1)) +
                     "`") != std::string::npos;
}

}  // namespace

TEST_CASE("metric table: each metric has a group, a meaning, and its name in the documentation",
          "[report][metrics]") {
    const std::string text = documentation();
    std::set<std::string_view> names;
    for (const MetricRecord& record : metric_table()) {
        CAPTURE(record.name);
        CHECK(names.insert(record.name).second);
        CHECK_FALSE(record.group.empty());
        CHECK_FALSE(record.meaning.empty());
        CHECK(record.meaning.back() != '.');
        CHECK(is_documented(text, std::string(record.name)));
        CHECK(find_metric(record.name) == &record);
    }
}

TEST_CASE("metric table: the name that a run writes finds its record", "[report][metrics]") {
    const auto name_of = [](std::string_view metric) {
        const MetricRecord* record = find_metric(metric);
        return record == nullptr ? "nothing" : std::string(record->name);
    };
    CHECK(name_of("wait_s_p95") == "wait_s_p95");
    CHECK(name_of("wait_s_max") == "wait_s_max");
    CHECK(name_of("wait_s_p95[team-a]") == "wait_s_p95");
    CHECK(name_of("rack_max") == "LEVEL_max");
    CHECK(name_of("rack_used_attainable") == "LEVEL_used_attainable");
    CHECK(name_of("rack_nvidia.com/gpu_utilization_min") == "LEVEL_RESOURCE_utilization_min");
    CHECK(name_of("nvidia.com/gpu_utilization") == "RESOURCE_utilization");
    CHECK(name_of("shared_DISK_GB_utilization") == "shared_CLASS_utilization");
    CHECK(name_of("same_numa_8_gpus") == "same_numa");
    CHECK(name_of("same_pcie_attainable_2_gpus") == "same_pcie_attainable");
    CHECK(name_of("quota/a/b/lost_s") == "quota/NAME/lost_s");
    CHECK(name_of("quota/a/memory_lent_h") == "quota/NAME/RESOURCE_lent_h");
    CHECK(name_of("frag_pct_at_95_arrived") == "frag_pct_at_N_arrived");
    CHECK(name_of("no such thing") == "nothing");
    CHECK(name_of("") == "nothing");
}

TEST_CASE("metric table: which way a metric is better", "[report][metrics]") {
    const auto check = [](Direction direction, const std::vector<std::string>& metrics) {
        for (const std::string& metric : metrics) {
            CAPTURE(metric);
            CHECK(direction_of(metric) == direction);
        }
    };
    check(Direction::lower,
          {"wait_s_p95",
           "jct_s_mean",
           "bounded_slowdown_mean",
           "pods_dropped",
           "cpu_stranded",
           "gpu_time_idle_split",
           "frag_ratio_pct_of_idle_mean",
           "quota/A/wait_s_mean",
           "quota/a/b/lost_s"});
    check(Direction::higher,
          {"success_rate",
           "nvidia.com/gpu_utilization",
           "shared_DISK_GB_utilization",
           "gpu_time_allocated",
           "same_numa_8_gpus",
           "gpu_allocated_pct_at_95_arrived",
           "jain_satisfaction"});
    check(Direction::unknown,
          {"pods_submitted",
           "rack_used",
           "rack_cpu_utilization_max",
           "gpu_time_idle_no_demand",
           "same_numa_attainable",
           "same_pcie_attainable_2_gpus",
           "quota/A/dominant_share"});
}

TEST_CASE("metric table: the directions are those that are documented", "[report][metrics]") {
    std::istringstream in(documentation());
    const std::regex quoted("`([^`]+)`");
    std::map<Direction, std::vector<std::regex>> documented;
    for (std::string line; std::getline(in, line);) {
        const std::map<std::string, Direction> rows{{"| higher |", Direction::higher},
                                                    {"| lower |", Direction::lower},
                                                    {"| neither |", Direction::unknown}};
        for (const auto& [begin, direction] : rows) {
            for (std::sregex_iterator at(line.begin(), line.end(), quoted), end;
                 line.starts_with(begin) && at != end;
                 ++at) {
                documented[direction].emplace_back(
                    std::regex_replace((*at)[1].str(), std::regex("\\*"), ".*"));
            }
        }
    }
    const auto is_listed = [&](Direction direction, std::string_view name) {
        return std::ranges::any_of(documented[direction], [&](const std::regex& pattern) {
            return std::regex_match(std::string(name), pattern);
        });
    };
    for (const MetricRecord& record : metric_table()) {
        CAPTURE(record.name);
        const bool neither = is_listed(Direction::unknown, record.name);
        CHECK((!neither && is_listed(Direction::higher, record.name)) ==
              (record.better == Direction::higher));
        CHECK((!neither && is_listed(Direction::lower, record.name)) ==
              (record.better == Direction::lower));
    }
}
