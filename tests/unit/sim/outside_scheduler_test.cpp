/// Schedulers written by others: what they are told, what they see, and what each of their verbs
/// refuses.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/dice.hpp"
#include "tests/support/outside_run.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;
using tests::OutsideRun;
using tests::ScriptedPolicy;
using Told = std::vector<std::string>;

namespace {

constexpr sim::JobId first{0};
constexpr sim::JobId second{1};

sim::Job pod(const std::string& name, core::Amount units = 2, sim::SimTime submit = 0s) {
    return tests::job_of(name, units, submit, sim::SimTime(10s));
}

sim::Job group(const std::string& name, core::Members size, core::Members least) {
    sim::Job job = tests::job_of(name, 1, sim::SimTime(0), sim::SimTime(10s));
    job.group = true;
    job.size = size;
    job.min_available = least;
    return job;
}

/// Places that many members on a server, given by its number, of servers directly below the root.
core::PlacedNode on(std::uint32_t server, core::Members members = 1) {
    return {core::NodeId{server + 1}, members};
}

ScriptedPolicy::Step start(sim::JobId id, std::vector<core::PlacedNode> servers) {
    return [=](sim::OutsideActions& act) { act.start(id, servers); };
}

sim::MakePolicy scripted(const ScriptedPolicy::Script& script) {
    return [=](const sim::OutsideActions& /*see*/) {
        return std::make_unique<ScriptedPolicy>(script);
    };
}

/// The message with which a run ends on two servers of 4 units each.
std::string refusal(std::vector<sim::Job> jobs,
                    const ScriptedPolicy::Script& script,
                    const sim::Settings& settings = {}) {
    try {
        OutsideRun run(
            tests::servers_of_units({4, 4}), std::move(jobs), scripted(script), settings);
    } catch (const sim::SchedulerError& error) {
        return error.what();
    }
    return "";
}

/// Writes down what it is told, and starts each waiting job on the first server with room.
class Listener final : public sim::OutsidePolicy {
public:
    Listener(const sim::OutsideActions& see, Told& told) : see_(see), told_(told) {}

    void decide(sim::OutsideActions& act) override {
        std::string free;
        for (const core::Amount amount : act.free()) {
            free += " " + std::to_string(amount);
        }
        told_.push_back("turn at " + sim::format_seconds(act.now()) + ":" + free);
        for (const sim::JobId id : act.waiting()) {
            const core::Amount asked = act.job(id).job().demand[0];
            const auto room = std::ranges::find_if(
                act.free(), [&](core::Amount amount) { return amount >= asked; });
            if (room != act.free().end()) {
                act.start(id, {on(static_cast<std::uint32_t>(room - act.free().begin()))});
            }
        }
    }
    void submitted(sim::JobId id) override { tell("submitted", id); }
    void started(sim::JobId id) override { tell("started", id); }
    void evicted(sim::JobId id) override { tell("evicted", id); }
    void ended(sim::JobId id) override { tell("ended", id); }
    void server_changed(core::ServerId server, bool up) override {
        told_.push_back("server " + std::to_string(server.index) + (up ? " is up" : " is down"));
    }
    void woken() override { told_.emplace_back("woken"); }
    [[nodiscard]] std::string why_waiting(sim::JobId /*id*/) override { return "no room"; }

private:
    void tell(const std::string& what, sim::JobId id) {
        told_.push_back(what + " " + see_.job(id).job().name);
    }

    const sim::OutsideActions& see_;
    Told& told_;
};

}  // namespace

TEST_CASE("outside: it is told what happens, and has one turn an instant", "[sim][outside]") {
    sim::Settings settings;
    settings.node_changes = {{4s, core::ServerId{0}, false}, {6s, core::ServerId{0}, true}};
    Told told;
    const OutsideRun run(
        tests::servers_of_units({4, 2}),
        {pod("a", 4), pod("b", 2), pod("c", 4, 1s)},
        [&](const sim::OutsideActions& see) { return std::make_unique<Listener>(see, told); },
        settings);
    CHECK(told == Told{"submitted a",      "submitted b",    "turn at 0: 4 2",  "started a",
                       "started b",        "submitted c",    "turn at 1: 0 0",  "evicted a",
                       "server 0 is down", "turn at 4: 0 0", "server 0 is up",  "turn at 6: 4 0",
                       "started c",        "ended b",        "turn at 10: 0 2", "ended c",
                       "turn at 16: 4 2",  "started a",      "ended a",         "turn at 26: 4 2"});
    CHECK(run.left == 0);
    CHECK(run.result.decisions == 4);
}

