// Quotas that change while pods come and go.

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

sim::QuotaPatch patch(std::string name) {
    sim::QuotaPatch out;
    out.name = std::move(name);
    return out;
}

sim::QuotaPatch max_of(std::string name, std::int64_t max) {
    sim::QuotaPatch out = patch(std::move(name));
    out.max = units(max);
    return out;
}

sim::QuotaPatch below(std::string name, std::string parent) {
    sim::QuotaPatch out = patch(std::move(name));
    out.parent = std::move(parent);
    return out;
}

sim::QuotaChange::Create create(core::ElasticQuota quota) {
    return {std::move(quota)};
}

}  // namespace

TEST_CASE("quota changes: a quota that appears takes its pods from the default group",
          "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 0, 10)});
    settings.quotas->changes = {{10s, create(quota("new", 0, 3))}};
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("n", "new", 0s, 20s), 2);
    jobs.push_back(pod("large", "new", 1s, 20s, 9));  // waits for room
    add_pods(jobs, pod("late", "new", 12s, 20s), 2);
    settings.until = 60s;
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.used_at("koordinator-default-quota", 9s) == 2);
    CHECK(run.used_at("koordinator-default-quota", 10s) == 0);
    CHECK(run.used_at("new", 10s) == 2);
    CHECK(run.runtime_at("new", 10s) == 3);
    CHECK(run.of("n-0").job.quota == "new");
    CHECK(run.start_s("late-0") == 12);
    CHECK(run.start_s("late-1") == 20);  // when the two pods n are done
    CHECK(run.of("large").reason ==
          "quota new: 0 used + 9 requested > runtime 3 of units; held back by the max of new, 3.");
    REQUIRE(run.changes.size() == 1);
    CHECK(run.changes[0].change == "create");
    CHECK(run.changes[0].quota == "new");
    CHECK_FALSE(run.changes[0].refusal.has_value());
    CHECK(run.metric("quota/new/pods_submitted") == 5);
    CHECK(run.metric("quota/koordinator-default-quota/pods_submitted") == 0);
}

TEST_CASE("quota changes: a larger quota wakes who waits for it", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 0, 2)});
    settings.quotas->changes = {{10s, max_of("A", 4)}, {30s, max_of("A", 1)}};
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 50s), 5);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("a-1") == 0);
    CHECK(run.start_s("a-2") == 10);
    CHECK(run.start_s("a-3") == 10);
    // Running pods go on when the quota shrinks; the last pod waits until the others are done.
    CHECK(run.used_at("A", 30s) == 4);
    CHECK(run.start_s("a-4") == 60);
}

TEST_CASE("quota changes: the weight follows a max that it was taken from", "[sim][quota]") {
    // At first each quota gets 12 x 6 / 12 = 6. A's max of 18 makes this 12 x 18 / 24 = 9 for A and
    // 12 x 6 / 24 = 3 for B. A stated weight stays.
    const bool stated = GENERATE(false, true);
    CAPTURE(stated);
    std::vector<core::ElasticQuota> quotas{quota("A", 0, 6), quota("B", 0, 6)};
    if (stated) {
        quotas[0].shared_weight = units(3);
        quotas[1].shared_weight = units(3);
    }
    quotas[1].max = units(100);
    quotas[1].shared_weight = units(stated ? 3 : 6);
    sim::Settings settings = with_quotas(quotas);
    settings.quotas->changes = {{10s, max_of("A", 18)}};
    settings.until = 20s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, std::nullopt), 30);
    add_pods(jobs, pod("b", "B", 0s, std::nullopt), 30);
    const QuotaRun run(servers_of({12}), jobs, settings);
    CHECK(run.runtime_at("A", 9s) == 6);
    CHECK(run.runtime_at("A", 10s) == (stated ? 6 : 9));
    CHECK(run.runtime_at("B", 10s) == (stated ? 6 : 3));
}

