// The length of the queue over time, by hand.

#include <optional>
#include <string>
#include <vector>

#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

std::optional<double> metric(const QueueRun& run, const std::string& name) {
    const auto found = std::ranges::find(run.result.metrics, name, &sim::Metric::name);
    REQUIRE(found != run.result.metrics.end());
    return found->value;
}

/// One of these jobs runs at a time: b waits from 2 to 10 s, c from 4 to 14 s, d never.
std::vector<sim::Job> four() {
    return {job_of("a", 10, 0s, 10s),
            job_of("b", 10, 2s, 4s),
            job_of("c", 10, 4s, 6s),
            job_of("d", 10, 30s, 10s)};
}

}  // namespace

TEST_CASE("queue length: pods that wait, over the time of the run", "[sim][metrics]") {
    const QueueRun run(servers_of_units({10}), four(), sim::queue_policy("fifo"));
    CHECK(metric(run, "queue_length_mean") == 18.0 / 40);
    CHECK(metric(run, "queue_length_max") == 2.0);
}

TEST_CASE("queue length: of the window alone", "[sim][metrics]") {
    sim::Settings settings;
    settings.window = {sim::SimTime(10s), sim::SimTime(20s)};
    const QueueRun run(servers_of_units({10}), four(), sim::queue_policy("fifo"), settings);
    CHECK(metric(run, "queue_length_mean") == 0.4);  // c, from 10 to 14 s
    CHECK(metric(run, "queue_length_max") == 1.0);
}

TEST_CASE("queue length: who starts in the instant in which he comes was in no queue",
          "[sim][metrics]") {
    const QueueRun run(
        servers_of_units({10}), {job_of("a", 10, 0s, 10s)}, sim::queue_policy("fifo"));
    CHECK(metric(run, "queue_length_max") == 0.0);
    const QueueRun never(servers_of_units({10}), {}, sim::queue_policy("fifo"));
    CHECK_FALSE(metric(never, "queue_length_mean"));
}
