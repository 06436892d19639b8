#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <tuple>

#include "experiments/program/compare/fates.hpp"
#include "experiments/program/results/paired_difference.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/verdict.hpp"

using namespace berth::experiments;
using namespace berth::report;

namespace {

struct PlainTest {
    double mean = 0;
    double ci95 = 0;
    double effect = 0;
    double p = 0;
};

/// The test of five pairs, computed by hand. Student's distribution with 4 degrees of freedom has a
/// closed form, and its quantile at 0.975 is 2.776445 in any table.
PlainTest plain_test_of_five(const std::vector<ValuePair>& pairs) {
    double sum = 0;
    double squares = 0;
    for (const ValuePair& pair : pairs) {
        sum += pair.other - pair.baseline;
        squares += (pair.other - pair.baseline) * (pair.other - pair.baseline);
    }
    PlainTest out;
    out.mean = sum / 5;
    const double sd = std::sqrt((squares - sum * sum / 5) / 4);
    const double error = sd / std::sqrt(5.0);
    const double t = std::abs(out.mean) / error;
    const double part = t * t / (1 + t * t / 4);
    const double cdf = 0.5 + 0.375 * t / std::sqrt(1 + t * t / 4) * (1 - part / 12);
    out.ci95 = 2.776445 * error;
    out.effect = out.mean / sd * 12 / 15;
    out.p = 2 * (1 - cdf);
    return out;
}

/// Holm's correction by its definition: the k-th smallest p of m is multiplied by m - k + 1, and no
/// result is less than that of a smaller p.
std::vector<double> plain_holm(const std::vector<double>& p) {
    std::vector<double> out;
    for (std::size_t i = 0; i < p.size(); ++i) {
        double most = 0;
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (p[j] > p[i]) {
                continue;
            }
            std::size_t at_least = 0;
            for (const double other : p) {
                at_least += other >= p[j] ? 1U : 0U;
            }
            most = std::max(most, std::min(1.0, p[j] * static_cast<double>(at_least)));
        }
        out.push_back(most);
    }
    return out;
}

/// A pod of a random run: its place and outcome follow from whether it waited.
struct RandomPod {
    int replication = 0;
    int name = 0;
    int wait_ms = 0;  ///< 0: never placed.
};

/// The pods of three replications, in random order; each pod is in nine of ten replications.
std::vector<RandomPod> random_pods(std::mt19937& random) {
    std::vector<RandomPod> pods;
    for (int replication = 0; replication < 3; ++replication) {
        const std::size_t begin = pods.size();
        for (int name = 0; name < 40; ++name) {
            if (random() % 10 > 0) {
                const int wait = random() % 4 == 0 ? 0 : static_cast<int>(random() % 100'000 + 1);
                pods.push_back({replication, name, wait});
            }
        }
        std::shuffle(pods.begin() + static_cast<std::ptrdiff_t>(begin), pods.end(), random);
    }
    return pods;
}

void write_pods(const std::filesystem::path& run, const std::vector<RandomPod>& pods) {
    std::filesystem::create_directories(run);
    std::ofstream out(run / "pods.csv");
    out << "replication,pod,group,wait_s,jct_s,node,outcome,reason\n";
    for (const RandomPod& pod : pods) {
        out << pod.replication << ",p" << pod.name << ",,";
        if (pod.wait_ms > 0) {
            out << pod.wait_ms / 1000 << "." << pod.wait_ms % 1000 + 1000 << ",,s,finished,\n";
        } else {
            out << ",,,waiting,full\n";
        }
    }
}

/// The wait as it is written: `2.1034`.
double wait_of(const RandomPod& pod) {
    return pod.wait_ms / 1000 + (pod.wait_ms % 1000 + 1000) / 1e4;
}

/// The pods that changed, the most changed first, found by looking at all pairs and sorting.
std::vector<std::pair<int, int>> plain_most(const std::vector<RandomPod>& a,
                                            const std::vector<RandomPod>& b) {
    std::map<std::tuple<int, double, int, std::string>, std::pair<int, int>> sorted;
    for (const RandomPod& before : a) {
        for (const RandomPod& after : b) {
            if (before.replication != after.replication || before.name != after.name) {
                continue;
            }
            const bool changed = (before.wait_ms > 0) != (after.wait_ms > 0);
            const double seconds = before.wait_ms > 0 && after.wait_ms > 0
                                       ? std::abs(wait_of(before) - wait_of(after))
                                       : 0;
            if (changed || seconds > 0) {
                sorted[{changed ? 0 : 1,
                        -std::round(seconds * 1e4),
                        before.replication,
                        "p" + std::to_string(before.name)}] = {before.replication, before.name};
            }
        }
    }
    std::vector<std::pair<int, int>> out;
    for (const auto& [key, pod] : sorted) {
        out.push_back(pod);
    }
    return out;
}

}  // namespace