TEST_CASE("quota changes: a quota under another parent", "[sim][quota]") {
    // Under P, which has four, A may have all of them; under Q, which has six, it may have six.
    sim::Settings settings = with_quotas({parent_quota("P", 0, 4),
                                          parent_quota("Q", 0, 6),
                                          quota("A", 0, 10, "P"),
                                          quota("B", 0, 10, "Q")});
    settings.quotas->changes = {{10s, below("A", "Q")}};
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 50s), 6);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.used_at("P", 9s) == 4);
    CHECK(run.runtime_at("P", 9s) == 4);
    CHECK(run.used_at("P", 10s) == 0);
    CHECK(run.used_at("Q", 10s) == 6);
    CHECK(run.runtime_at("Q", 10s) == 6);
    CHECK(run.start_s("a-5") == 10);
}

TEST_CASE("quota changes: those who wait count where their quota stands", "[sim][quota]") {
    // From 1 s to 20 s A waits for room; it moves from P to Q at 10 s. Each quota is denied its min
    // of 4.
    sim::Settings settings = with_quotas({parent_quota("P", 4, 10),
                                          parent_quota("Q", 4, 10),
                                          quota("A", 4, 10, "P"),
                                          quota("B", 0, 10)});
    settings.quotas->changes = {{10s, below("A", "Q")}};
    std::vector<sim::Job> jobs{pod("b", "B", 0s, 20s, 10)};
    jobs.push_back(pod("a", "A", 1s, 30s, 4));
    jobs.push_back(pod("end", "B", 60s, 10s, 1));
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.metric("quota/A/min_violation_s") == 19);
    CHECK(run.metric("quota/P/min_violation_s") == 9);
    CHECK(run.metric("quota/Q/min_violation_s") == 10);
    // The sum is over the quotas that have pods of their own.
    CHECK(run.metric("min_violation_s") == 19);
}

TEST_CASE("quota changes: who has left a parent does not wait there", "[sim][quota]") {
    // N keeps P's min and uses nothing, so P is denied its min while a job waits below P: the job
    // of A, which comes at 1 s and moves at 10 s.
    core::ElasticQuota keeps = quota("N", 4, 10, "P");
    keeps.allow_lent_resource = false;
    sim::Settings settings = with_quotas({parent_quota("P", 4, 10),
                                          parent_quota("Q", 4, 10),
                                          keeps,
                                          quota("A", 0, 10, "P"),
                                          quota("B", 0, 10)});
    settings.quotas->changes = {{10s, below("A", "Q")}};
    const QuotaRun run(
        servers_of({10}), {pod("b", "B", 0s, 20s, 6), pod("a", "A", 1s, 30s, 5)}, settings);
    CHECK(run.start_s("a") == 20);
    CHECK(run.metric("quota/P/min_violation_s") == 9);
    CHECK(run.metric("quota/Q/min_violation_s") == 10);
}

TEST_CASE("quota changes: those who wait for a new quota are denied its min", "[sim][quota]") {
    // They are denied it from 10 s, when the quota that they name is created, until there is room.
    sim::Settings settings = with_quotas({quota("B", 0, 10)});
    settings.quotas->changes = {{10s, create(quota("new", 4, 10))}};
    const QuotaRun run(
        servers_of({10}), {pod("b", "B", 0s, 30s, 10), pod("n", "new", 1s, 10s, 4)}, settings);
    CHECK(run.start_s("n") == 30);
    CHECK(run.metric("quota/new/min_violation_s") == 20);
    CHECK(run.metric("quota/new/wait_s_mean") == 29);
}

