#include "schedulers/kueue/decide/local_queue_ledger.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "schedulers/kueue/decide/cache.hpp"

using namespace berth::core::kueue;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

/// A ledger for CPUs and GPUs whose usage halves in an hour.
struct Lab {
    Names names;
    ResourceId cpu = names.resource("cpu");
    ResourceId gpu = names.resource("nvidia.com/gpu");
    AdmissionFairSharing settings{hours(1), minutes(5), {}};

    [[nodiscard]] LocalQueueLedger ledger() const { return {settings, names}; }
};

/// How much of a constant amount counts after a while, by the definition of a half-life.
double weighed(double amount, nanoseconds time, nanoseconds half_life) {
    return amount * (1 - std::pow(0.5, double(time.count()) / double(half_life.count())));
}

constexpr double exact = 1e-8;  // amounts are rounded down to billionths at each sample

}  // namespace

TEST_CASE("kueue local queues: who is admitted is charged until the next sample", "[kueue]") {
    const Lab lab;
    LocalQueueLedger ledger = lab.ledger();
    const LocalQueueId queue = ledger.add(1);
    CHECK(ledger.usage(queue) == 0);
    ledger.admit(queue, {{lab.gpu, 8}}, {{lab.gpu, 8}}, seconds(0));
    CHECK(ledger.usage(queue) == Approx(weighed(8, minutes(5), hours(1))).margin(exact));
    // A thousand thousandths of a CPU count as one.
    const LocalQueueId cores = ledger.add(1);
    ledger.admit(cores, {{lab.cpu, 8000}}, {{lab.cpu, 8000}}, seconds(0));
    CHECK(ledger.usage(cores) == ledger.usage(queue));
}

TEST_CASE("kueue local queues: samples come at the interval, and what was used decays", "[kueue]") {
    const Lab lab;
    LocalQueueLedger ledger = lab.ledger();
    const LocalQueueId queue = ledger.add(1);
    ledger.admit(queue, {{lab.gpu, 8}}, {}, seconds(0));
    CHECK(ledger.usage(queue) == 0);
    CHECK(ledger.next_sample() == minutes(5));
    ledger.go_to(minutes(5) - seconds(1));
    CHECK(ledger.usage(queue) == 0);
    ledger.go_to(minutes(60));
    CHECK(ledger.usage(queue) == Approx(4).margin(exact));
    CHECK(ledger.next_sample() == minutes(65));
    ledger.release(queue, {{lab.gpu, 8}}, minutes(60));
    ledger.go_to(minutes(120));
    CHECK(ledger.usage(queue) == Approx(2).margin(exact));
    ledger.go_to(hours(1000));
    CHECK(ledger.usage(queue) == 0);  // rounded down until nothing is left
}

TEST_CASE("kueue local queues: an idle queue is sampled at the same times", "[kueue]") {
    const Lab lab;
    LocalQueueLedger ledger = lab.ledger();
    const LocalQueueId queue = ledger.add(1);
    // The last sample before the admission is that of 3 h 10 min, so four minutes count.
    ledger.admit(queue, {{lab.gpu, 8}}, {}, hours(3) + minutes(14));
    CHECK(ledger.usage(queue) == Approx(weighed(8, minutes(4), hours(1))).margin(exact));
    CHECK(ledger.next_sample() == hours(3) + minutes(19));
}

TEST_CASE("kueue local queues: weights of queues and of resources", "[kueue]") {
    Lab lab;
    lab.settings.resource_weights["cpu"] = 0.25;
    LocalQueueLedger ledger = lab.ledger();
    const LocalQueueId plain = ledger.add(1);
    const LocalQueueId heavy = ledger.add(4);
    const LocalQueueId last = ledger.add(0);
    const ResourceAmounts all{{lab.cpu, 4000}, {lab.gpu, 1}};
    for (const LocalQueueId queue : {plain, heavy}) {
        ledger.admit(queue, all, all, seconds(0));
    }
    CHECK(ledger.usage(plain) == Approx(weighed(2, minutes(5), hours(1))).margin(exact));
    CHECK(ledger.usage(heavy) == ledger.usage(plain) / 4);
    CHECK(ledger.usage(last) == std::numeric_limits<double>::infinity());
    ledger.set_weight(last, 2);
    CHECK(ledger.usage(last) == 0);
}

TEST_CASE("kueue local queues: without a half-life nothing is remembered", "[kueue]") {
    Lab lab;
    lab.settings.half_life = nanoseconds(0);
    LocalQueueLedger ledger = lab.ledger();
    const LocalQueueId queue = ledger.add(1);
    ledger.admit(queue, {{lab.gpu, 8}}, {{lab.gpu, 8}}, seconds(0));
    ledger.go_to(hours(1));
    CHECK(ledger.usage(queue) == 0);
}

TEST_CASE("kueue local queues: centuries cost no more than until nothing changes", "[kueue]") {
    const Lab lab;
    LocalQueueLedger by_steps = lab.ledger();
    LocalQueueLedger at_once = lab.ledger();
    const LocalQueueId queue = by_steps.add(1);
    REQUIRE(at_once.add(1).index == queue.index);
    const ResourceAmounts much{{lab.gpu, std::int64_t{1} << 61U}, {lab.cpu, 1}};
    for (LocalQueueLedger* ledger : {&by_steps, &at_once}) {
        ledger->admit(queue, much, much, minutes(3));
    }
    for (minutes now{4}; now <= hours(24 * 30); now += minutes(7)) {
        by_steps.go_to(now);
    }
    at_once.go_to(hours(24 * 30));
    CHECK(at_once.usage(queue) == by_steps.usage(queue));
    // This time holds 30 million samples.
    const auto end = hours(24 * 365 * 290);
    at_once.go_to(end);
    CHECK(at_once.usage(queue) >= by_steps.usage(queue));
    CHECK(at_once.usage(queue) <= std::ldexp(1.0, 61) + 1);
    CHECK(at_once.next_sample() == end + minutes(3));
}
