// Which job is first under each policy that orders, by hand.

#include <optional>
#include <string_view>

#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

using Starts = std::map<std::string, double>;

TEST_CASE("longest job: by the estimate, or else by the duration", "[sim][queue]") {
    std::vector<sim::Job> jobs{job_of("now", 10, 0s, 10s),
                               job_of("short", 10, 1s, 8s),
                               job_of("long", 10, 2s, 9s),
                               job_of("says long", 10, 3s, 5s),
                               job_of("endless", 10, 0s, std::nullopt)};
    jobs[3].estimate = 30s;
    // A job that says nothing about its time is last in any case.
    CHECK(QueueRun(servers_of_units({10}), jobs, sim::queue_policy("longest-job")).starts() ==
          Starts{{"now", 0}, {"says long", 10}, {"long", 15}, {"short", 24}, {"endless", 32}});
}

TEST_CASE("shortest job: by the estimate, or else by the duration", "[sim][queue]") {
    std::vector<sim::Job> jobs{job_of("now", 10, 0s, 10s),
                               job_of("long", 10, 1s, 9s),
                               job_of("short", 10, 2s, 8s),
                               job_of("says short", 10, 3s, 20s),
                               job_of("endless", 10, 0s, std::nullopt)};
    jobs[3].estimate = 1s;
    // At 0 s "now" goes before the endless job, which is last in any case.
    CHECK(QueueRun(servers_of_units({10}), jobs, sim::queue_policy("shortest-job")).starts() ==
          Starts{{"now", 0}, {"says short", 10}, {"short", 30}, {"long", 38}, {"endless", 47}});
}

TEST_CASE("fair share: by who used least, the less so the longer ago", "[sim][queue]") {
    // u has all units for 10 s, then v for 4 s; then w comes, who has had nothing.
    struct Options final : sim::QueueOptions {
        sim::SimTime duration(const std::string& /*halfLife*/, sim::SimTime /*7d*/) override {
            return half_life;
        }
        sim::SimTime half_life{};
    } options;
    const auto of = [](const char* user, sim::Job job) {
        job.user = user;
        return job;
    };
    const std::vector<sim::Job> jobs{of("u", job_of("u0", 10, 0s, 10s)),
                                     of("v", job_of("v0", 10, 0s, 4s)),
                                     of("u", job_of("u1", 10, 11s, 1s)),
                                     of("v", job_of("v1", 10, 11s, 1s)),
                                     of("w", job_of("w0", 10, 12s, 1s))};
    const auto entry = std::ranges::find(
        sim::queue_policies(), std::string_view("fair-share"), &sim::QueuePolicyEntry::name);
    const auto starts = [&](sim::SimTime half_life) {
        options.half_life = half_life;
        return QueueRun(servers_of_units({10}), jobs, entry->make(options)).starts();
    };
    CHECK(starts(1h) == Starts{{"u0", 0}, {"v0", 10}, {"w0", 14}, {"v1", 15}, {"u1", 16}});
    // Where use before 10 s counts for nothing, v is the one that had most.
    CHECK(starts(1s) == Starts{{"u0", 0}, {"v0", 10}, {"w0", 14}, {"u1", 15}, {"v1", 16}});
}

TEST_CASE("fair share: among quotas where there are some", "[sim][queue]") {
    // One user is in two quotas: use of A makes no job in B wait.
    sim::Settings settings;
    sim::QuotaSettings& quotas = settings.quotas.emplace();
    for (const char* name : {"A", "B"}) {
        core::ElasticQuota quota;
        quota.name = name;
        quota.max["units"] = core::Quantity{10} * 1'000'000'000;
        quotas.quotas.push_back(quota);
    }
    quotas.rules.limit = core::QuotaLimit::max;
    const auto in = [](const char* quota, sim::Job job) {
        job.user = "one";
        job.quota = quota;
        return job;
    };
    const QueueRun run(servers_of_units({10}),
                       {in("A", job_of("a0", 10, 0s, 10s)),
                        in("A", job_of("a1", 10, 1s, 1s)),
                        in("B", job_of("b0", 10, 2s, 1s))},
                       sim::queue_policy("fair-share"),
                       settings);
    CHECK(run.starts() == Starts{{"a0", 0}, {"b0", 10}, {"a1", 11}});
}

TEST_CASE("least attained service: who was evicted comes after who had nothing", "[sim][queue]") {
    // All three servers fail at 10 s and are back at 20 s: a had 2 x 10 s, b 1 x 10 s, c 4 x 1 s.
    sim::Settings settings;
    for (std::uint32_t server = 0; server < 3; ++server) {
        settings.node_changes.push_back({10s, core::ServerId{server}, false});
    }
    settings.node_changes.push_back({20s, core::ServerId{0}, true});
    const std::string resource = GENERATE("nvidia.com/gpu", "units");
    const QueueRun run(servers_of_units({4, 4, 4}, resource),
                       {job_of("a", 2, 0s, 30s),
                        job_of("fill", 2, 0s, 9s),
                        job_of("b", 1, 0s, 30s),
                        job_of("c", 4, 9s, 30s),
                        job_of("d", 4, 11s, 30s)},
                       sim::queue_policy("least-attained-service"),
                       settings);
    // The jobs had 0, 4, 10 and 20 units x seconds; there is room for a and b together.
    CHECK(run.starts() == Starts{{"fill", 0}, {"d", 20}, {"c", 50}, {"b", 80}, {"a", 80}});
}

TEST_CASE("least attained service: GPUs of servers that come later count", "[sim][queue]") {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("nvidia.com/gpu");
    core::TopologyBuilder builder(schema);
    builder.add_machine_type({"host", core::Amounts::Constant(2, 4), {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "server-0", 0);
    const auto tree = std::make_shared<const core::Topology>(builder.build());
    sim::Settings settings;
    settings.absent = {core::ServerId{0}};
    settings.node_changes = {{1s, core::ServerId{0}, true},
                             {10s, core::ServerId{0}, false},
                             {20s, core::ServerId{0}, true}};
    // The jobs ask for no CPU. The first one had 2 GPUs for 9 s.
    sim::Job first = job_of("first", 0, 0s, 30s);
    first.demand = {0, 2};
    sim::Job second = job_of("second", 0, 11s, 30s);
    second.demand = {0, 4};
    const QueueRun run(
        tree, {first, second}, sim::queue_policy("least-attained-service"), settings);
    CHECK(run.starts() == Starts{{"second", 20}, {"first", 50}});
}
