// How often a run allocates memory once as many jobs arrive as leave: state that is kept from job
// to job needs no new allocation, and state of one job is bounded by the job.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <string>

#include "core/index/scorer.hpp"
#include "sim/clock/random.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/queue_run.hpp"

namespace {

std::uint64_t allocated = 0;

}  // namespace

void* operator new(std::size_t size) {
    ++allocated;
    if (void* memory = std::malloc(size); memory != nullptr) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

using namespace berth;

namespace {

/// Supplies pods of four sizes, one after the other, and counts the allocations meanwhile.
class Pods final : public sim::PodSource, public sim::RecordSink {
public:
    Pods(std::int64_t mean_gap, std::uint64_t warm, std::uint64_t count)
        : mean_gap_(mean_gap), warm_(warm), count_(count) {}

    std::optional<sim::Job> next() override {
        if (made_ == warm_) {
            before_ = allocated;
        } else if (made_ == warm_ + count_) {
            counted_ = allocated - before_;
        }
        if (made_ == warm_ + 2 * count_) {
            return std::nullopt;
        }
        const std::uint64_t own = allocated;
        submit_ += sim::SimTime(dice_.roll(0, 2 * mean_gap_));
        std::optional<sim::Job> job = tests::job_of(std::to_string(made_++ % 1000),
                                                    std::int64_t{1} << dice_.roll(0, 3),
                                                    submit_,
                                                    sim::SimTime(dice_.roll(1, 20'000)));
        before_ += allocated - own;  // jobs that a source makes do not count
        return job;
    }
    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    /// Allocations per pod that arrived.
    [[nodiscard]] double a_pod() const {
        return static_cast<double>(counted_) / static_cast<double>(count_);
    }

private:
    tests::Dice dice_{3};
    std::int64_t mean_gap_;
    std::uint64_t warm_;
    std::uint64_t count_;
    std::uint64_t made_ = 0;
    sim::SimTime submit_{};
    std::uint64_t before_ = 0;
    std::uint64_t counted_ = 0;
};

double allocations(const std::string& queue, std::int64_t mean_gap) {
    core::Ledger ledger(tests::servers_of_units(std::vector<core::Amount>(100, 16)));
    sim::Settings settings;
    settings.profile.queue = sim::queue_policy(queue);
    const auto best_fit =
        std::ranges::find(core::scorers(), std::string_view("best-fit"), &core::ScorerEntry::name);
    settings.profile.score = {{best_fit->make(), 1}};
    Pods pods(mean_gap, 20'000, 20'000);
    sim::RunControl control;
    (void)sim::Simulation(ledger, pods, settings, pods, control).run();
    return pods.a_pod();
}

}  // namespace

TEST_CASE("allocations: for each pod of a run", "[sim]") {
    // 1 600 units; pods of 3.75 units on average run for 10 000, so that one pod every 23 fills the
    // cluster.
    struct Row {
        const char* queue;
        std::int64_t gap;
        double most;
    };
    const Row row = GENERATE(Row{"fifo", 30, 2.3},  // no pod waits
                             Row{"fifo", 24, 2.3},  // some pods wait
                             Row{"easy-backfill", 24, 38});
    const double a_pod = allocations(row.queue, row.gap);
    CAPTURE(row.queue, row.gap, a_pod);
    CHECK(a_pod <= row.most);
}
