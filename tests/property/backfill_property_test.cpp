// Backfilling against a plain second implementation on one server, and its promises on several.

#include <chrono>

#include "tests/support/dice.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;
using std::chrono::seconds;

namespace {

constexpr std::int64_t units = 10;

struct PlainJob {
    std::int64_t need = 0;
    std::int64_t submit = 0;
    std::int64_t duration = 0;
    std::int64_t estimate = 0;
    std::int64_t start = -1;
    std::int64_t promised = -1;  ///< Its first reservation.
    std::int64_t reserved = -1;  ///< The one that it has, where they are kept.
};

/// Second by second, as the papers describe it.
class Plain {
public:
    Plain(std::vector<PlainJob> jobs, std::string policy)
        : jobs_(std::move(jobs)), policy_(std::move(policy)) {}

    std::vector<PlainJob> run() {
        for (now_ = 0;
             std::ranges::any_of(jobs_, [](const PlainJob& job) { return job.start < 0; });
             ++now_) {
            if (std::ranges::none_of(jobs_, [&](const PlainJob& job) {
                    return job.submit == now_ || job.reserved == now_ ||
                           (job.start >= 0 && job.start + job.duration == now_);
                })) {
                continue;  // a scheduler looks when jobs come or end, or a promise falls due
            }
            std::vector<PlainJob*> queue;
            for (PlainJob& job : jobs_) {
                if (job.start < 0 && job.submit <= now_) {
                    queue.push_back(&job);
                }
            }
            if (policy_ == "replanned-backfill") {
                replanned(queue);
            } else if (policy_ == "conservative-backfill") {
                conservative(queue);
            } else {
                first_come(queue);
            }
        }
        return jobs_;
    }

private:
    bool runs(const PlainJob& job) const {
        return job.start >= 0 && now_ < job.start + job.duration;
    }
    std::int64_t free() const {
        std::int64_t left = units;
        for (const PlainJob& job : jobs_) {
            left -= runs(job) ? job.need : 0;
        }
        return left;
    }

    void first_come(const std::vector<PlainJob*>& queue) {
        std::size_t head = 0;
        while (head < queue.size() && queue[head]->need <= free()) {
            queue[head++]->start = now_;
        }
        if (head == queue.size() || policy_ == "fcfs") {
            return;
        }
        // Those that run by their expected end, until the head fits: the shadow time, and what is
        // left beside the head then, the extra units.
        std::vector<std::pair<std::int64_t, std::int64_t>> ends;
        for (const PlainJob& job : jobs_) {
            if (runs(job)) {
                ends.emplace_back(std::max(job.start + job.estimate, now_), job.need);
            }
        }
        std::ranges::sort(ends);
        std::int64_t then = free();
        std::int64_t shadow = now_;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (then >= queue[head]->need && ends[i].first > shadow) {
                break;
            }
            then += ends[i].second;
            shadow = ends[i].first;
        }
        if (queue[head]->promised < 0) {
            queue[head]->promised = shadow;
        }
        std::int64_t extra = then - queue[head]->need;
        for (std::size_t i = head + 1; i < queue.size(); ++i) {
            const bool ends_before = now_ + queue[i]->estimate <= shadow;
            if (queue[i]->need > free() || (!ends_before && queue[i]->need > extra)) {
                continue;
            }
            queue[i]->start = now_;
            extra -= ends_before ? 0 : queue[i]->need;
        }
    }

    /// Reservations are kept; when a job has ended early each gives its own back in turn.
    void conservative(const std::vector<PlainJob*>& queue) {
        std::vector<std::int64_t> used(2000);
        const auto use = [&](std::int64_t from, std::int64_t to, std::int64_t need) {
            for (std::int64_t t = std::max(from, now_); t < to; ++t) {
                used[static_cast<std::size_t>(t - now_)] += need;
            }
        };
        for (const PlainJob& job : jobs_) {
            if (runs(job)) {
                use(job.start, job.start + job.estimate, job.need);
            } else if (job.start < 0 && job.reserved >= 0) {
                use(job.reserved, job.reserved + job.estimate, job.need);
            }
        }
        const bool early = std::ranges::any_of(jobs_, [&](const PlainJob& job) {
            return job.start >= 0 && job.start + job.duration == now_ &&
                   job.duration < job.estimate;
        });
        for (PlainJob* job : queue) {
            if (early || job->reserved < 0) {
                if (job->reserved >= 0) {
                    use(job->reserved, job->reserved + job->estimate, -job->need);
                }
                std::int64_t at = 0;
                for (std::int64_t t = 0; t < at + job->estimate; ++t) {
                    if (used[static_cast<std::size_t>(t)] + job->need > units) {
                        at = t + 1;
                    }
                }
                job->reserved = now_ + at;
                use(job->reserved, job->reserved + job->estimate, job->need);
            }
            job->promised = job->promised < 0 ? job->reserved : job->promised;
            job->start = job->reserved == now_ ? now_ : job->start;
        }
    }

