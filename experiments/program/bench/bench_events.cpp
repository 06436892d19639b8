/// events: the hold model. The queue holds `size` events; each unit of work pops the first and
/// pushes one an exponential time later. `events/priority-queue` is std::priority_queue with the
/// same record and the same times, for comparison.

#include <array>
#include <boost/random/exponential_distribution.hpp>
#include <queue>

#include "experiments/program/bench/benchmark.hpp"
#include "sim/clock/event_queue.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

/// Times between events, drawn beforehand and used one after another.
class Increments {
public:
    Increments() {
        sim::RandomBits bits = sim::random_bits(1, "events");
        boost::random::exponential_distribution<double> exponential(1e-9);
        for (sim::SimTime& time : times_) {
            time = sim::SimTime(static_cast<std::int64_t>(exponential(bits)));
        }
    }
    sim::SimTime next() { return times_[at_++ & (times_.size() - 1)]; }

private:
    std::array<sim::SimTime, 4096> times_{};
    std::size_t at_ = 0;
};

/// The elements of std::priority_queue: an event and its place in the order.
struct Record {
    sim::SimTime at{};
    std::uint64_t order = 0;  ///< Combines kind and sequence number.
    std::uint32_t subject = 0;
};
struct Later {
    bool operator()(const Record& a, const Record& b) const {
        return a.at != b.at ? b.at < a.at : b.order < a.order;
    }
};

void bench_events(const Bench& bench) {
    for (const std::uint32_t pending : bench.sizes({1'000, 100'000, 1'000'000})) {
        Increments increments;
        sim::EventQueue queue;
        for (std::uint32_t i = 0; i < pending; ++i) {
            queue.push(increments.next(), sim::EventKind::finish, i);
        }
        Measurement out{"events", pending, "pop one, push one", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] {
            const auto event = queue.pop();
            queue.push(event->at + increments.next(), sim::EventKind::finish, event->subject);
        });
        bench.report(out);

        Increments again;
        std::priority_queue<Record, std::vector<Record>, Later> standard;
        std::uint64_t sequence = 0;
        for (std::uint32_t i = 0; i < pending; ++i) {
            standard.push({again.next(), sequence++, i});
        }
        Measurement other{"events/priority-queue", pending, "pop one, push one", 0, 0, 0, {}};
        bench.measure(other, 0.5, [&] {
            const Record record = standard.top();
            standard.pop();
            standard.push({record.at + again.next(), sequence++, record.subject});
        });
        bench.report(other);
    }
}

}  // namespace

std::vector<Benchmark> events_benchmarks() {
    return {{"events", "the event queue's hold model, beside std::priority_queue", &bench_events}};
}

}  // namespace berth::experiments
