// A run whose state is broken on purpose ends at once, and says which invariant does not hold.

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "quota_runs.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/broken.hpp"
#include "tests/support/last_in_first_out.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using core::ServerId;
using tests::breakable;

namespace {

constexpr sim::SimTime breaks_at = 3s;

/// A run of two servers of 4 units each, in which something breaks after the first event at 3 s.
class BreakingRun final : public sim::RecordSink {
public:
    using Break = std::function<void(core::Ledger&, sim::QuotaManager*, sim::Actions*)>;

    explicit BreakingRun(Break breaks) : break_(std::move(breaks)) {}

    /// Jobs `a` and `b` run from 0 s, and `c` waits from 1 s until one of them ends at 5 s; `d`
    /// comes at 3 s and `e` at 4 s.
    std::string run(sim::Settings settings, const sim::MakeScheduler& make = nullptr) {
        std::vector<sim::Job> jobs;
        for (const auto& [name, at] : {std::pair("a", 0s),
                                       std::pair("b", 0s),
                                       std::pair("c", 1s),
                                       std::pair("d", 3s),
                                       std::pair("e", 4s)}) {
            jobs.push_back(tests::job_of(name, 3, at, sim::SimTime(5s)));
            jobs.back().quota = "team";
        }
        if (settings.profile.score.empty()) {
            settings.profile.score = {{core::scorers().front().make(), 1}};
        }
        core::Ledger ledger(tests::servers_of_units({4, 4}));
        ledger_ = &ledger;
        tests::ListSource source(jobs);
        sim::RunControl control;
        control.check_invariants = true;
        try {
            (void)sim::Simulation(ledger, source, settings, *this, control, make).run();
        } catch (const sim::InvariantError& error) {
            CHECK(control.events_checked > 0);
            return error.what();
        }
        return "none";
    }
    /// The same run with a scheduler that makes its actions accessible.
    std::string run_with_actions() {
        return run({}, [this](sim::Actions& actions) {
            actions_ = &actions;
            return std::make_unique<tests::LastInFirstOut>(actions);
        });
    }

    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void event_handled(sim::SimTime at, sim::QuotaManager* quotas) override {
        if (at >= breaks_at && !broken_) {
            broken_ = true;
            break_(*ledger_, quotas, actions_);
        }
    }

private:
    Break break_;
    bool broken_ = false;
    core::Ledger* ledger_ = nullptr;
    sim::Actions* actions_ = nullptr;
};

sim::Settings team() {
    return tests::with_quotas({tests::quota("team", 4, 100)});
}

const sim::JobState* find(const sim::Actions& actions, const std::string& name) {
    const sim::JobState* found = nullptr;
    actions.each_job([&](sim::JobId id) {
        found = actions.job(id).job().name == name ? &actions.job(id) : found;
    });
    return found;
}

}  // namespace

TEST_CASE("invariants: a sound run is checked after each event", "[sim][invariants]") {
    const auto nothing = [](core::Ledger&, sim::QuotaManager*, sim::Actions*) {};
    CHECK(BreakingRun(nothing).run({}) == "none");
    CHECK(BreakingRun(nothing).run(team()) == "none");
    CHECK(BreakingRun(nothing).run_with_actions() == "none");
}

TEST_CASE("invariants: a server leaves that nothing took away", "[sim][invariants]") {
    BreakingRun run([](core::Ledger& ledger, sim::QuotaManager*, sim::Actions*) {
        ledger.take_down(ServerId{1});
    });
    CHECK(run.run({}).find("a server is there unless something has it out") != std::string::npos);
}

TEST_CASE("invariants: what nobody claimed is in use", "[sim][invariants]") {
    BreakingRun run([](core::Ledger& ledger, sim::QuotaManager*, sim::Actions*) {
        ledger.claim(ServerId{1}, std::vector<core::Amount>{1}, 1);
    });
    CHECK(run.run({}) ==
          "after event 7, third timer at 3 s: what is in use on a server is what its pods claim, "
          "and what was in use before the run: cluster/server-1, units: 4: expected 3");
}