    void replanned(const std::vector<PlainJob*>& queue) {
        std::vector<std::int64_t> used(2000);
        for (const PlainJob& job : jobs_) {
            for (std::int64_t t = now_; runs(job) && t < job.start + job.estimate; ++t) {
                used[static_cast<std::size_t>(t - now_)] += job.need;
            }
        }
        for (PlainJob* job : queue) {
            std::int64_t at = 0;
            for (std::int64_t t = 0; t < at + job->estimate; ++t) {
                if (used[static_cast<std::size_t>(t)] + job->need > units) {
                    at = t + 1;
                }
            }
            for (std::int64_t t = at; t < at + job->estimate; ++t) {
                used[static_cast<std::size_t>(t)] += job->need;
            }
            job->promised = job->promised < 0 ? now_ + at : job->promised;
            job->start = at == 0 ? now_ : job->start;
        }
    }

    std::vector<PlainJob> jobs_;
    std::string policy_;
    std::int64_t now_ = 0;
};

enum class Estimates { exact, too_long, any };

std::vector<PlainJob> random_jobs(Dice& dice, Estimates estimates) {
    std::vector<PlainJob> jobs;
    std::int64_t at = 0;
    for (int i = 0; i < 30; ++i) {
        at += dice.roll(0, 4);
        PlainJob job{dice.roll(1, units), at, dice.roll(1, 12)};
        job.estimate = estimates == Estimates::exact      ? job.duration
                       : estimates == Estimates::too_long ? job.duration + dice.roll(0, 12)
                                                          : dice.roll(1, 20);
        jobs.push_back(job);
    }
    return jobs;
}

std::vector<sim::Job> as_jobs(const std::vector<PlainJob>& plain) {
    std::vector<sim::Job> jobs;
    for (const PlainJob& job : plain) {
        jobs.push_back(job_of(
            std::to_string(jobs.size()), job.need, seconds(job.submit), seconds(job.duration)));
        jobs.back().estimate = seconds(job.estimate);
    }
    return jobs;
}

/// Pods and gangs on servers of several sizes.
std::vector<sim::Job> random_cluster_jobs(Dice& dice) {
    std::vector<sim::Job> jobs;
    std::int64_t at = 0;
    for (int i = 0; i < 25; ++i) {
        at += dice.roll(0, 3);
        sim::Job job =
            job_of(std::to_string(i), dice.roll(1, 4), seconds(at), seconds(dice.roll(1, 15)));
        if (dice.chance(20)) {
            job.group = true;
            job.size = job.min_available = dice.roll(2, 4);
            job.demand = {dice.roll(1, 2)};
            job.constraints = core::LevelConstraints(2);
        }
        jobs.push_back(job);
    }
    return jobs;
}

}  // namespace

TEST_CASE("backfill: as a plain implementation on one server", "[property][backfill]") {
    struct Row {
        std::string policy;
        Estimates estimates;
    };
    const Row row = GENERATE(Row{"fcfs", Estimates::any},
                             Row{"easy-backfill", Estimates::exact},
                             Row{"easy-backfill", Estimates::too_long},
                             Row{"easy-backfill", Estimates::any},
                             Row{"conservative-backfill", Estimates::exact},
                             Row{"conservative-backfill", Estimates::too_long},
                             Row{"replanned-backfill", Estimates::exact},
                             Row{"replanned-backfill", Estimates::too_long});
    CAPTURE(row.policy);
    int waited = 0;
    for (std::uint64_t seed = 0; seed < cases(60); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::vector<PlainJob> jobs = random_jobs(dice, row.estimates);
        const std::vector<PlainJob> expected = Plain(jobs, row.policy).run();
        const QueueRun run(servers_of_units({units}), as_jobs(jobs), sim::queue_policy(row.policy));
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            CAPTURE(i);
            REQUIRE(sim::seconds(*run.records[i].start) == static_cast<double>(expected[i].start));
            // The promise: nobody starts later than its first reservation said.
            const bool kept = row.policy == "conservative-backfill" ||
                              (row.estimates == Estimates::exact && row.policy != "fcfs");
            if (kept && expected[i].promised >= 0) {
                REQUIRE(expected[i].start <= expected[i].promised);
                ++waited;
            }
        }
    }
    CHECK((waited > 100 || row.estimates != Estimates::exact || row.policy == "fcfs"));
}

TEST_CASE("backfill: who comes later delays nobody", "[property][backfill]") {
    // With exact estimates: under conservative backfilling no job before them, under EASY not the
    // first that had to wait.
    int checked = 0;
    for (std::uint64_t seed = 0; seed < cases(25); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::vector<sim::Job> jobs = random_cluster_jobs(dice);
        const auto tree = servers_of_units({4, 4, 6, 5});
        for (const char* policy : {"conservative-backfill", "easy-backfill"}) {
            CAPTURE(policy);
            const QueueRun all(tree, jobs, sim::queue_policy(policy));
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                const QueueRun without(
                    tree,
                    {jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(i) + 1},
                    sim::queue_policy(policy));
                const sim::SimTime alone = *without.records[i].start;
                if (alone > jobs[i].submit) {
                    REQUIRE(*all.records[i].start <= alone);
                    ++checked;
                    if (policy == std::string("easy-backfill")) {
                        break;
                    }
                }
            }
        }
    }
    CHECK(checked > 100);
}
