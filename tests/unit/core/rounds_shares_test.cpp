#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "schedulers/rounds/decide/allox.hpp"
#include "schedulers/rounds/decide/assignment.hpp"
#include "schedulers/rounds/decide/fair_shares.hpp"
#include "schedulers/rounds/decide/finish_time_fairness.hpp"

using namespace berth::core::rounds;
using std::chrono::seconds;

namespace {

constexpr std::int64_t millionths = 1'000'000;

/// Jobs in the order in which they are added.
struct Jobs : ActiveJobs {
    Jobs& add(std::int32_t asked, std::int64_t steps_a_second, std::int64_t steps, seconds since) {
        number.push_back(static_cast<std::uint32_t>(size()));
        gpus.push_back(asked);
        speed.push_back(steps_a_second * millionths);
        left.push_back(steps * millionths);
        age.emplace_back(since);
        ran.emplace_back(0);
        running.emplace_back(0);
        return *this;
    }
};

struct Table {
    std::vector<std::vector<double>> rows;
    double operator()(std::size_t row, std::size_t column) const { return rows[row][column]; }
};

double cost_of(const Table& table, const std::vector<std::size_t>& columns) {
    double cost = 0;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        cost += table.rows[row][columns[row]];
    }
    return cost;
}

}  // namespace

TEST_CASE("rounds: each job gets an equal part of the GPUs, up to all of its time", "[rounds]") {
    const Jobs two = Jobs().add(1, 1, 1, seconds(0)).add(4, 1, 1, seconds(0));
    CHECK(equal_shares(two, 1) == Shares{0.5, 0.5});
    CHECK(equal_shares(two, 4) == Shares{1, 1});
    CHECK(max_min_shares(two, 2) == Shares{1, 0.25});
    CHECK(max_min_shares(two, 1) == Shares{0.5, 0.125});
}

TEST_CASE("rounds: the most steps come from the fastest jobs for each GPU", "[rounds]") {
    // Steps a second and GPU: 10, 12, 10, 1. The second one and the first one take three GPUs, and
    // the third, equal to the first, gets half of the time that it asks for.
    const Jobs jobs = Jobs()
                          .add(1, 10, 1, seconds(0))
                          .add(2, 24, 1, seconds(0))
                          .add(2, 20, 1, seconds(0))
                          .add(1, 1, 1, seconds(0));
    CHECK(fastest_first_shares(jobs, 4) == Shares{1, 1, 0.5, 0});
}

TEST_CASE("rounds: an assignment is the cheapest of all", "[rounds]") {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t rows = 1 + random() % 4;
        const std::size_t columns = rows + random() % 2;
        Table table;
        for (std::size_t row = 0; row < rows; ++row) {
            table.rows.emplace_back();
            for (std::size_t column = 0; column < columns; ++column) {
                table.rows.back().push_back(double(random() % 10));
            }
        }
        std::vector<std::size_t> order(columns);
        std::iota(order.begin(), order.end(), std::size_t{0});
        double least = std::numeric_limits<double>::infinity();
        do {
            least = std::min(least, cost_of(table, {order.begin(), order.begin() + long(rows)}));
        } while (std::ranges::next_permutation(order).found);
        const Assignment<Table> found(rows, columns, table);
        CAPTURE(trial, rows, columns);
        CHECK(cost_of(table, found.columns()) == least);
    }
}

TEST_CASE("rounds: equal columns are given out in order", "[rounds]") {
    const Table equal{{{1, 1, 1}, {1, 1, 1}}};
    CHECK(Assignment<Table>(2, 3, equal).columns() == std::vector<std::size_t>{0, 1});
    // The last row pushes the first one from the only column that it likes.
    const Table pushed{{{1, 1, 5}, {1, 5, 5}}};
    CHECK(Assignment<Table>(2, 3, pushed).columns() == std::vector<std::size_t>{1, 0});
}