TEST_CASE("quota changes: what breaks a rule is refused, and the run goes on", "[sim][quota]") {
    struct Row {
        std::string what;
        decltype(sim::QuotaChange::what) change;
        std::string refusal;  ///< Empty: the change is accepted.
    };
    core::ElasticQuota own_parent = parent_quota("P", 4, 10, "P");
    sim::QuotaPatch negative = patch("A");
    negative.min = units(-1);
    sim::QuotaPatch above_max = patch("A");
    above_max.min = units(11);
    sim::QuotaPatch above_parent = patch("A");
    above_parent.min = units(5);
    const std::vector<Row> rows{
        {"a name twice",
         create(quota("A", 0, 1)),
         "a quota is named A already: expected another name"},
        {"an unknown parent",
         create(quota("new", 0, 1, "nobody")),
         "unknown parent nobody of new: expected the name of a quota"},
        {"a parent that is a leaf",
         create(quota("new", 0, 1, "A")),
         "parent A of new is a leaf: expected a quota with is-parent true"},
        {"negative", negative, "min of A is -1 units: expected at least 0"},
        {"min above max", above_max, "min of A is 11 units: expected at most its max, 10"},
        {"min above the parent's",
         above_parent,
         "min of the children of P is 5 units with A: expected at most its min, 4"},
        {"a cycle",
         below("P", "R"),
         "parent R of P is below it: expected a parent that is not "
         "below it"},
        {"its own parent",
         below("P", "P"),
         "parent P of P is itself: expected a parent that is "
         "not below it"},
        {"an unknown quota", max_of("x", 3), "unknown quota x: expected one that was created"},
        {"an unknown quota, whole",
         sim::QuotaChange::Update{quota("x", 1, 3)},
         "unknown quota x: expected one that was created"},
        {"deleted, unknown",
         sim::QuotaChange::Delete{"x"},
         "unknown quota x: expected one that was created"},
        {"deleted, with children",
         sim::QuotaChange::Delete{"P"},
         "P has children, A, R: expected none when it is deleted"},
        {"deleted, with a job",
         sim::QuotaChange::Delete{"A"},
         "A has pods, of 1 job: expected none when it is deleted"},
        {"deleted, special",
         sim::QuotaChange::Delete{"koordinator-default-quota"},
         "koordinator-default-quota cannot be deleted: expected another quota"},
        {"a leaf with pods becomes a parent",
         sim::QuotaChange::Update{parent_quota("A", 0, 10, "P")},
         "A has pods and becomes a parent: expected is-parent false"},
        {"one that pods come to by their namespace",
         sim::QuotaChange::Update{parent_quota("N", 0, 10)},
         "N has pods and becomes a parent: expected is-parent false"},
        {"created as a parent, and pods name it",
         create(parent_quota("future", 0, 10)),
         "future has pods and becomes a parent: expected is-parent false"},
        {"a parent with children becomes a leaf",
         sim::QuotaChange::Update{quota("P", 4, 10)},
         "P has children, A, R, and becomes a leaf: expected is-parent true"},
        {"a sound one", max_of("A", 20), ""},
        {"deleted, without pods", sim::QuotaChange::Delete{"empty"}, ""},
    };
    core::ElasticQuota bound = quota("N", 0, 10);
    bound.namespaces = {"space"};
    for (const Row& row : rows) {
        CAPTURE(row.what);
        sim::Settings settings = with_quotas({parent_quota("P", 4, 10),
                                              quota("A", 0, 10, "P"),
                                              parent_quota("R", 0, 10, "P"),
                                              quota("empty", 0, 10),
                                              bound});
        settings.quotas->changes = {{10s, row.change}};
        std::vector<sim::Job> jobs{pod("a", "A", 0s, 20s, 2), pod("f", "future", 0s, 20s, 2)};
        jobs.push_back(pod("n", "", 0s, 20s, 2));
        jobs.back().name_space = "space";
        const QuotaRun run(servers_of({10}), jobs, settings);
        REQUIRE(run.changes.size() == 1);
        CHECK(run.changes[0].refusal.value_or("") == row.refusal);
        CHECK(run.changes[0].at == 10s);
        for (const sim::JobRecord& record : run.jobs) {
            CHECK(record.outcome == sim::Outcome::finished);
            CHECK(record.finish == 20s);
        }
    }
}

