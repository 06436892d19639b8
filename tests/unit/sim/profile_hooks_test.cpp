/// Decisions that code of others makes in place of a profile's plug-ins.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/profile/server_selector.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

constexpr double never_there = -std::numeric_limits<double>::infinity();

/// Gives the same scores to every pod.
class FixedScores final : public sim::ServerScorer {
public:
    explicit FixedScores(std::vector<double> scores) : scores_(std::move(scores)) {}
    std::span<const double> scores(const sim::Job& job) override {
        asked.push_back(job.name);
        return scores_;
    }
    static inline std::vector<std::string> asked;

private:
    std::vector<double> scores_;
};

/// Selects the last server on which a pod fits, and none for a pod named "late" the first time.
class LastServer final : public sim::ServerSelector {
public:
    std::optional<core::ServerId> select(const sim::Job& job,
                                         const core::PodIndex& index) override {
        if (job.name == "late" && ++asked_ < 2) {
            return std::nullopt;
        }
        std::uint32_t server = 3;
        while (!index.fits(core::ServerId{server})) {
            --server;
        }
        return core::ServerId{server};
    }

private:
    int asked_ = 0;
};

/// Orders the waiting jobs by any comparison.
class SortedBy final : public sim::QueueSorter {
public:
    using Less = std::function<bool(const sim::Job&, const sim::Job&)>;
    SortedBy(const sim::Actions& see, Less less) : see_(see), less_(std::move(less)) {}
    void sort(std::vector<sim::JobId>& waiting) override {
        std::ranges::stable_sort(waiting, [this](sim::JobId a, sim::JobId b) {
            return less_(see_.job(a).job(), see_.job(b).job());
        });
    }

private:
    const sim::Actions& see_;
    Less less_;
};

/// Orders the waiting jobs differently each time.
class Shuffled final : public sim::QueueSorter {
public:
    explicit Shuffled(std::uint64_t seed) : bits_(seed) {}
    void sort(std::vector<sim::JobId>& waiting) override {
        for (std::size_t i = waiting.size(); i > 1; --i) {
            std::swap(waiting[i - 1], waiting[bits_() % i]);
        }
    }

private:
    std::mt19937_64 bits_;
};

sim::MakeProfileHooks sorted_by(SortedBy::Less less) {
    return [less = std::move(less)](const sim::Actions& see) {
        return sim::ProfileHooks{.queue = std::make_unique<SortedBy>(see, less), .server = nullptr};
    };
}

/// `count` jobs of 2 units each, all at once.
std::vector<sim::Job> jobs(int count, sim::SimTime runs = 10s) {
    std::vector<sim::Job> out;
    for (int i = 0; i < count; ++i) {
        out.push_back(tests::job_of("job-" + std::to_string(i), 2, sim::SimTime(0), runs));
    }
    return out;
}

std::vector<sim::Job> random_jobs(std::uint64_t seed, int count) {
    std::mt19937_64 bits(seed);
    std::vector<sim::Job> out;
    for (int i = 0; i < count; ++i) {
        const auto units = static_cast<core::Amount>(1 + bits() % 4);
        const sim::SimTime submit = 1s * static_cast<std::int64_t>(bits() % 60);
        const sim::SimTime runs = 1s * static_cast<std::int64_t>(1 + bits() % 30);
        out.push_back(tests::job_of("job-" + std::to_string(i), units, submit, runs));
        out.back().estimate = runs;
        out.back().user = "user-" + std::to_string(bits() % 3);
    }
    return out;
}

/// The server's number of each job, or -, in the order of arrival.
std::string places(const tests::QueueRun& run) {
    std::string out;
    for (const sim::JobRecord& record : run.records) {
        out += record.stints.empty() ? "-" : std::to_string(record.stints[0].server.index);
    }
    return out;
}

std::string scored(const std::vector<core::Amount>& servers,
                   std::vector<sim::Job> given,
                   const std::vector<double>& scores) {
    FixedScores::asked.clear();
    const auto hooks = [&](const sim::Actions& /*see*/) {
        return sim::ProfileHooks{.queue = nullptr, .server = std::make_unique<FixedScores>(scores)};
    };
    return places(tests::QueueRun(
        tests::servers_of_units(servers), std::move(given), sim::queue_policy("fifo"), {}, hooks));
}

}  // namespace

TEST_CASE("scorer: a pod goes to the highest score of those on which it fits", "[sim][hooks]") {
    CHECK(scored({4, 4, 4}, jobs(6), {1, 3, 2}) == "112200");
    CHECK(scored({4, 1, 4}, jobs(4), {1, 3, 2}) == "2200");
}