TEST_CASE("rounds: AlloX runs the short job first, and lets it keep its GPU", "[rounds]") {
    // One GPU, and two of ten jobs are looked at. The short one first costs 2 x 10 + 100 seconds
    // beside the ages, the long one first 2 x 100 + 10.
    const auto jobs = [](std::int64_t left_of_short) {
        Jobs all;
        all.add(1, 1, 100, seconds(9)).add(1, 1, left_of_short, seconds(8));
        for (int i = 0; i < 8; ++i) {
            all.add(1, 1, 1, seconds(1));
        }
        return all;
    };
    Allox allox(1);
    const Shares second_only{0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    CHECK(allox.shares(jobs(10)) == second_only);
    CHECK(allox.shares(jobs(1000)) == second_only);  // it has its GPU
    CHECK(Allox(1).shares(jobs(1000)).front() == 1);
}

TEST_CASE("rounds: AlloX gives a job of several GPUs one GPU's worth of time", "[rounds]") {
    Allox allox(2);
    CHECK(allox.shares(Jobs().add(2, 1, 100, seconds(0))) == Shares{0.5});
}

TEST_CASE("rounds: finish-time fairness gives equal jobs equal shares", "[rounds]") {
    FinishTimeFairness fairness(2);
    const auto view = [](std::uint32_t job, std::int32_t gpus, double age, double left) {
        return FairnessView{job, gpus, age, left, 1, 0.5};
    };
    const auto equal = fairness.shares(
        {view(0, 1, 0, 100), view(1, 1, 0, 100), view(2, 1, 0, 100), view(3, 1, 0, 100)});
    REQUIRE(equal.size() == 4);
    for (const double share : equal) {
        CHECK(share == Approx(0.5));
    }
    // The first one has done nothing in 100 seconds, the others all in the time that they had.
    const auto late = fairness.shares(
        {view(0, 1, 100, 100), view(1, 1, 100, 50), view(2, 1, 100, 50), view(3, 1, 100, 50)});
    CHECK(late[0] > late[1]);
    CHECK(late[1] == late[2]);
    CHECK(late[0] + 3 * late[1] == Approx(2));
    // All ratios are equal: (100 + 100 / x) / 200 = (100 + 50 / y) / 200.
    CHECK(late[0] == Approx(2 * late[1]));
}

TEST_CASE("rounds: what the least ratio leaves is given out by one factor up to 1", "[rounds]") {
    FinishTimeFairness fairness(4);
    // The first job needs all of its time for its ratio, the second one for the same ratio half of
    // it. There is room for both to have all.
    const auto shares = fairness.shares({{0, 1, 0, 100, 1, 1}, {1, 2, 0, 50, 1, 0.5}});
    CHECK(shares == std::vector<double>{1, 1});
}

namespace {

/// Whether all jobs can reach the ratio with these GPUs; `shares`: the least ones for it.
bool reaches(const std::vector<FairnessView>& jobs,
             double ratio,
             double gpus,
             std::vector<double>& shares) {
    shares.clear();
    double used = 0;
    for (const FairnessView& job : jobs) {
        const double time = ratio * (job.left / job.speed_alone) - job.age;
        const double work = job.left / job.speed;
        if (time <= 0 || work > time) {
            return false;
        }
        shares.push_back(work / time);
        used += shares.back() * job.gpus;
    }
    return used <= gpus;
}

/// The least shares, found by halving the ratio sixty times.
std::vector<double> halved(const std::vector<FairnessView>& jobs, double gpus) {
    std::vector<double> shares;
    double low = 0;
    double high = 1;
    while (!reaches(jobs, high, gpus, shares)) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (reaches(jobs, middle, gpus, shares) ? high : low) = middle;
    }
    REQUIRE(reaches(jobs, high, gpus, shares));
    return shares;
}

}  // namespace

TEST_CASE("rounds: the least ratio is that of sixty halvings, bit by bit", "[rounds]") {
    std::mt19937_64 random(5);
    const auto below = [&](std::uint64_t limit) { return double(random() % limit); };
    int compared = 0;
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<FairnessView> jobs;
        for (std::uint32_t i = 0; i < 40; ++i) {
            const double speed = 10 + below(1000) / 100;
            const double alone = trial % 2 == 0 ? speed / 5 : 0.2;
            const double left = 10'000 + below(10'000'000) / 1000;
            jobs.push_back({i, 1, below(1000) / 7, left, speed, alone});
        }
        const std::vector<double> least = halved(jobs, 8);
        const std::vector<double> shares = FinishTimeFairness(8).shares(jobs);
        double used = 0;
        for (const double share : least) {
            used += share;
        }
        const double factor = 8 / used;
        if (*std::ranges::max_element(least) * factor >= 1) {
            continue;  // those at 1 leave another factor to the others
        }
        ++compared;
        CAPTURE(trial);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            REQUIRE(shares[i] == least[i] * factor);
        }
    }
    CHECK(compared > 50);
}
