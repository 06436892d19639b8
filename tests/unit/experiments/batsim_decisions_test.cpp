/// What a scheduler for Batsim answers, as far as it can be read.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "experiments/program/batsim/decisions.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using namespace std::chrono_literals;
using experiments::BatsimAnswer;
using sim::SimTime;

namespace {

const std::string everything = R"({"now": 30.5, "events": [
  {"timestamp": 10, "event_type": "ExecuteJobEvent", "event": {"job_id": "w0!a", "allocation": {
    "host_allocation": "7 0-2",
    "executor_placement_type": "PredefinedExecutorPlacementStrategyWrapper",
    "executor_placement": {"strategy": "SpreadOverHostsFirst"}}, "storage_placement": []}},
  {"timestamp": 10, "event_type": "RejectJobEvent", "event": {"job_id": "w0!b"}},
  {"timestamp": 20.25, "event_type": "KillJobsEvent", "event": {"job_ids": ["w0!c", "w0!d"]}},
  {"timestamp": 30, "event_type": "CallMeLaterEvent", "event": {"call_me_later_id": "x",
    "when_type": "OneShot", "when": {"time": 1500, "time_unit": "Millisecond"}}},
  {"timestamp": 30, "event_type": "CallMeLaterEvent", "event": {"call_me_later_id": "y",
    "when_type": "Periodic", "when": {"period": 10, "offset": 0, "time_unit": "Second",
    "mode_type": "FinitePeriodNumber", "mode": {"nb_periods": 3}}}},
  {"timestamp": 30, "event_type": "StopCallMeLaterEvent", "event": {"call_me_later_id": "x"}}]})";

std::string refusal(const std::string& event, const std::string& now = "10") {
    try {
        (void)experiments::read_answer(R"({"now": )" + now + R"(, "events": [)" + event + "]}",
                                       10s);
    } catch (const sim::SchedulerError& error) {
        return error.what();
    }
    return "";
}

std::string of(const std::string& type, const std::string& event) {
    return R"({"timestamp": 10, "event_type": ")" + type + R"(", "event": )" + event + "}";
}

}  // namespace

TEST_CASE("batsim: decisions are read as they are written", "[experiments][batsim]") {
    const BatsimAnswer answer = experiments::read_answer(everything, 10s);
    CHECK(answer.until == SimTime(30500ms));
    REQUIRE(answer.decisions.size() == 6);
    const auto& start = std::get<experiments::ExecuteJob>(answer.decisions[0].what);
    CHECK(start.job == "w0!a");
    CHECK(start.hosts == std::vector<std::uint32_t>{0, 1, 2, 7});
    CHECK(std::get<experiments::RejectJob>(answer.decisions[1].what).job == "w0!b");
    CHECK(answer.decisions[2].at == SimTime(20250ms));
    CHECK(std::get<experiments::KillJobs>(answer.decisions[2].what).jobs ==
          std::vector<std::string>{"w0!c", "w0!d"});
    CHECK(std::get<experiments::CallMeLater>(answer.decisions[3].what).at == SimTime(1500ms));
    const auto& periodic = std::get<experiments::CallMeLater>(answer.decisions[4].what);
    CHECK(periodic.period == SimTime(10s));
    CHECK(periodic.times == 3);
    CHECK(std::get<experiments::StopCallMeLater>(answer.decisions[5].what).id == "x");
}

TEST_CASE("batsim: a time that was sent comes back to the nanosecond", "[experiments][batsim]") {
    const SimTime now(123'456'789'012'345'679);  // more digits than a double has
    const BatsimAnswer answer = experiments::read_answer(
        fmt::format(R"({{"now": {}, "events": []}})", sim::seconds(now)), now);
    CHECK(answer.until == now);
}

TEST_CASE("batsim: what cannot be read as a decision is named", "[experiments][batsim]") {
    CHECK(refusal("3") == "answers an event that is no object");
    CHECK(refusal("", "9") == "answers now: 9, which is over");
    CHECK(refusal(of("RejectJobEvent", R"({"job_id": 3})")) ==
          "answers RejectJobEvent with job_id: 3: expected a text");
    CHECK(refusal(of("KillJobsEvent", R"({"job_ids": "a"})")) ==
          R"(answers KillJobsEvent with job_ids: "a": expected a list of texts)");
    CHECK(refusal(of("CallMeLaterEvent",
                     R"({"call_me_later_id": "x", "when_type": "Never", "when": {}})")) ==
          "answers CallMeLaterEvent with when_type 'Never': expected OneShot or Periodic");
    const auto periodic = [](const std::string& when) {
        return refusal(
            of("CallMeLaterEvent",
               R"({"call_me_later_id": "x", "when_type": "Periodic", "when": {)" + when + "}}"));
    };
    CHECK(periodic(R"("period": 0)") ==
          "answers CallMeLaterEvent with a period of 0: expected a period above 0 without an "
          "offset, as Batsim does");
    CHECK(periodic(R"("period": 1, "offset": 2)") ==
          "answers CallMeLaterEvent with an offset: expected a period above 0 without an offset, "
          "as Batsim does");
    CHECK(
        periodic(R"("period": 1, "mode_type": "FinitePeriodNumber", "mode": {"nb_periods": 0})") ==
        "answers CallMeLaterEvent with nb_periods: 0: expected 1 to 4294967295");
    CHECK(refusal(of("ExecuteJobEvent",
                     R"({"job_id": "a", "allocation": {"host_allocation": "0",
                     "executor_placement_type": "CustomExecutorToHostMapping"}})")) ==
          "answers ExecuteJobEvent with CustomExecutorToHostMapping, which has no counterpart "
          "here");
    CHECK(refusal(of("ExecuteJobEvent",
                     R"({"job_id": "a", "allocation": {"host_allocation": "0"},
                     "storage_placement": [1]})")) ==
          "answers ExecuteJobEvent with storage_placement, which has no counterpart here");
}

TEST_CASE("batsim: intervals of hosts are read strictly", "[experiments][batsim]") {
    CHECK(experiments::read_hosts("") == std::vector<std::uint32_t>());
    CHECK(experiments::read_hosts("3") == std::vector<std::uint32_t>{3});
    CHECK(experiments::read_hosts("4-5 1") == std::vector<std::uint32_t>{1, 4, 5});
    for (const char* wrong :
         {" 1", "1 ", "1  2", "1-", "-1", "2-1", "1,2", "a", "0-99999999", "4294967296"}) {
        CAPTURE(wrong);
        CHECK(experiments::read_hosts(wrong) == std::nullopt);
    }
}

TEST_CASE("batsim: whatever an answer is, it is read or refused", "[experiments][batsim]") {
    const std::string letters = "{}[]\",:0123456789.-eE \ntrufalsn\\\xff";
    for (std::uint64_t seed = 0; seed < tests::cases(20'000); ++seed) {
        tests::Dice dice(seed);
        std::string text = everything;
        for (std::int64_t left = dice.roll(1, 4); left > 0; --left) {
            const auto at =
                static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(text.size()) - 1));
            const auto size = static_cast<std::size_t>(dice.roll(0, dice.chance(50) ? 1 : 20));
            const auto letter = static_cast<std::size_t>(
                dice.roll(0, static_cast<std::int64_t>(letters.size()) - 1));
            text.replace(at, size, std::string(dice.chance(70) ? 1 : 0, letters[letter]));
        }
        try {
            (void)experiments::read_answer(text, 10s);
        } catch (const sim::SchedulerError& error) {
            REQUIRE_FALSE(std::string(error.what()).empty());
        }
    }
}