TEST_CASE("invariants: a sum in the ledger is wrong", "[sim][invariants]") {
    BreakingRun run([](core::Ledger& ledger, sim::QuotaManager*, sim::Actions*) {
        breakable(ledger.available(ledger.topology().root()).front()) += 1;
    });
    CHECK_THAT(run.run({}),
               StartsWith("after event 7, third timer at 3 s: a node has available what its "
                          "servers have: cluster, units: 3: expected 2"));
}

TEST_CASE("invariants: a job's state and its places", "[sim][invariants]") {
    SECTION("is another than is counted") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            breakable(*find(*actions, "c")).phase = sim::JobPhase::suspended;
        });
        CHECK_THAT(run.run_with_actions(),
                   Contains("the jobs in each state are counted, and are all that came: waiting: "
                            "2: expected 1"));
    }
    SECTION("who waits holds a place") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            const auto& stints = find(*actions, "a")->record.stints;
            breakable(*find(*actions, "c")).record.stints = stints;
        });
        CHECK_THAT(run.run_with_actions(),
                   Contains("a running job holds a place for each member, and no other job holds "
                            "any: job c: 1: expected 0"));
    }
    SECTION("has done work that is left") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            breakable(*find(*actions, "c")).left = sim::SimTime(0);
        });
        CHECK_THAT(run.run_with_actions(),
                   Contains("what a job has kept of its work and what is left is all of it: job "
                            "c: 0: expected "));
    }
    SECTION("restarts though it writes no checkpoints") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            breakable(*find(*actions, "c")).restart = std::chrono::seconds(2);
        });
        CHECK_THAT(run.run_with_actions(),
                   Contains("a job restarts for no longer than its checkpoint says: job c: 2: "
                            "expected 0"));
    }
    SECTION("works for longer than its work takes") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            breakable(*find(*actions, "a")).working_since = sim::SimTime(-1'000'000'000'000);
        });
        CHECK_THAT(run.run_with_actions(),
                   Contains("a job that works has work left, or a write of it: job a: "));
    }
    SECTION("who runs holds none") {
        BreakingRun run([](core::Ledger&, sim::QuotaManager*, sim::Actions* actions) {
            breakable(*find(*actions, "a")).record.stints.clear();
        });
        CHECK_THAT(run.run_with_actions(), Contains("job a: 0: expected 1"));
    }
}

TEST_CASE("invariants: a run's quotas", "[sim][invariants]") {
    const auto found = [](const std::function<void(sim::QuotaManager&, core::QuotaId)>& breaks) {
        BreakingRun run([&](core::Ledger&, sim::QuotaManager* quotas, sim::Actions*) {
            breaks(*quotas, quotas->trees().find("team").value());
        });
        return run.run(team());
    };
    sim::Job job = tests::job_of("x", 3, 0s, 1s);
    SECTION("a pod is counted twice") {
        CHECK_THAT(found([&](auto& quotas, auto id) { quotas.used(id, job, 1); }),
                   Contains("what a quota itself uses is what its pods have: quota team, resource "
                            "0: 9: expected 6"));
    }
    SECTION("a request is forgotten") {
        CHECK_THAT(found([&](auto& quotas, auto id) { quotas.requested(id, job, -1); }),
                   Contains("a quota's own request is that of its pods: quota team, resource 0: "));
    }
    SECTION("waiting pods") {
        CHECK_THAT(found([](auto& quotas, auto id) { quotas.waiting(id, 2); }),
                   Contains("a quota's waiting pods, and those below it, are counted: quota "));
    }
    SECTION("running jobs") {
        CHECK_THAT(found([](auto& quotas, auto id) { quotas.stopped(id, 0); }),
                   Contains("a quota knows which of its jobs run: quota team: 1 jobs: expected 2"));
    }
    SECTION("who is over") {
        CHECK_THAT(found([](auto& quotas, auto id) {
                       breakable(quotas.over())[id.index] = !quotas.over()[id.index];
                   }),
                   Contains("it is known which quotas use more than their runtime: quota team: it "
                            "does"));
    }
}