TEST_CASE("scorer: of equal scores the first server is taken", "[sim][hooks]") {
    CHECK(scored({4, 4}, jobs(3), {0, 0}) == "001");
    CHECK(scored({4, 4}, jobs(3), {-1, -1}) == "001");
}

TEST_CASE("scorer: minus infinity is for servers that are not taken", "[sim][hooks]") {
    CHECK(scored({4, 4}, jobs(2), {never_there, 0}) == "11");
    CHECK(scored({4, 4}, jobs(1), {never_there, never_there}) == "-");
}

TEST_CASE("scorer: nobody is asked about a pod that fits nowhere", "[sim][hooks]") {
    CHECK(scored({4}, jobs(3), {0}) == "000");
    // The third pod waits until the first two end, and only then is anything asked about it.
    CHECK(FixedScores::asked == std::vector<std::string>{"job-0", "job-1", "job-2"});
}

TEST_CASE("selector: a pod goes where it says, or waits on", "[sim][hooks]") {
    std::vector<sim::Job> given = jobs(3);
    given.push_back(tests::job_of("late", 1, 1s, 10s));
    given.push_back(tests::job_of("next", 2, 5s, 10s));
    const auto hooks = [](const sim::Actions& /*see*/) {
        return sim::ProfileHooks{.queue = nullptr, .server = std::make_unique<LastServer>()};
    };
    const tests::QueueRun run(
        tests::servers_of_units({2, 4, 1, 2}), given, sim::queue_policy("fifo"), {}, hooks);
    CHECK(places(run) == "31130");
    CHECK(run.starts() == std::map<std::string, double>{
                              {"job-0", 0}, {"job-1", 0}, {"job-2", 0}, {"late", 10}, {"next", 5}});
}

TEST_CASE("sorter: what a policy's ranks say gives the policy's run", "[sim][hooks]") {
    const auto shorter = [](const sim::Job& a, const sim::Job& b) {
        return a.estimate < b.estimate;
    };
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto tree = tests::servers_of_units({4, 3, 4});
        const tests::QueueRun policy(
            tree, random_jobs(seed, 60), sim::queue_policy("shortest-job"));
        const tests::QueueRun sorted(
            tree, random_jobs(seed, 60), sim::queue_policy("fifo"), {}, sorted_by(shorter));
        REQUIRE(policy.starts() == sorted.starts());
        REQUIRE(places(policy) == places(sorted));
    }
}

TEST_CASE("sorter: whether jobs overtake and are backfilled is the policy's", "[sim][hooks]") {
    const auto later = [](const sim::Job& a, const sim::Job& b) { return a.submit > b.submit; };
    const std::vector<sim::Job> given = {tests::job_of("runs", 3, 0s, 10s),
                                         tests::job_of("small", 1, 1s, 20s),
                                         tests::job_of("large", 4, 2s, 10s),
                                         tests::job_of("tiny", 1, 3s, 5s)};
    const auto starts = [&](const char* policy) {
        std::vector<sim::Job> jobs = given;
        for (sim::Job& job : jobs) {
            job.estimate = job.duration;
        }
        return tests::QueueRun(tests::servers_of_units({3}),
                               jobs,
                               sim::queue_policy(policy).without_order(),
                               {},
                               sorted_by(later))
            .starts();
    };
    // The last to come is the first to start, and the large job never has room.
    CHECK(starts("fifo") ==
          std::map<std::string, double>{{"runs", 0}, {"small", 10}, {"large", -1}, {"tiny", 10}});
    // The large job holds up the jobs that came before it, and is overtaken by the one that came
    // after.
    CHECK(starts("fcfs") ==
          std::map<std::string, double>{{"runs", 0}, {"small", -1}, {"large", -1}, {"tiny", 10}});
}

TEST_CASE("sorter: any order leaves each job one place in the queue", "[sim][hooks]") {
    for (const char* policy :
         {"fifo", "fcfs", "easy-backfill", "conservative-backfill", "replanned-backfill"}) {
        for (std::uint64_t seed = 0; seed < 15; ++seed) {
            const auto hooks = [&](const sim::Actions& /*see*/) {
                return sim::ProfileHooks{.queue = std::make_unique<Shuffled>(seed),
                                         .server = nullptr};
            };
            const tests::QueueRun run(tests::servers_of_units({4, 3, 4}),
                                      random_jobs(seed, 80),
                                      sim::queue_policy(policy).without_order(),
                                      {},
                                      hooks);
            for (const sim::JobRecord& record : run.records) {
                REQUIRE(record.outcome == sim::Outcome::finished);
            }
        }
    }
}