TEST_CASE("quota changes: a quota is deleted when its pods are through", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 4, 10), quota("B", 0, 10)});
    settings.quotas->changes = {{5s, sim::QuotaChange::Delete{"A"}},
                                {20s, sim::QuotaChange::Delete{"A"}},
                                {30s, create(quota("A", 2, 3))}};
    std::vector<sim::Job> jobs{pod("a", "A", 0s, 10s, 2)};
    jobs.push_back(pod("between", "A", 25s, 10s, 4));
    jobs.push_back(pod("b", "B", 0s, 50s, 1));
    const QuotaRun run(servers_of({10}), jobs, settings);
    REQUIRE(run.changes.size() == 3);
    CHECK(run.changes[0].refusal == "A has pods, of 1 job: expected none when it is deleted");
    CHECK_FALSE(run.changes[1].refusal.has_value());
    CHECK_FALSE(run.changes[2].refusal.has_value());
    CHECK(run.of("between").job.quota == "A");
    CHECK(run.used_at("koordinator-default-quota", 29s) == 4);
    CHECK(run.used_at("A", 30s) == 4);  // more than its max, but running pods go on
    // Both quotas of that name count: the first lent 2 of 4 until 10 s and 4 until 20 s; the second
    // lends none of 2 until 35 s, and both until the end at 50 s.
    CHECK(run.metric("quota/A/units_lent_h") == Approx((2 * 10 + 4 * 10 + 2 * 15) / 3600.0));
    CHECK(run.metric("quota/A/units_borrowed_h") == Approx(2 * 5 / 3600.0));
    CHECK(run.metric("quota/A/dominant_share") == Approx((0.2 * 10 + 0.4 * 5) / 50));
}

TEST_CASE("quota changes: pods that a new quota takes over count in its share", "[sim][quota]") {
    // Until 10 s the share of C's pod belongs to the default group. Then C has 6 of 10, and B's pod
    // goes first although it came later.
    const bool created = GENERATE(true, false);
    CAPTURE(created);
    sim::Settings settings = with_quotas({quota("B", 0, 10)});
    settings.profile.queue = sim::queue_policy("drf");
    if (created) {
        settings.quotas->changes = {{10s, create(quota("C", 0, 10))}};
    } else {
        settings.quotas->quotas.push_back(quota("C", 0, 10));
    }
    settings.quotas->rules.limit = core::QuotaLimit::max;
    const std::vector<sim::Job> jobs{pod("c", "C", 0s, 100s, 6),
                                     pod("b", "B", 0s, 20s, 3),
                                     pod("next-c", "C", 5s, 10s, 4),
                                     pod("next-b", "B", 6s, 10s, 4)};
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("next-b") == 20);
    CHECK(run.start_s("next-c") == 30);
}

TEST_CASE("quota changes: pods that move to a quota are tried at once", "[sim][quota]") {
    // The default group is full; there is room in the quota that the pods name.
    sim::Settings settings = with_quotas({});
    settings.quotas->default_group_max = units(1);
    settings.quotas->changes = {{10s, create(quota("new", 0, 2))}};
    std::vector<sim::Job> jobs{pod("first", "", 0s, 100s)};
    add_pods(jobs, pod("n", "new", 1s, 20s), 3);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("n-0") == 10);
    CHECK(run.start_s("n-1") == 10);
    CHECK(run.start_s("n-2") == 30);
}

TEST_CASE("quota changes: a pod that comes to a parent is rejected", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 0, 10)});
    settings.quotas->changes = {{20s, sim::QuotaChange::Update{parent_quota("A", 0, 10)}}};
    const QuotaRun run(
        servers_of({10}), {pod("a", "A", 0s, 10s, 2), pod("late", "A", 30s, 10s, 2)}, settings);
    CHECK(run.of("a").outcome == sim::Outcome::finished);
    CHECK(run.of("late").outcome == sim::Outcome::rejected);
    CHECK(run.of("late").reason == "quota A is a parent: expected a pod in a leaf");
    CHECK(run.metric("pods_rejected") == 1);
}
