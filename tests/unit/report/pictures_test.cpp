#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "experiments/program/report/film_page.hpp"
#include "experiments/program/report/gantt_page.hpp"
#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/statistics.hpp"

using namespace berth::report;
using Json = nlohmann::ordered_json;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Unpacks a packed column as the page does.
std::vector<std::int64_t> unpacked(const Json& column, std::size_t count) {
    if (column.is_number()) {
        return std::vector<std::int64_t>(count, column.get<std::int64_t>());
    }
    const std::string text = column.get<std::string>();
    std::string bytes;
    std::uint32_t word = 0;
    int bits = 0;
    for (const char c : text.substr(1)) {
        const std::string letters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        if (c == '=') {
            break;
        }
        word = (word << 6U) | static_cast<std::uint32_t>(letters.find(c));
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>((word >> static_cast<unsigned>(bits)) & 255U);
        }
    }
    std::vector<std::int64_t> out;
    std::size_t at = 0;
    while (at < bytes.size()) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; true; shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes[at++]);
            value |= std::uint64_t{byte & 127U} << shift;
            if (byte < 128) {
                break;
            }
        }
        const auto half = static_cast<std::int64_t>(value / 2);
        out.push_back(value % 2 == 0 ? half : -half - 1);
        if (text[0] == 'd' && out.size() > 1) {
            out.back() += out[out.size() - 2];
        }
    }
    CHECK(out.size() == count);
    return out;
}

/// Two racks with three servers, and pods of all kinds.
Cluster small() {
    const std::vector<NodeRow> nodes{{"a", {"left"}, {8, 4}, {2, 0}},
                                     {"b", {"left"}, {8, 4}, {0, 0}},
                                     {"c", {"right"}, {8, 4}, {0, 0}}};
    // cpu, gpu
    const Demands demands{{}, {2, 1}, {4, 0}};
    std::vector<PodRow> pods(4);
    pods[0] = {.node = 0,
               .group = no_group,
               .start_s = 0,
               .finish_s = 50,
               .demand = 1,
               .submit_s = 0,
               .quota = 1,
               .stem = 0,
               .number = 7,
               .gpus = 0b10};
    pods[1] = {.node = 2,
               .group = 0,
               .start_s = 25.5,
               .finish_s = never,
               .demand = 2,
               .submit_s = 20,
               .quota = 0,
               .stem = 1,
               .number = no_number,
               .gpus = 0};
    pods[2] = {.node = 0,
               .group = no_group,
               .start_s = 10,
               .finish_s = 100,
               .demand = 1,
               .submit_s = 10,
               .quota = 1,
               .stem = 0,
               .number = 9,
               .gpus = 0b1101};
    pods[3] = {.node = 1,
               .group = no_group,
               .start_s = 60,
               .finish_s = 60,
               .demand = 2,
               .submit_s = 60,
               .quota = 0,
               .stem = 0,
               .number = 8,
               .gpus = 0};
    return build_cluster({"rack"},
                         "server",
                         {"cpu", "nvidia.com/gpu"},
                         nodes,
                         pods,
                         {{"ring"}, {"", "team"}, {"pod-", "alone"}},
                         demands);
}

}  // namespace

