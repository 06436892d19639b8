// Schedules computed by hand: which job starts when under first come first served, EASY and
// conservative backfilling.

#include <optional>
#include <string_view>

#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

using Starts = std::map<std::string, double>;

namespace {

sim::Job with_estimate(sim::Job job, sim::SimTime estimate) {
    job.estimate = estimate;
    return job;
}

Starts starts_under(const std::string& policy, const std::vector<sim::Job>& jobs) {
    return QueueRun(servers_of_units({10}), jobs, sim::queue_policy(policy)).starts();
}

}  // namespace

TEST_CASE("backfill: the second that waits is delayed by EASY alone", "[sim][backfill]") {
    // Mu'alem and Feitelson (2001), section 3: EASY promises a start to the first waiting job,
    // conservative backfilling to all of them. There are ten units:
    //   A takes 6 for 10 s. B comes at 1 s and wants 8 for 10 s: it can start at 10 s and leaves 2.
    //   C comes at 2 s and wants 9 for 10 s: it can start after B, at 20 s.
    //   D comes at 3 s and wants 2 for 30 s. They are free now and beside B, so EASY starts it.
    //   C then finds 8 at 20 s, and 10 only when D ends at 33 s. With a reservation for C, D has to
    //   wait until C ends at 30 s.
    //   E comes at 4 s and wants 4 for 6 s. Without D they are free until B starts. With D, E
    //   finds 2 free until 10 s and none until 20 s, and starts then, since it ends before 33 s.
    const std::vector<sim::Job> jobs{job_of("A", 6, 0s, 10s),
                                     job_of("B", 8, 1s, 10s),
                                     job_of("C", 9, 2s, 10s),
                                     job_of("D", 2, 3s, 30s),
                                     job_of("E", 4, 4s, 6s)};
    CHECK(starts_under("fcfs", jobs) ==
          Starts{{"A", 0}, {"B", 10}, {"C", 20}, {"D", 30}, {"E", 30}});
    CHECK(starts_under("easy-backfill", jobs) ==
          Starts{{"A", 0}, {"B", 10}, {"C", 33}, {"D", 3}, {"E", 20}});
    CHECK(starts_under("conservative-backfill", jobs) ==
          Starts{{"A", 0}, {"B", 10}, {"C", 20}, {"D", 30}, {"E", 4}});
}

TEST_CASE("backfill: small jobs do not starve a large one", "[sim][backfill]") {
    // A takes 6 of 10 for 10 s, B wants all. Each C takes 4 for 10 s, the first from 2 s on.
    std::vector<sim::Job> jobs{job_of("A", 6, 0s, 10s), job_of("B", 10, 1s, 5s)};
    for (int i = 0; i < 4; ++i) {
        jobs.push_back(job_of("C" + std::to_string(i), 4, 2s, 10s));
    }
    CHECK(starts_under("fifo", jobs) ==
          Starts{{"A", 0}, {"B", 30}, {"C0", 2}, {"C1", 10}, {"C2", 12}, {"C3", 20}});
    const Starts reserved{{"A", 0}, {"B", 10}, {"C0", 15}, {"C1", 15}, {"C2", 25}, {"C3", 25}};
    CHECK(starts_under("fcfs", jobs) == reserved);
    CHECK(starts_under("easy-backfill", jobs) == reserved);
    CHECK(starts_under("conservative-backfill", jobs) == reserved);
}

TEST_CASE("backfill: what ends by the shadow time may start, and no later", "[sim][backfill]") {
    // B can start at 10 s. C comes at 2 s and ends at 10 s, or a moment later.
    const bool too_long = GENERATE(false, true);
    const std::vector<sim::Job> jobs{job_of("A", 6, 0s, 10s),
                                     job_of("B", 10, 1s, 5s),
                                     job_of("C", 4, 2s, 8s + (too_long ? 1ns : 0ns))};
    for (const char* policy : {"easy-backfill", "conservative-backfill"}) {
        CHECK(starts_under(policy, jobs) == Starts{{"A", 0}, {"B", 10}, {"C", too_long ? 15 : 2}});
    }
}

