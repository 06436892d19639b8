#include <catch2/catch.hpp>
#include <chrono>
#include <optional>

#include "sim/job/stretch.hpp"

using namespace berth;
using namespace std::chrono_literals;
using sim::SimTime;

namespace {

std::optional<SimTime> at(SimTime time) {
    return time;
}

}  // namespace

TEST_CASE("stretch: when so much work was done, of a job without checkpoints", "[sim]") {
    sim::Stretch stretch;
    stretch.since = 100s;
    stretch.until = 130s;
    CHECK(stretch.reached(0s) == at(100s));
    CHECK(stretch.reached(20s) == at(120s));
    CHECK(stretch.reached(30s) == at(130s));  // the job finishes then
    stretch.interrupted = true;
    CHECK(stretch.reached(30s) == std::nullopt);
    stretch.run_time_factor = 1500;
    CHECK(stretch.reached(10s) == at(115s));
    CHECK(stretch.reached(20s) == std::nullopt);
    stretch.hung_since = 110s;
    CHECK(stretch.reached(10s) == std::nullopt);
    stretch.hung_since = 100s;
    CHECK(stretch.reached(0s) == std::nullopt);  // no work is done in it
    sim::Stretch empty;
    empty.since = empty.until = 100s;
    CHECK(empty.reached(0s) == at(100s));  // a job without work to do finishes
}

TEST_CASE("stretch: the same of a job that restarts and writes checkpoints", "[sim]") {
    // The job restarts until 105 s, works until 115 s, writes until 117 s, works until 127 s, and
    // writes.
    sim::Stretch stretch;
    stretch.since = 100s;
    stretch.until = 128s;
    stretch.checkpoint = sim::Checkpoint{10s, 2s, 5s};
    stretch.restart = 5s;
    CHECK(stretch.reached(0s) == at(105s));
    CHECK(stretch.reached(4s) == at(109s));
    CHECK(stretch.reached(10s) == at(115s));  // before the write, not behind it
    CHECK(stretch.reached(11s) == at(118s));
    CHECK(stretch.reached(20s) == at(127s));
    CHECK(stretch.reached(21s) == std::nullopt);
    stretch.checkpoint->every = sim::never;
    CHECK(stretch.reached(22s) == at(127s));
}