TEST_CASE("outside: who still waits is told why", "[sim][outside]") {
    Told told;
    sim::Settings settings;
    settings.until = 5s;
    const OutsideRun run(
        tests::servers_of_units({4}),
        {pod("a", 4), pod("b", 4)},
        [&](const sim::OutsideActions& see) { return std::make_unique<Listener>(see, told); },
        settings);
    CHECK(run.records[0].outcome == sim::Outcome::running);
    CHECK(run.records[1].outcome == sim::Outcome::waiting);
    CHECK(run.records[1].reason == "no room");
}

TEST_CASE("outside: a long reason ends with an ellipsis, behind a whole character",
          "[sim][outside]") {
    using Row = std::tuple<std::string, std::string>;
    const auto [reason, kept] = GENERATE(table<std::string, std::string>(
        {Row{"no", "no"},
         Row{std::string(1024, 'x'), std::string(1024, 'x')},
         Row{std::string(1025, 'x'), std::string(1021, 'x') + "..."},
         Row{std::string(1'000'000, 'x'), std::string(1021, 'x') + "..."},
         // The character would end behind the limit.
         Row{std::string(1020, 'x') + "\xC3\xA9yyyy", std::string(1020, 'x') + "..."}}));
    const ScriptedPolicy::Script script{
        {0s, [&reason = reason](sim::OutsideActions& act) { act.reject(first, reason); }}};
    const OutsideRun run(tests::servers_of_units({4}), {pod("a")}, scripted(script), {});
    CHECK(run.records[0].outcome == sim::Outcome::rejected);
    CHECK(run.records[0].reason == kept);
}

TEST_CASE("outside: a job that fails too often is given up", "[sim][outside]") {
    Told told;
    sim::Settings settings;
    settings.on_failure.give_up_after = 1;
    settings.node_changes = {{4s, core::ServerId{0}, false}, {6s, core::ServerId{0}, true}};
    const OutsideRun run(
        tests::servers_of_units({4}),
        {pod("a", 4)},
        [&](const sim::OutsideActions& see) { return std::make_unique<Listener>(see, told); },
        settings);
    CHECK(run.records[0].outcome == sim::Outcome::dropped);
    CHECK(run.records[0].reason == "given up after 1 interruptions by failures.");
}

TEST_CASE("outside: each rule of the seam has its message", "[sim][outside]") {
    const auto of = [](const ScriptedPolicy::Step& step) {
        return refusal({pod("a"), group("g", 4, 3)}, {{0s, step}});
    };
    CHECK(of([](sim::OutsideActions& act) {
              act.start(first, {on(0)});
              act.start(first, {on(1)});
          }) == "at 0 s: job 'a' cannot start: it runs already");
    CHECK(of(start(sim::JobId{7}, {on(0)})) ==
          "at 0 s: job number 7 cannot start: it neither waits nor runs");
    CHECK(of(start(first, {})) ==
          "at 0 s: job 'a' cannot start: 0 members on its servers: "
          "expected 1");
    CHECK(of(start(first, {on(0, 2)})) ==
          "at 0 s: job 'a' cannot start: more than 1 member on its servers: expected 1");
    CHECK(of(start(second, {on(0, 2)})) ==
          "at 0 s: job 'g' cannot start: 2 members on its servers: expected 3 to 4");
    CHECK(of(start(second, {on(0, INT64_MAX), on(1, INT64_MAX)})) ==
          "at 0 s: job 'g' cannot start: more than 4 members on its servers: expected 3 to 4");
    CHECK(of(start(second, {on(0, 2), on(0, 2)})) ==
          "at 0 s: job 'g' cannot start: server 'server-0' is in its list twice: expected each "
          "server once");
    CHECK(of(start(second, {on(0, 0), on(1, 3)})) ==
          "at 0 s: job 'g' cannot start: 0 members on server 'server-0': expected 1 at least");
    CHECK(of(start(first, {on(2)})) ==
          "at 0 s: job 'a' cannot start: node number 3 is not a server: expected 1 to 2");
    CHECK(of(start(first, {{core::NodeId{0}, 1}})) ==
          "at 0 s: job 'a' cannot start: node number 0 is not a server: expected 1 to 2");
    CHECK(of([](sim::OutsideActions& act) {
              act.start(first, {on(0)});
              act.start(second, {on(0, 3)});
          }) ==
          "at 0 s: job 'g' cannot start: server 'server-0' has 2 units free, and 3 members "
          "of 1 each are to start there");
    CHECK(of([](sim::OutsideActions& act) { act.evict(first); }) ==
          "at 0 s: job 'a' cannot be evicted: it does not run");
    CHECK(of([](sim::OutsideActions& act) {
              act.start(first, {on(0)});
              act.reject(first, "");
          }) == "at 0 s: job 'a' cannot be rejected: it runs: expected one that waits");
    CHECK(of([](sim::OutsideActions& act) {
              act.reject(first, "");
              act.start(first, {on(0)});
          }) == "at 0 s: job number 0 cannot start: it neither waits nor runs");
    CHECK(of([](sim::OutsideActions& act) { act.wake(sim::SimTime(-1s)); }) ==
          "at 0 s: the scheduler asks for a turn at -1 s: expected a time that is not past");
}

