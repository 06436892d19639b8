
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"
#include "tests/support/given_trace.hpp"
#include "workloads/failures/failure_model.hpp"
#include "workloads/trace/trace_source.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

constexpr double mtbf_s = 86'400;

/// Six servers of 8 CPUs.
std::shared_ptr<const core::Topology> six_servers() {
    core::ResourceSchema schema;
    schema.add("cpu");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 8000;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < 6; ++server) {
        builder.add_server(0, "server-" + std::to_string(server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

std::shared_ptr<const workloads::InterruptionRates> rates() {
    workloads::FailureCause board;
    board.name = "board";
    board.level = core::Level{1};
    board.between = {workloads::DistributionKind::exponential, mtbf_s, 0, {}, {}};
    const workloads::FailureModel model{{board}, {}, 0, {}, {}, {}};
    return std::make_shared<const workloads::InterruptionRates>(model, six_servers());
}

workloads::TraceJob row(std::string name, core::Members members, core::Amount cpu_milli) {
    workloads::TraceJob job;
    job.name = std::move(name);
    job.members = members;
    job.cpu_milli = cpu_milli;
    job.submit = 0s;
    job.run_time = 100s;
    return job;
}

const sim::Checkpoint optimal{0s, 300s, 600s};

/// Three jobs: two with both members on one server, and one with a server for each of its four
/// members.
std::vector<sim::Job> jobs_with(std::optional<sim::Checkpoint> checkpoint,
                                std::shared_ptr<const workloads::InterruptionRates> rates,
                                bool gangs = true) {
    workloads::TracePlan plan;
    plan.checkpoint = checkpoint;
    plan.gangs = gangs;
    workloads::Trace trace = workloads::prepare_trace(
        tests::opener({row("two", 2, 4000), row("four", 4, 8000), row("two-again", 2, 4000)}),
        plan,
        six_servers()->resources());
    trace.rates = std::move(rates);
    const auto source = workloads::make_trace_source(trace, 1, "trace");
    std::vector<sim::Job> out;
    while (auto job = source->next()) {
        out.push_back(std::move(*job));
    }
    return out;
}

double every_s(const sim::Job& job) {
    return sim::seconds(job.checkpoint->every);
}

}  // namespace

TEST_CASE("trace: its jobs write checkpoints if it is said, all the same", "[workloads][trace]") {
    for (const sim::Job& job : jobs_with(std::nullopt, rates())) {
        CHECK_FALSE(job.checkpoint);
    }
    const auto jobs = jobs_with(sim::Checkpoint{70s, 5s, 9s, 2s}, rates());
    REQUIRE(jobs.size() == 3);
    for (const sim::Job& job : jobs) {
        REQUIRE(job.checkpoint);
        CHECK(job.checkpoint->every == sim::SimTime(70s));
        CHECK(job.checkpoint->takes == sim::SimTime(5s));
        CHECK(job.checkpoint->restart == sim::SimTime(9s));
        CHECK(job.checkpoint->beside == sim::SimTime(2s));
    }
}

TEST_CASE("trace: the optimal interval is that of each job's size", "[workloads][trace]") {
    const double of_one_server = workloads::optimal_interval(300, mtbf_s);
    const double of_four = workloads::optimal_interval(300, mtbf_s / 4);
    SECTION("of gangs") {
        const auto jobs = jobs_with(optimal, rates());
        CHECK(every_s(jobs.at(0)) == Approx(of_one_server).margin(1e-9));
        CHECK(every_s(jobs.at(1)) == Approx(of_four).margin(1e-9));
        CHECK(jobs.at(2).checkpoint->every == jobs.at(0).checkpoint->every);
        CHECK(jobs.at(1).checkpoint->restart == sim::SimTime(600s));
    }
    SECTION("of their members, where each is a pod by itself") {
        const auto pods = jobs_with(optimal, rates(), false);
        REQUIRE(pods.size() == 8);
        for (const sim::Job& pod : pods) {
            CHECK(every_s(pod) == Approx(of_one_server).margin(1e-9));
        }
    }
    SECTION("as one computes it for a job alone") {
        for (const sim::Job& job : jobs_with(optimal, rates())) {
            sim::Job alone = job;
            alone.checkpoint = optimal;
            set_optimal_interval(alone, *rates());
            CHECK(job.checkpoint->every == alone.checkpoint->every);
        }
    }
    SECTION("of as many servers as members need, by size, demand and limit of the application") {
        workloads::TraceCheckpoints checkpoints(optimal, rates());
        const auto every_s_of = [&](core::Members size, core::Amount cpu, core::Members limit) {
            sim::Job job;
            job.demand = {cpu};
            job.size = size;
            job.per_server_max = limit;
            checkpoints.put_in(job);
            return every_s(job);
        };
        const double of_two = workloads::optimal_interval(300, mtbf_s / 2);
        CHECK(every_s_of(4, 4000, 0) == Approx(of_two).margin(1e-9));
        CHECK(every_s_of(2, 4000, 0) == Approx(of_one_server).margin(1e-9));
        CHECK(every_s_of(4, 8000, 0) == Approx(of_four).margin(1e-9));
        CHECK(every_s_of(4, 4000, 1) == Approx(of_four).margin(1e-9));
        CHECK(every_s_of(4, 4000, 0) == Approx(of_two).margin(1e-9));
    }
}

TEST_CASE("trace: the optimal interval is asked for until failures are known",
          "[workloads][trace]") {
    for (const sim::Job& job : jobs_with(optimal, nullptr)) {
        REQUIRE(job.checkpoint);
        CHECK(job.checkpoint->every == sim::SimTime(0));
    }
}