TEST_CASE("backfill: the estimate decides, and the duration happens", "[sim][backfill]") {
    // A says 20 s and takes 10 s, so C, which takes 15 s, starts at 2 s; B waits for C until 17 s.
    std::vector<sim::Job> jobs{with_estimate(job_of("A", 6, 0s, 10s), 20s),
                               job_of("B", 10, 1s, 5s),
                               job_of("C", 4, 2s, 15s)};
    CHECK(starts_under("easy-backfill", jobs) == Starts{{"A", 0}, {"B", 17}, {"C", 2}});
    // A says 5 s and takes 10 s. C ends by 5 s; D comes when A may end at any moment.
    jobs = {with_estimate(job_of("A", 6, 0s, 10s), 5s),
            job_of("B", 10, 1s, 5s),
            job_of("C", 4, 2s, 3s),
            job_of("D", 4, 7s, 1s)};
    CHECK(starts_under("easy-backfill", jobs) == Starts{{"A", 0}, {"B", 10}, {"C", 2}, {"D", 15}});
    // A job that takes longer than it said is not stopped.
    jobs = {with_estimate(job_of("A", 10, 0s, 10s), 1s), job_of("B", 10, 1s, 5s)};
    CHECK(starts_under("easy-backfill", jobs) == Starts{{"A", 0}, {"B", 10}});
}

TEST_CASE("backfill: the order is another policy's", "[sim][backfill]") {
    // B and C want all units. With the shortest job first, C is the one that waits for A alone.
    struct Options final : sim::QueueOptions {
        sim::QueuePolicy order(const std::string& /*key*/, std::string_view /*fifo*/) override {
            return sim::queue_policy("shortest-job");
        }
    } options;
    const std::vector<sim::Job> jobs{job_of("A", 6, 0s, 10s),
                                     job_of("B", 10, 1s, 8s),
                                     job_of("C", 10, 1s, 5s),
                                     job_of("D", 4, 2s, 8s)};
    for (const sim::QueuePolicyEntry& entry : sim::queue_policies()) {
        if (entry.make(options).overtaking == sim::Overtaking::backfill) {
            CHECK(QueueRun(servers_of_units({10}), jobs, entry.make(options)).starts() ==
                  Starts{{"A", 0}, {"B", 15}, {"C", 10}, {"D", 2}});
        }
    }
}

TEST_CASE("backfill: a place is kept on a server, not in a sum", "[sim][backfill]") {
    // Each of two servers of 4 has 3 in use, one until 10 s and one until 20 s. B wants a whole
    // server and is promised the first one at 10 s. C wants 1 for a long time and gets it on the
    // second server, although the first comes first. D wants 1 for 5 s and gets it on the first.
    const QueueRun run(servers_of_units({4, 4}),
                       {job_of("A0", 3, 0s, 10s),
                        job_of("A1", 3, 0s, 20s),
                        job_of("B", 4, 1s, 10s),
                        job_of("C", 1, 2s, 100s),
                        job_of("D", 1, 2s, 5s)},
                       sim::queue_policy("easy-backfill"));
    CHECK(run.starts() == Starts{{"A0", 0}, {"A1", 0}, {"B", 10}, {"C", 2}, {"D", 2}});
    CHECK(run.of("B").stints.front().server == core::ServerId{0});
    CHECK(run.of("C").stints.front().server == core::ServerId{1});
    CHECK(run.of("D").stints.front().server == core::ServerId{0});
}

TEST_CASE("backfill: a gang keeps a place for all of its members", "[sim][backfill]") {
    // A gang of two members of 3 waits until a second server of 4 is free. A job that outlives that
    // moment gets the one unit that the gang leaves on a server, and none of the other three.
    sim::Job gang = job_of("gang", 3, 1s, 10s);
    gang.group = true;
    gang.size = gang.min_available = 2;
    gang.constraints = core::LevelConstraints(2);
    const QueueRun run(servers_of_units({4, 4}),
                       {job_of("A", 4, 0s, 10s),
                        gang,
                        job_of("C", 2, 2s, 100s),
                        job_of("D", 1, 2s, 100s),
                        job_of("E", 3, 2s, 8s)},
                       sim::queue_policy("easy-backfill"));
    CHECK(run.starts() == Starts{{"A", 0}, {"gang", 10}, {"C", 20}, {"D", 2}, {"E", 2}});
}