TEST_CASE("compare: the most changed pods are those of a full sort", "[experiments][compare]") {
    const auto folder =
        std::filesystem::temp_directory_path() / ("berth-compare-" + std::to_string(::getpid()));
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto a = random_pods(random);
        const auto b = random_pods(random);
        write_pods(folder / "a", a);
        write_pods(folder / "b", b);
        const auto found =
            compare_fates(folder / "a", folder / "b", {{5, 0, 0}, {6, 1, 1}, {7, 2, 2}}, 30);
        const auto all = plain_most(a, b);
        REQUIRE(found.pods.most.size() == std::min<std::size_t>(all.size(), 30));
        for (std::size_t i = 0; i < found.pods.most.size(); ++i) {
            CAPTURE(i);
            CHECK(found.pods.most[i].seed == static_cast<std::uint64_t>(all[i].first + 5));
            CHECK(found.pods.most[i].baseline.name == "p" + std::to_string(all[i].second));
        }
        CHECK(found.pods.both + found.pods.baseline_only == a.size());
        CHECK(found.pods.both + found.pods.other_only == b.size());
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("compare: Student's t for pairs, by hand", "[experiments][compare]") {
    const std::vector<ValuePair> pairs{{12, 10}, {15, 14.5}, {11, 8}, {18, 15}, {14, 13.5}};
    const PairedDifference found = paired_difference(pairs);
    CHECK(found.n == 5);
    CHECK(found.baseline_mean == Approx(14));
    CHECK(found.other_mean == Approx(12.2));
    CHECK(found.mean == Approx(-1.8));
    CHECK(found.sd == Approx(1.2549900));  // of -2, -0.5, -3, -3, -0.5
    CHECK(found.ci95 == Approx(1.5582759).epsilon(1e-6));
    CHECK(found.effect.value() == Approx(-1.1474192).epsilon(1e-6));
    CHECK(found.p.value() == Approx(0.0326779).epsilon(1e-5));
    for (int shift = 0; shift < 20; ++shift) {
        std::vector<ValuePair> others = pairs;
        for (std::size_t i = 0; i < others.size(); ++i) {
            others[i].other += std::sin(static_cast<double>(i) * shift + shift);
        }
        const PlainTest plain = plain_test_of_five(others);
        const PairedDifference fast = paired_difference(others);
        CAPTURE(shift);
        CHECK(fast.mean == Approx(plain.mean));
        CHECK(fast.ci95 == Approx(plain.ci95).epsilon(1e-6));
        CHECK(fast.effect.value() == Approx(plain.effect));
        CHECK(fast.p.value() == Approx(plain.p).epsilon(1e-6));
    }
}

TEST_CASE("compare: where there is no spread there is no test", "[experiments][compare]") {
    const PairedDifference none = paired_difference({});
    CHECK(none.n == 0);
    CHECK_FALSE(none.p);
    const PairedDifference one = paired_difference({{1, 3}});
    CHECK(one.mean == 2);
    CHECK_FALSE(one.equal);
    CHECK_FALSE(one.p);
    const PairedDifference two = paired_difference({{1, 3}, {2, 5}});
    CHECK(two.p.has_value());
    CHECK_FALSE(two.effect);
    const PairedDifference equal = paired_difference({{0.1, 0.1}, {0.3, 0.1 + 0.2}});
    CHECK(equal.equal);
    CHECK(equal.mean == 0);
    CHECK_FALSE(equal.p);
    // The difference is the same in every pair, up to the rounding of doubles.
    const PairedDifference constant = paired_difference({{0.1, 0.3}, {0.7, 0.9}, {1.1, 1.3}});
    CHECK_FALSE(constant.equal);
    CHECK(constant.sd == 0);
    CHECK(constant.ci95 == 0);
    CHECK(constant.p.value() == 0);
    CHECK_FALSE(constant.effect);
}

TEST_CASE("compare: Holm's correction", "[experiments][compare]") {
    const std::vector<double> adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
    const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};  // the usual textbook example
    REQUIRE(adjusted.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(adjusted[i] == Approx(expected[i]));
    }
    CHECK(holm_adjusted({}).empty());
    CHECK(holm_adjusted({0.4, 0.9, 0.8}) == std::vector<double>{1, 1, 1});
    for (std::uint32_t seed = 1; seed < 40; ++seed) {
        std::vector<double> p;
        for (std::uint32_t i = 0; i < seed; ++i) {
            p.push_back(std::fmod(static_cast<double>(seed * 7919 + i * 104729), 997) / 9970);
        }
        CAPTURE(seed);
        const auto fast = holm_adjusted(p);
        const auto plain = plain_holm(p);
        for (std::size_t i = 0; i < p.size(); ++i) {
            CHECK(fast[i] == Approx(plain[i]));
        }
    }
}