TEST_CASE("outside: servers that are down or drained take nobody", "[sim][outside]") {
    sim::Settings settings;
    settings.node_changes = {{1s, core::ServerId{0}, false}};
    const ScriptedPolicy::Script late{{2500ms, start(second, {on(0)})}};
    CHECK(refusal({pod("a"), pod("b")}, late, settings) ==
          "at 2.5 s: job 'b' cannot start: server 'server-0' is down");
    settings = {};
    settings.drains = {{1s, 100s, core::NodeId{1}, 0s, false}};
    const ScriptedPolicy::Script meanwhile{{0s, start(first, {on(0)})},
                                           {2500ms, start(second, {on(0)})}};
    CHECK(refusal({pod("a"), pod("b")}, meanwhile, settings) ==
          "at 2.5 s: job 'b' cannot start: server 'server-0' is being drained");
}

TEST_CASE("outside: who may not be preempted is not evicted", "[sim][outside]") {
    sim::Job job = pod("a");
    job.preemptible = false;
    CHECK(refusal({job}, {{0s, [](sim::OutsideActions& act) {
                               act.start(first, {on(0)});
                               act.evict(first);
                           }}}) == "at 0 s: job 'a' cannot be evicted: it is not preemptible");
}

TEST_CASE("outside: an application has its limit of pods on a server", "[sim][outside]") {
    sim::Job job = group("g", 4, 3);
    job.application = "db";
    job.per_server_max = 2;
    CHECK(refusal({job}, {{0s, start(first, {on(0, 3)})}}) ==
          "at 0 s: job 'g' cannot start: 3 members more on server 'server-0', where 0 of "
          "application 'db' are: expected at most 2 of them");
    CHECK(refusal({job}, {{0s, start(first, {on(0, 2), on(1, 2)})}}).empty());
}

TEST_CASE("outside: a group is resized as it says, and each rule has its message",
          "[sim][outside]") {
    const auto of = [](core::Members size, std::vector<core::PlacedNode> after) {
        return refusal({group("g", 3, 1), pod("a")}, {{0s, [=](sim::OutsideActions& act) {
                                                           act.start(first, {on(0, 3)});
                                                           act.start(second, {on(1)});
                                                           (void)act.resize(first, size, after);
                                                       }}});
    };
    CHECK(of(4, {on(0, 2), on(1, 2)}).empty());
    CHECK(of(0, {}) == "at 0 s: job 'g' cannot be resized: to 0 members: expected 1 at least");
    CHECK(of(4, {on(0, 3)}) ==
          "at 0 s: job 'g' cannot be resized: 3 members on its servers: expected 4");
    CHECK(of(4, {on(0, 3), on(1, 7)}) ==
          "at 0 s: job 'g' cannot be resized: more than 4 on its servers: expected 4");
    CHECK(of(6, {on(0, 3), on(1, 3)}) ==
          "at 0 s: job 'g' cannot be resized: server 'server-1' has 2 units free, and 3 members "
          "of 1 each are to start there");
    const auto waiting = [](sim::JobId id, std::vector<core::PlacedNode> after) {
        return refusal({group("g", 3, 1), pod("a")},
                       {{0s, [=](sim::OutsideActions& act) { (void)act.resize(id, 2, after); }}});
    };
    CHECK(waiting(first, {}).empty());
    CHECK(waiting(first, {on(0, 2)}) ==
          "at 0 s: job 'g' cannot be resized: it waits: expected no servers");
    CHECK(waiting(second, {}) ==
          "at 0 s: job 'a' cannot be resized: it is a single pod: expected a group");
}