TEST_CASE("backfill: a gang starts where as many as it needs have a place", "[sim][backfill]") {
    // Two of the gang's four members are enough, and A has one of three servers. The first waiting
    // job could never start.
    sim::Job gang = job_of("gang", 4, 2s, 10s);
    gang.group = true;
    gang.size = 4;
    gang.min_available = 2;
    gang.constraints = core::LevelConstraints(2);
    for (const char* policy : {"easy-backfill", "conservative-backfill", "replanned-backfill"}) {
        CAPTURE(policy);
        const QueueRun run(servers_of_units({4, 4, 4}),
                           {job_of("A", 4, 0s, 10s), job_of("never", 5, 1s, 1s), gang},
                           sim::queue_policy(policy));
        CHECK(run.starts() == Starts{{"A", 0}, {"never", -1}, {"gang", 2}});
        CHECK(run.of("gang").placed == 2);
    }
}

TEST_CASE("backfill: one that could never start keeps nothing", "[sim][backfill]") {
    // Eleven of ten units will never be free, and while F runs for ever, neither will ten.
    const std::vector<sim::Job> jobs{job_of("F", 1, 0s, std::nullopt),
                                     job_of("A", 6, 0s, 10s),
                                     job_of("never", 11, 1s, 5s),
                                     job_of("later", 10, 1s, 5s),
                                     job_of("B", 9, 1s, 5s),
                                     job_of("C", 3, 2s, 9s),
                                     job_of("D", 3, 2s, 8s)};
    for (const char* policy : {"easy-backfill", "conservative-backfill"}) {
        CHECK(
            starts_under(policy, jobs) ==
            Starts{
                {"F", 0}, {"A", 0}, {"never", -1}, {"later", -1}, {"B", 10}, {"C", 15}, {"D", 2}});
    }
    // Under first come first served, no job passes another.
    const QueueRun strict(servers_of_units({10}), jobs, sim::queue_policy("fcfs"));
    CHECK(strict.starts().at("B") == -1);
    CHECK(strict.of("C").reason == "it fits, but the queue's policy holds it back.");
    CHECK(strict.of("never").reason == "0/1 nodes are available: 1 Insufficient units.");
}

TEST_CASE("backfill: places are not promised for ever behind one that never leaves",
          "[sim][backfill]") {
    // A says 10 s and runs for ever. The starts promised to B and C become due, cannot be kept and
    // are promised anew; with nothing else to come, that has an end.
    const std::vector<sim::Job> jobs{with_estimate(job_of("A", 10, 0s, std::nullopt), 10s),
                                     job_of("B", 10, 1s, 10s),
                                     job_of("C", 10, 2s, 10s)};
    CHECK(starts_under("conservative-backfill", jobs) == Starts{{"A", 0}, {"B", -1}, {"C", -1}});
    // D leaves late, when A has been overdue for more than a hundred promises; then B starts.
    const std::vector<sim::Job> late{with_estimate(job_of("A", 5, 0s, std::nullopt), 10s),
                                     with_estimate(job_of("D", 5, 0s, 5000s), 10s),
                                     job_of("B", 5, 1s, 10s),
                                     job_of("C", 10, 2s, 10s),
                                     job_of("E", 10, 2s, 10s)};
    const Starts starts = starts_under("conservative-backfill", late);
    CHECK(starts.at("B") >= 5000);
    CHECK(starts.at("C") == -1);
}

namespace {

class Depth final : public sim::QueueOptions {
public:
    explicit Depth(std::size_t depth) : depth_(depth) {}
    std::size_t count(const std::string& /*depth*/, std::size_t /*otherwise*/) override {
        return depth_;
    }

private:
    std::size_t depth_;
};

}  // namespace

TEST_CASE("backfill: who has no turn for a reservation is tried again", "[sim][backfill]") {
    // R stays longer than expected. Whenever reservations are made anew, four other jobs have one
    // when it is A's turn; the reservation of Z never ends and leaves no time for A.
    std::vector<sim::Job> jobs{job_of("R", 3, 3500ms, 45857ms),
                               job_of("A", 2, 6500ms, 22526ms),
                               job_of("B", 3, 7500ms, 0ms),
                               job_of("C", 2, 7500ms, 17699ms),
                               job_of("Z", 2, 10s, std::nullopt),
                               job_of("D", 2, 14500ms, 12872ms)};
    jobs[0].estimate = 28500ms;
    jobs[1].estimate = 14s;
    jobs[2].estimate = 4s;
    jobs[3].estimate = 26s;
    jobs[5].estimate = 8s;
    Depth options(4);
    const auto conservative = std::ranges::find(sim::queue_policies(),
                                                std::string_view("conservative-backfill"),
                                                &sim::QueuePolicyEntry::name);
    const QueueRun run(servers_of_units({3}), jobs, conservative->make(options));
    CHECK(run.starts().at("A") == 49.357);
    CHECK(run.starts().at("Z") > run.starts().at("A"));
}