TEST_CASE("pack: whole numbers come back as they were", "[report][pack]") {
    std::mt19937_64 random(1);
    for (const std::int64_t most : {1LL, 60LL, 5'000LL, 1LL << 40U}) {
        std::vector<std::int64_t> values;
        std::int64_t sum = 0;
        for (int i = 0; i < 500; ++i) {
            values.push_back(static_cast<std::int64_t>(random() % 1000) * most - 400 * most);
            sum += static_cast<std::int64_t>(random() % 3);
            values.push_back(sum + (1LL << 33U));
        }
        CHECK(unpacked(packed(values), values.size()) == values);
    }
    CHECK(packed({5, 5, 5}) == 5);
    CHECK(packed({}) == 0);
    CHECK(packed({1000, 1001, 1002}).get<std::string>()[0] == 'd');
    CHECK(packed({1, -60, 1}).get<std::string>()[0] == 'v');
}

TEST_CASE("pack: numbers keep six digits of the largest, whole ones all", "[report][pack]") {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const Json fractions = packed_numbers({0.123456789, none, 3.5});
    REQUIRE(fractions["per"] == 1e5);
    CHECK(unpacked(fractions["values"], 3) == std::vector<std::int64_t>{12346, -1, 350000});
    CHECK(fractions["null"] == -1);
    const Json bytes = packed_numbers({1099511627776.0, 3 * 1099511627776.0});
    CHECK(bytes["step"] == 1099511627776.0);
    CHECK(unpacked(bytes["values"], 2) == std::vector<std::int64_t>{1, 3});
    CHECK(packed_numbers({none}).is_null());
    CHECK(packed_numbers({1234567.8})["step"] == 10);
}

TEST_CASE("gantt: each pod has its server, its times and its name", "[report][gantt]") {
    const Json data = gantt_data(small(), nullptr, 100);
    CHECK(data["pods"] == 4);
    CHECK(data["servers"]["names"] == Json::parse(R"(["a", "b", "c"])"));
    CHECK(data["servers"]["places"] == Json::parse(R"(["left", "right"])"));
    CHECK(unpacked(data["servers"]["gpus"], 3) == std::vector<std::int64_t>{4, 0, 0});
    const double tick = data["tick"].get<double>();
    CHECK(tick == 1e-6);
    const auto column = [&](const char* name) { return unpacked(data["columns"][name], 4); };
    CHECK(column("start") == std::vector<std::int64_t>{0, 10'000'000, 25'500'000, 60'000'000});
    CHECK(column("length") == std::vector<std::int64_t>{50'000'001, 90'000'001, 0, 1});
    CHECK(column("wait") == std::vector<std::int64_t>{0, 0, 5'500'000, 0});
    CHECK(column("server") == std::vector<std::int64_t>{0, 0, 2, 1});
    CHECK(column("gpus") == std::vector<std::int64_t>{0b10, 0b1101, 0, 0});
    CHECK(column("size") == std::vector<std::int64_t>{1000, 1000, 0, 0});
    CHECK(data["stems"] == Json::parse(R"(["pod-", "alone"])"));
    CHECK(column("number") == std::vector<std::int64_t>{7, 2, -(1LL << 40U), -1});
    CHECK(column("group") == std::vector<std::int64_t>{-1, -1, 0, -1});
    CHECK(data["quotas"] == Json::parse(R"(["team", ""])"));
    CHECK(column("quota") == std::vector<std::int64_t>{0, 0, 1, 1});
}

TEST_CASE("packed: numbers too large for differences are written as they are", "[report]") {
    const std::vector<std::int64_t> values{1000, INT64_MIN, INT64_MAX, 0};
    CHECK(unpacked(packed(values), 4) == values);
}

TEST_CASE("gantt: times far outside of a run are as far as JavaScript counts", "[report][gantt]") {
    Cluster cluster = small();
    cluster.pods[0].submit_s = 1e300;
    cluster.pods[1].submit_s = -1e300;
    const Json data = gantt_data(cluster, nullptr, 100);
    const std::vector<std::int64_t> wait = unpacked(data["columns"]["wait"], 4);
    const std::vector<std::int64_t> start = unpacked(data["columns"]["start"], 4);
    CHECK(wait[0] == -(1LL << 52));
    const auto longest = std::ranges::max_element(wait) - wait.begin();
    CHECK(wait[static_cast<std::size_t>(longest)] ==
          start[static_cast<std::size_t>(longest)] + (1LL << 52));
}

TEST_CASE("gantt: where not all pods fit, whole servers are left out", "[report][gantt]") {
    const Json data = gantt_data(small(), nullptr, 3);
    CHECK(data["pods"] == 3);
    CHECK(data["total"] == 4);
    CHECK(data["servers"]["names"] == Json::parse(R"(["a", "b"])"));
    CHECK(gantt_data(Cluster{}, nullptr, 3).is_null());
}

TEST_CASE("film: levels at each moment are those of the pods that run then", "[report][film]") {
    const Cluster cluster = small();
    Cluster joined = cluster;
    const std::size_t values_max = GENERATE(360UL, 1'000'000UL);
    const Json film = film_data(joined, values_max);
    CHECK(film["cells"] == 3);
    const auto moments = film["moments"].get<std::size_t>();
    REQUIRE(moments == (values_max == 360 ? 60 : 181));
    CHECK(film["last"] == 100);
    REQUIRE(film["parts"].size() == 2);
    for (std::size_t r = 0; r < 2; ++r) {
        const Json& part = film["parts"][r];
        CHECK(part["resource"] == r);
        const auto count = part["count"].get<std::size_t>();
        const std::vector<std::int64_t> changes = unpacked(part["values"], count);
        std::vector<std::int64_t> now(3);
        std::size_t next = 0;
        std::int64_t wait = changes[0];
        for (std::size_t m = 0; m < moments; ++m) {
            const double time_s = 100.0 * static_cast<double>(m) / static_cast<double>(moments - 1);
            const std::vector<DomainUse> use = use_by_cell(cluster, r, nullptr);
            for (std::size_t c = 0; c < 3; ++c) {
                if (wait-- == 0) {
                    now[c] += changes[next + 1];
                    next += 2;
                    wait = next < changes.size() ? changes[next] : 1'000'000;
                }
                double amount = use[c].background;
                for (const PodRow& pod : cluster.pods) {
                    const bool runs = pod.start_s <= time_s + 1e-9 && pod.finish_s > time_s + 1e-9;
                    amount += pod.node == c && runs ? cluster.demands[pod.demand][r] : 0;
                }
                CAPTURE(r, m, c);
                CHECK(now[c] == std::llround(200 * std::min(1.0, amount / use[c].capacity)));
            }
        }
    }
}

TEST_CASE("film: a cluster too large for sixty moments is joined; unknown demands count pods",
          "[report][film]") {
    Cluster cluster = small();
    CHECK(film_data(cluster, 240)["cells"] == 2);
    CHECK(cluster.leaf == "rack");
    Cluster unknown = small();
    unknown.pods[1].demand = 0;
    const Json film = film_data(unknown, 100'000);
    REQUIRE(film["parts"].size() == 1);
    CHECK(film["parts"][0]["resource"].is_null());
    CHECK(film["parts"][0]["most"] == 2);
}

TEST_CASE("cluster: who runs at an instant, and until when there is much to see",
          "[report][cluster]") {
    Cluster cluster = small();
    CHECK(view_at(cluster, 30).count == 3);
    CHECK(view_at(cluster, 60).count == 3);  // a pod that takes no time runs at its instant
    CHECK(view_at(cluster, 61).count == 2);
    CHECK(busy_until(cluster) == 100);
    for (int i = 0; i < 2000; ++i) {
        cluster.pods.push_back({.start_s = 1, .finish_s = 40});
    }
    CHECK(busy_until(cluster) == 40);
}

TEST_CASE("cumulative: shares are those of counting", "[report][statistics]") {
    const Cumulative few = make_cumulative({"", {3, 1, 3, 0}}, 100);
    CHECK(few.value == std::vector<double>{0, 1, 3});
    CHECK(few.share == std::vector<double>{0.25, 0.5, 1});
    std::mt19937_64 random(2);
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i) {
        values.push_back(std::exp(static_cast<double>(random() % 1000) / 50));
    }
    const Cumulative many = make_cumulative({"", values}, 50);
    CHECK(many.value.size() <= 70);
    for (std::size_t i = 0; i < many.value.size(); ++i) {
        const auto below =
            std::ranges::count_if(values, [&](double v) { return v <= many.value[i]; });
        CHECK(many.share[i] == static_cast<double>(below) / 20'000);
    }
    CHECK(many.share.back() == 1);
}

TEST_CASE("cumulative: what has not ended counts as longer than what ended before",
          "[report][statistics]") {
    // Kaplan and Meier by hand: after 1, 3/4 are longer; 2 goes on; after 3, it is 3/4 * 1/2.
    const Cumulative some = make_cumulative({"", {1, 3}, {2, 5}}, 100);
    CHECK(some.value == std::vector<double>{1, 3, 5});
    CHECK(some.share == std::vector<double>{0.25, 0.625, 0.625});
    // A value that goes on is longer than an equal one that ended; if the last value ends, it takes
    // all the rest.
    const Cumulative all = make_cumulative({"", {1, 4}, {1, 1}}, 100);
    CHECK(all.value == std::vector<double>{1, 4});
    CHECK(all.share == std::vector<double>{0.25, 1});
    CHECK(make_cumulative({"", {0}, {7, 9}}, 100).value == std::vector<double>{0, 9});
}
