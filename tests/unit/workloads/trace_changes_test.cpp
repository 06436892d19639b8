#include "workloads/trace/trace_changes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/dice.hpp"
#include "tests/support/given_trace.hpp"
#include "workloads/trace/random_index.hpp"
#include "workloads/trace/trace_source.hpp"

using namespace berth;
using namespace std::chrono_literals;
using workloads::TraceJob;

namespace {

/// Jobs `job-0`, `job-1`, ..., a minute apart, with the given GPUs: milli of one device, or whole
/// devices.
std::vector<TraceJob> asking(const std::vector<core::Amount>& milli) {
    std::vector<TraceJob> jobs;
    for (const core::Amount amount : milli) {
        TraceJob job;
        job.name = "job-" + std::to_string(jobs.size());
        job.submit = 1min * static_cast<std::int64_t>(jobs.size());
        job.run_time = 10s;
        job.gpus = {
            std::min<core::Amount>(amount, 1000), std::max<core::Amount>(1, amount / 1000), {}};
        job.gpus.count = amount == 0 ? 0 : job.gpus.count;
        jobs.push_back(job);
    }
    return jobs;
}

core::Amount total(const std::vector<TraceJob>& jobs) {
    core::Amount sum = 0;
    for (const TraceJob& job : jobs) {
        sum += job.members * job.gpus.total_milli();
    }
    return sum;
}

/// The jobs after a change.
template <class Change>
std::vector<TraceJob> changed(const std::vector<TraceJob>& jobs, Change change) {
    std::vector<workloads::JobCopy> copies = workloads::copies_of(jobs);
    change(copies);
    std::vector<TraceJob> out;
    for (const workloads::JobCopy& copy : copies) {
        out.push_back(*copy.of);
        out.back().name = copy.name();
        out.back().submit = copy.submit;
    }
    return out;
}

std::vector<std::string> names(const std::vector<TraceJob>& jobs) {
    std::vector<std::string> out;
    for (const TraceJob& job : jobs) {
        out.push_back(job.name);
    }
    return out;
}

std::vector<sim::Job> arrivals(const std::vector<TraceJob>& jobs,
                               const workloads::TracePlan& plan,
                               std::uint64_t seed = 1) {
    core::ResourceSchema resources;
    resources.add("nvidia.com/gpu");
    const auto trace = workloads::prepare_trace(tests::opener(jobs), plan, resources);
    const auto source = workloads::make_trace_source(trace, seed, "trace");
    std::vector<sim::Job> out;
    while (auto job = source->next()) {
        out.push_back(std::move(*job));
    }
    return out;
}

}  // namespace

TEST_CASE("shuffle: every order of three jobs is as frequent as the others", "[workloads][trace]") {
    sim::RandomBits bits = sim::random_bits(1, "test");
    std::map<std::vector<std::string>, int> seen;
    constexpr int times = 6000;
    for (int i = 0; i < times; ++i) {
        ++seen[names(
            changed(asking({0, 0, 0}), [&](auto& jobs) { workloads::shuffle_jobs(jobs, bits); }))];
    }
    CHECK(seen.size() == 6);
    for (const auto& [order, count] : seen) {
        // 1000 expected; the standard deviation of a count is sqrt(6000 x 1/6 x 5/6) = 29.
        CHECK(std::abs(count - times / 6) < 5 * 29);
    }
}

TEST_CASE("tune: upwards, clones stand behind and one device more would go beyond",
          "[workloads][trace]") {
    // With T the target and S' the sum after the change: T - (max milli of a device) < S' and S' <=
    // T + (max count - 1) x 1000, because the last clone is compared with T by one device only.
    for (std::uint64_t seed = 1; seed <= tests::cases(100); ++seed) {
        tests::Dice dice(seed);
        std::vector<core::Amount> milli;
        for (std::int64_t n = dice.roll(1, 20); n > 0; --n) {
            milli.push_back(dice.chance(30)   ? 0
                            : dice.chance(50) ? dice.roll(1, 999)
                                              : 1000 * dice.roll(1, 8));
        }
        milli.push_back(500);
        const std::vector<TraceJob> originals = asking(milli);
        const core::Amount target = total(originals) + dice.roll(1, 50'000);
        sim::RandomBits bits = sim::random_bits(seed, "test");
        const auto jobs =
            changed(originals, [&](auto& copies) { workloads::tune_jobs(copies, target, bits); });
        REQUIRE(jobs.size() >= originals.size());
        CHECK(total(jobs) > target - 1000);
        CHECK(total(jobs) <= target + 7000);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (i < originals.size()) {
                CHECK(jobs[i].name == originals[i].name);
                continue;
            }
            const std::string suffix = "-tuned-" + std::to_string(i - originals.size());
            REQUIRE(jobs[i].name.ends_with(suffix));
            const std::string original =
                jobs[i].name.substr(0, jobs[i].name.size() - suffix.size());
            const auto of = std::ranges::find(originals, original, &TraceJob::name);
            REQUIRE(of != originals.end());
            CHECK(jobs[i].gpus == of->gpus);
        }
    }
}