TEST_CASE("backfill: with depth, those behind have no reservation", "[sim][backfill]") {
    // As in the first example, where the second reservation, that of C, is what holds D back.
    struct Options final : sim::QueueOptions {
        std::size_t count(const std::string& /*depth*/, std::size_t /*otherwise*/) override {
            return depth;
        }
        std::size_t depth = 0;
    } options;
    options.depth = GENERATE(1U, 2U);
    const auto entry = std::ranges::find(sim::queue_policies(),
                                         std::string_view("conservative-backfill"),
                                         &sim::QueuePolicyEntry::name);
    const QueueRun run(servers_of_units({10}),
                       {job_of("A", 6, 0s, 10s),
                        job_of("B", 8, 1s, 10s),
                        job_of("C", 9, 2s, 10s),
                        job_of("D", 2, 3s, 30s)},
                       entry->make(options));
    CHECK(run.starts().at("D") == (options.depth == 1 ? 3 : 30));
    CHECK(run.starts().at("C") == (options.depth == 1 ? 33 : 20));
}

TEST_CASE("backfill: a server that fails takes its reservations with it", "[sim][backfill]") {
    // B waits for the server, which is gone from 5 s to 30 s; A starts anew, and B after it.
    sim::Settings settings;
    settings.node_changes = {{5s, core::ServerId{0}, false}, {30s, core::ServerId{0}, true}};
    const QueueRun run(servers_of_units({4}),
                       {job_of("A", 3, 0s, 10s), job_of("B", 4, 1s, 10s), job_of("C", 1, 2s, 9s)},
                       sim::queue_policy("easy-backfill"),
                       settings);
    // A went to the end of the queue, so B is first then, and C comes before A.
    CHECK(run.starts() == Starts{{"A", 40}, {"B", 30}, {"C", 40}});
}

TEST_CASE("backfill: an application's limit on a server holds for those who overtake",
          "[sim][backfill]") {
    const char* policy = GENERATE("easy-backfill", "conservative-backfill", "replanned-backfill");
    CAPTURE(policy);
    std::vector<sim::Job> jobs{job_of("first", 1, 0s, 10s),
                               job_of("whole", 10, 1s, 10s),
                               job_of("second", 1, 2s, 3s),
                               job_of("other", 1, 3s, 3s)};
    for (const std::size_t of_application : {0U, 2U}) {
        jobs[of_application].application = "a";
        jobs[of_application].per_server_max = 1;
    }
    const QueueRun run(servers_of_units({10}), jobs, sim::queue_policy(policy));
    CHECK(run.starts() ==
          std::map<std::string, double>{{"first", 0}, {"whole", 10}, {"second", 20}, {"other", 3}});
}

TEST_CASE("backfill: an application's limit holds where somebody stays for longer",
          "[sim][backfill]") {
    std::vector<sim::Job> jobs{job_of("first", 1, 0s, 100s), job_of("second", 1, 1s, 10s)};
    for (sim::Job& job : jobs) {
        job.estimate = 10s;
        job.application = "a";
        job.per_server_max = 1;
    }
    const QueueRun run(servers_of_units({10}), jobs, sim::queue_policy("conservative-backfill"));
    CHECK(run.starts() == Starts{{"first", 0}, {"second", 100}});
}

TEST_CASE("backfill: with retry never nobody waits, and nobody is held up", "[sim][backfill]") {
    sim::Settings settings;
    settings.retry = false;
    const std::string policy = GENERATE("fcfs", "easy-backfill", "conservative-backfill");
    const QueueRun run(servers_of_units({10}),
                       {job_of("A", 6, 0s, 10s), job_of("B", 8, 1s, 10s), job_of("C", 4, 1s, 99s)},
                       sim::queue_policy(policy),
                       settings);
    CHECK(run.of("B").outcome == sim::Outcome::dropped);
    CHECK(run.starts().at("C") == 1);
}