TEST_CASE("outside: a group that asks for more gets none, and for less it shrinks",
          "[sim][outside]") {
    sim::Job job = group("g", 4, 2);
    job.resizes = {{2s, 6}, {4s, 3}};
    const OutsideRun run(tests::servers_of_units({4, 4}),
                         {job},
                         scripted({{0s, start(first, {on(0, 2), on(1, 2)})}}));
    const sim::JobRecord& record = run.records[0];
    CHECK(record.resizes_refused == 1);
    CHECK(record.placed == 3);
    CHECK(record.stints.size() == 3);
    CHECK(record.finish == sim::SimTime(10s));
}

TEST_CASE("outside: turns that it asks for come once, and make no run longer", "[sim][outside]") {
    std::vector<std::string> turns;
    const auto note = [&](sim::OutsideActions& act) {
        turns.push_back(sim::format_seconds(act.now()));
    };
    const OutsideRun run(tests::servers_of_units({4}),
                         {pod("a")},
                         scripted({{0s,
                                    [](sim::OutsideActions& act) {
                                        act.start(first, {on(0)});
                                        act.wake(3s);
                                        act.wake(3s);
                                        act.wake(2s);
                                        act.wake(99s);
                                    }},
                                   {2s, note},
                                   {3s, note},
                                   {50s, note}}));
    CHECK(turns == std::vector<std::string>{"2", "3"});
    CHECK(run.result.end == sim::SimTime(10s));
}

TEST_CASE("outside: a scheduler that does not let time go on is stopped", "[sim][outside]") {
    class Restless final : public sim::OutsidePolicy {
    public:
        void decide(sim::OutsideActions& act) override {
            act.wake(act.now());
            act.wake(act.now() + sim::SimTime(1s));
        }
    };
    const auto make = [](const sim::OutsideActions& /*see*/) {
        return std::make_unique<Restless>();
    };
    CHECK_THROWS_WITH(OutsideRun(tests::servers_of_units({4}), {pod("a"), pod("b", 2, 5s)}, make),
                      "at 0 s: the scheduler asked for another turn 10000 times while no time went "
                      "by: expected a time to come");
}

TEST_CASE("outside: an order of jobs is that of a map", "[sim][outside]") {
    for (std::uint64_t seed = 0; seed < tests::cases(200); ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        sim::JobOrder order;
        std::map<std::uint64_t, sim::JobId> plain;
        std::map<sim::JobId, std::uint64_t> key_of;
        std::uint64_t next = 0;
        for (int step = 0; step < 100; ++step) {
            const sim::JobId id{static_cast<std::uint32_t>(dice.roll(0, 20))};
            REQUIRE(order.contains(id) == key_of.contains(id));
            if (const auto known = key_of.find(id); known != key_of.end()) {
                order.remove(id);
                plain.erase(known->second);
                key_of.erase(known);
            } else {
                const auto old =
                    static_cast<std::uint64_t>(dice.roll(0, static_cast<std::int64_t>(next)));
                const std::uint64_t key =
                    dice.chance(20) && !plain.contains(old) ? old : next++ + 1;
                order.add(id, key);
                plain.emplace(key, id);
                key_of.emplace(id, key);
                next = std::max(next, key);
            }
            if (dice.chance(10)) {
                order.close_gaps();
            }
            REQUIRE(order.size() == plain.size());
            auto expected = plain.begin();
            for (const sim::JobId there : order) {
                REQUIRE(expected != plain.end());
                REQUIRE(there == expected->second);
                ++expected;
            }
            REQUIRE(expected == plain.end());
        }
    }
}