namespace {

/// Metrics in five replications; `figures` are by metric.
ReplicationTable table_with(const std::vector<std::string>& metrics,
                            const std::vector<std::vector<double>>& figures) {
    ReplicationTable table;
    table.metrics = metrics;
    for (std::size_t r = 0; r < figures.front().size(); ++r) {
        ReplicationTable::Row row;
        row.seed = 100 - r;
        row.replication = static_cast<std::int64_t>(r);
        for (const std::vector<double>& values : figures) {
            row.figures.push_back({.value = values[r], .at_least = {}});
        }
        table.by_seed.emplace(row.seed, row);
    }
    return table;
}

const std::vector<std::string> some_metrics{"success_rate",
                                            "job_wait_s_mean",
                                            "job_wait_s_p95",
                                            "nvidia.com/gpu_utilization",
                                            "jct_s_mean",
                                            "rack_used",
                                            "server_used"};

ReplicationTable baseline_table() {
    return table_with(some_metrics,
                      {{1, 1, 1, 1, 1},
                       {10, 12, 11, 14, 13},
                       {50, 61, 54, 70, 66},
                       {0.5, 0.6, 0.55, 0.58, 0.52},
                       {100, 104, 97, 120, 110},
                       {3, 4, 3, 4, 4},
                       {8, 9, 9, 8, 9}});
}

ReplicationTable other_table() {
    return table_with(some_metrics,
                      {{1, 1, 1, 1, 1},
                       {8, 9.5, 9.2, 11, 10.4},
                       {49, 55, 55, 64, 60},
                       {0.45, 0.54, 0.5, 0.53, 0.46},
                       {98, 101, 97, 116, 108},
                       {4, 4, 4, 5, 4},
                       {8, 9, 8, 8, 9}});
}

const MetricComparison& of(const std::vector<MetricComparison>& all, const std::string& name) {
    return *std::ranges::find(all, name, &MetricComparison::metric);
}

}  // namespace

TEST_CASE("verdict: the headline numbers are one family, the other metrics another",
          "[experiments][compare]") {
    const ReplicationTable baseline = baseline_table();
    const std::vector<std::string> headline{"success_rate",
                                            "job_wait_s_mean",
                                            "job_wait_s_p95",
                                            "nvidia.com/gpu_utilization",
                                            "jct_s_mean"};
    CHECK(headline_metrics(baseline) == headline);
    const auto all = compare_tables(baseline, other_table(), {});
    REQUIRE(all.size() == some_metrics.size());
    CHECK(of(all, "success_rate").verdict == Verdict::equal);
    // There are two families, each corrected by the definition.
    const std::vector<std::string> tested(headline.begin() + 1, headline.end());
    const std::vector<std::string> rest{"rack_used", "server_used"};
    for (const std::vector<std::string>& family : {tested, rest}) {
        std::vector<double> p;
        for (const std::string& name : family) {
            p.push_back(of(all, name).difference.p.value());
        }
        const std::vector<double> adjusted = plain_holm(p);
        for (std::size_t i = 0; i < family.size(); ++i) {
            CAPTURE(family[i]);
            CHECK(of(all, family[i]).p_holm.value() == Approx(adjusted[i]));
        }
    }
    CHECK(of(all, "job_wait_s_mean").verdict == Verdict::better);
    CHECK(of(all, "rack_used").verdict == Verdict::no_difference_shown);
}

TEST_CASE("verdict: on another cluster utilization has no better side, and of other work nothing",
          "[experiments][compare]") {
    const auto verdicts = [](const Alike& alike) {
        const auto all = compare_tables(baseline_table(), other_table(), alike);
        return std::pair(of(all, "job_wait_s_mean").verdict,
                         of(all, "nvidia.com/gpu_utilization").verdict);
    };
    CHECK(verdicts({}) == std::pair(Verdict::better, Verdict::worse));
    CHECK(verdicts({.work = true, .cluster = false}) == std::pair(Verdict::better, Verdict::lower));
    CHECK(verdicts({.work = false, .cluster = true}) == std::pair(Verdict::lower, Verdict::lower));
    CHECK(is_share_of_cluster("gpu_time_idle_fragmented"));
    CHECK(is_share_of_cluster("gpu_allocated_pct"));
    CHECK_FALSE(is_share_of_cluster("goodput"));
    CHECK_FALSE(is_share_of_cluster("success_rate"));
}

TEST_CASE("verdict: one pair has a difference and no verdict", "[experiments][compare]") {
    const auto all = compare_tables(table_with({"wait_s_mean", "jct_s_mean"}, {{4}, {5}}),
                                    table_with({"wait_s_mean", "jct_s_mean"}, {{3}, {5}}),
                                    {});
    CHECK(all[0].difference.mean == -1);
    CHECK(all[0].verdict == Verdict::too_few_pairs);
    CHECK(all[1].verdict == Verdict::equal);
}
