/// Scores that somebody else wrote, in the place of a profile's score plug-ins.

#include <catch2/catch.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/simulation.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

constexpr double never_there = -std::numeric_limits<double>::infinity();

/// The same scores for every pod.
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

class ScoredRun final : public sim::RecordSink {
public:
    ScoredRun(std::vector<core::Amount> servers,
              std::vector<sim::Job> jobs,
              const std::vector<double>& scores) {
        FixedScores::asked.clear();
        core::Ledger ledger(tests::servers_of_units(servers));
        tests::ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        const sim::Settings settings;
        const sim::MakeScheduler make = [&](sim::Actions& actions) {
            auto scheduler = std::make_unique<sim::ProfileScheduler>(settings, *this, actions);
            scheduler->score_by(std::make_unique<FixedScores>(scores));
            return scheduler;
        };
        (void)sim::Simulation(ledger, source, settings, *this, control, make).run();
    }
    void job(const sim::JobRecord& record) override {
        places += record.stints.empty() ? "-" : std::to_string(record.stints[0].server.index);
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::string places;  ///< Of each job in the order of arrival: its server's number, or -.
};

/// As many jobs of 2 units, all at once.
std::vector<sim::Job> jobs(int count, sim::SimTime runs = 10s) {
    std::vector<sim::Job> out;
    for (int i = 0; i < count; ++i) {
        out.push_back(tests::job_of("job-" + std::to_string(i), 2, sim::SimTime(0), runs));
    }
    return out;
}

}  // namespace

TEST_CASE("scorer: a pod goes to the highest score of those on which it fits", "[sim][scorer]") {
    CHECK(ScoredRun({4, 4, 4}, jobs(6), {1, 3, 2}).places == "112200");
    CHECK(ScoredRun({4, 1, 4}, jobs(4), {1, 3, 2}).places == "2200");
}

TEST_CASE("scorer: of equal scores the first server is taken", "[sim][scorer]") {
    CHECK(ScoredRun({4, 4}, jobs(3), {0, 0}).places == "001");
    CHECK(ScoredRun({4, 4}, jobs(3), {-1, -1}).places == "001");
}

TEST_CASE("scorer: minus infinity is for servers that are not taken", "[sim][scorer]") {
    CHECK(ScoredRun({4, 4}, jobs(2), {never_there, 0}).places == "11");
    CHECK(ScoredRun({4, 4}, jobs(1), {never_there, never_there}).places == "-");
}

TEST_CASE("scorer: nobody is asked about a pod that fits nowhere", "[sim][scorer]") {
    const ScoredRun run({4}, jobs(3), {0});
    CHECK(run.places == "000");
    // The third waits until the first two end, and is asked about then alone.
    CHECK(FixedScores::asked == std::vector<std::string>{"job-0", "job-1", "job-2"});
}