TEST_CASE("tune: downwards, jobs go until the rest ask for no more, in their order",
          "[workloads][trace]") {
    // With T the target, S' the sum of the remaining jobs and g the GPUs of the last job to go: S'
    // <= T < S' + g.
    for (std::uint64_t seed = 1; seed <= tests::cases(100); ++seed) {
        tests::Dice dice(seed);
        std::vector<core::Amount> milli(static_cast<std::size_t>(dice.roll(1, 30)));
        std::ranges::generate(milli, [&] { return 1000 * dice.roll(0, 4); });
        milli.push_back(1000);
        const std::vector<TraceJob> originals = asking(milli);
        const std::vector<std::string> before = names(originals);
        const core::Amount target = dice.roll(0, total(originals));
        sim::RandomBits bits = sim::random_bits(seed, "test");
        const auto jobs =
            changed(originals, [&](auto& copies) { workloads::tune_jobs(copies, target, bits); });
        CHECK(total(jobs) <= target);
        CHECK(total(jobs) > target - 4000);
        const std::vector<std::string> after = names(jobs);
        CHECK(std::ranges::is_sorted(after, {}, [&](const std::string& name) {
            return std::ranges::find(before, name) - before.begin();
        }));
    }
}

TEST_CASE("tune: clones are drawn by name, whatever the order of the jobs", "[workloads][trace]") {
    std::vector<TraceJob> jobs = asking({1000, 2000, 3000, 300});
    std::vector<TraceJob> turned = jobs;
    std::ranges::reverse(turned);
    for (auto* list : {&jobs, &turned}) {
        sim::RandomBits bits = sim::random_bits(7, "test");
        *list = changed(*list, [&](auto& copies) { workloads::tune_jobs(copies, 60'000, bits); });
    }
    REQUIRE(jobs.size() > 10);
    CHECK(
        std::ranges::equal(names(jobs) | std::views::drop(4), names(turned) | std::views::drop(4)));
}

TEST_CASE("tune: clones are drawn from the jobs as std::string sorts their names",
          "[workloads][trace]") {
    // Names that agree in their first sixteen letters, end there, or have unusual letters.
    const std::vector<std::string> endings{"",
                                           "a",
                                           "aa",
                                           "zz",
                                           "\xc3\xa4",
                                           "-sixteen-letters",
                                           "-sixteen-letters-and-more",
                                           "0123456"};
    const auto ending = [&](tests::Dice& dice) {
        return endings[static_cast<std::size_t>(dice.roll(0, std::ssize(endings) - 1))];
    };
    for (std::uint64_t seed = 1; seed <= tests::cases(50); ++seed) {
        tests::Dice dice(seed);
        std::vector<TraceJob> jobs = asking(std::vector<core::Amount>(20, 1000));
        for (TraceJob& job : jobs) {
            job.name = ending(dice) + ending(dice) + ending(dice);
            job.cpu_milli = dice.roll(0, 1'000'000);
        }
        sim::RandomBits bits = sim::random_bits(seed, "test");
        const auto tuned =
            changed(jobs, [&](auto& copies) { workloads::tune_jobs(copies, 200'000, bits); });
        std::ranges::stable_sort(jobs, {}, &TraceJob::name);
        sim::RandomBits again = sim::random_bits(seed, "test");
        for (std::size_t clone = 0; clone < 180; ++clone) {
            const TraceJob& original = jobs[workloads::random_index(jobs.size(), again)];
            CHECK(tuned[20 + clone].name == original.name + "-tuned-" + std::to_string(clone));
            CHECK(tuned[20 + clone].cpu_milli == original.cpu_milli);
        }
    }
}

TEST_CASE("inflate: ceil(n x ratio) - n clones behind the jobs", "[workloads][trace]") {
    for (const auto& [ratio, wanted] : {std::pair{1.0, 7U}, {1.1, 8U}, {1.5, 11U}, {3.0, 21U}}) {
        sim::RandomBits bits = sim::random_bits(1, "test");
        const auto jobs = changed(asking(std::vector<core::Amount>(7, 1000)), [&](auto& copies) {
            workloads::inflate_jobs(copies, ratio, bits);
        });
        REQUIRE(jobs.size() == wanted);
        for (std::size_t i = 7; i < wanted; ++i) {
            CHECK(jobs[i].name.ends_with("-inflated-" + std::to_string(i - 7)));
            CHECK(jobs[i].submit == jobs[static_cast<std::size_t>(jobs[i].name[4] - '0')].submit);
        }
    }
}

TEST_CASE("bootstrap: jobs and times between them are the trace's, each as often as the others",
          "[workloads][trace]") {
    std::vector<TraceJob> jobs = asking({100, 200, 300});
    jobs[1].submit = 1s;
    jobs[2].submit = 31s;  // gaps of 1 s and 30 s: 15.5 s on average, standard deviation 14.5 s
    constexpr std::uint64_t count = 20'000;
    sim::RandomBits bits = sim::random_bits(1, "test");
    const std::vector<TraceJob> drawn = changed(
        jobs, [&](auto& copies) { copies = workloads::bootstrap_jobs(copies, count, bits); });
    REQUIRE(drawn.size() == count);
    std::map<core::Amount, double> by_gpus;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        ++by_gpus[drawn[i].gpus.milli];
        CHECK(drawn[i].name.ends_with("-drawn-" + std::to_string(i)));
        if (i > 0) {
            const sim::SimTime gap = *drawn[i].submit - *drawn[i - 1].submit;
            REQUIRE((gap == 1s || gap == 30s));
        }
    }
    for (const auto& [milli, times] : by_gpus) {
        CHECK(times / count == Approx(1.0 / 3).margin(0.02));  // 5 standard deviations are 0.017
    }
    CHECK(sim::seconds(*drawn.back().submit) / (count - 1) == Approx(15.5).margin(0.6));
}

TEST_CASE("trace: sampled, about that share arrives, and others with another seed",
          "[workloads][trace]") {
    workloads::TracePlan plan;
    plan.changes.sample = 0.3;
    const std::vector<TraceJob> jobs = asking(std::vector<core::Amount>(5000, 0));
    const auto few = arrivals(jobs, plan);
    // 1500 are expected; the standard deviation is sqrt(5000 x 0.3 x 0.7) = 32.
    CHECK(few.size() == Approx(1500).margin(5 * 32));
    CHECK(std::ranges::is_sorted(few, {}, &sim::Job::submit));
    CHECK(arrivals(jobs, plan, 2).size() != few.size());
}

TEST_CASE("trace: rate divides arrival times, durations multiplies run times",
          "[workloads][trace]") {
    workloads::TracePlan plan;
    plan.changes.rate = 2;
    plan.changes.durations = 0.5;
    const auto jobs = arrivals(asking({0, 0, 0}), plan);
    CHECK(jobs[2].submit == 1min);  // 2 min / 2
    CHECK(jobs[2].duration == 5s);  // 10 s x 0.5
}

TEST_CASE("trace: shuffled and tuned, originals come first, and each seed has its order",
          "[workloads][trace]") {
    workloads::TracePlan plan;
    plan.order = workloads::TraceOrder::file;
    plan.times = workloads::TraceTimes::ignored;
    plan.changes.shuffle = true;
    plan.changes.tune_milli = 40'000;
    const std::vector<TraceJob> jobs = asking(std::vector<core::Amount>(20, 1000));
    std::set<std::string> first_of_seed;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto list = arrivals(jobs, plan, seed);
        REQUIRE(list.size() == 40);  // 20 + 20 clones of 1000 each
        std::set<std::string> originals;
        for (std::size_t i = 0; i < 20; ++i) {
            originals.insert(list[i].name);
        }
        CHECK(originals.size() == 20);
        CHECK(list[20].name.ends_with("-tuned-0"));
        first_of_seed.insert(list[0].name);
    }
    CHECK(first_of_seed.size() > 5);
}

TEST_CASE("trace: with recorded times a clone comes when its original does", "[workloads][trace]") {
    workloads::TracePlan plan;
    plan.changes.inflate = 2;
    const auto jobs = arrivals(asking({0, 0, 0, 0}), plan);
    REQUIRE(jobs.size() == 8);
    for (const sim::Job& job : jobs) {
        CHECK(job.submit == 1min * (job.name[4] - '0'));
    }
    CHECK(std::ranges::is_sorted(jobs, {}, &sim::Job::submit));
}
