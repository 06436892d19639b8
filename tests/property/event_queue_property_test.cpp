// Compares the heap with a plain ordered set.

#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <tuple>

#include "sim/clock/event_queue.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

TEST_CASE("event queue: pops in the order of an ordered set, whatever is cancelled",
          "[property][event_queue]") {
    using Key = std::tuple<std::int64_t, int, std::uint64_t>;
    for (std::uint64_t seed = 1; seed <= tests::cases(30); ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        sim::EventQueue queue;
        std::map<Key, sim::EventHandle> shadow;
        std::uint64_t sequence = 0;
        std::int64_t now = 0;
        for (int step = 0; step < 3000; ++step) {
            if (dice.chance(55) || shadow.empty()) {
                const std::int64_t at = now + dice.roll(0, 20);  // many at the same instant
                const auto kind = static_cast<sim::EventKind>(dice.roll(0, 8));
                const auto handle =
                    queue.push(sim::SimTime(at), kind, static_cast<std::uint32_t>(sequence));
                shadow.emplace(Key(at, static_cast<int>(kind), sequence++), handle);
            } else if (dice.chance(20)) {
                auto at = shadow.begin();
                std::advance(at, dice.roll(0, static_cast<std::int64_t>(shadow.size()) - 1));
                REQUIRE(queue.cancel(at->second));
                REQUIRE_FALSE(queue.cancel(at->second));
                shadow.erase(at);
            } else {
                const auto event = queue.pop();
                REQUIRE(event.has_value());
                const auto [at, kind, number] = shadow.begin()->first;
                REQUIRE(event->at.count() == at);
                REQUIRE(static_cast<int>(event->kind) == kind);
                REQUIRE(event->subject == number);
                REQUIRE_FALSE(queue.cancel(shadow.begin()->second));
                now = at;
                shadow.erase(shadow.begin());
            }
            REQUIRE(queue.size() == shadow.size());
            const std::int64_t at = now + dice.roll(0, 5);
            const int kind = static_cast<int>(dice.roll(0, 8));
            REQUIRE(queue.has_before(sim::SimTime(at), static_cast<sim::EventKind>(kind)) ==
                    (!shadow.empty() && shadow.begin()->first < Key(at, kind, 0)));
            REQUIRE(queue.size() == shadow.size());
        }
        while (!shadow.empty()) {
            REQUIRE(queue.pop()->subject == std::get<2>(shadow.begin()->first));
            shadow.erase(shadow.begin());
        }
        REQUIRE_FALSE(queue.pop().has_value());
    }
}
