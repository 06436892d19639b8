// Runs in which pods share GPUs.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <span>

#include "core/gpu_sharing/fragmentation.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"
#include "tests/support/list_source.hpp"

using namespace berth;
using core::Amount;
using core::GpuRequest;
using sim::Job;
using sim::SimTime;

namespace {

using std::chrono::seconds;

Job pod(const std::string& name, GpuRequest request, SimTime submit, SimTime duration) {
    Job job;
    job.name = name;
    job.demand = {1000, Amount{1} << 20, request.total_milli()};
    job.gpus = std::make_shared<const GpuRequest>(std::move(request));
    job.submit = submit;
    job.duration = duration;
    return job;
}

/// Where each job ran, as `server:devices`, or `-`. The fragment classes of every sample are
/// recomputed.
class Sink final : public sim::RecordSink {
public:
    Sink(const core::Ledger& ledger, const core::TypicalPods& typical)
        : ledger_(ledger), typical_(typical) {}

    void job(const sim::JobRecord& record) override {
        std::string& where = places[record.job.name] = "-";
        for (const sim::Stint& stint : record.stints) {
            const core::Topology& tree = ledger_.topology();
            where = (where == "-" ? "" : where + " ") +
                    std::string(tree.name(tree.node_of(stint.server)));
            for (const sim::Grant& grant : stint.grants) {
                where += ":";
                core::for_each_bit(grant.gpus.devices,
                                   [&](std::size_t device) { where += std::to_string(device); });
            }
        }
        reasons[record.job.name] = record.reason;
    }
    void sample(SimTime /*at*/, std::span<const double> values) override {
        ++samples;
        core::GpuSets sets;
        const core::GpuModels models(ledger_.topology());
        core::Fragmentation fragmentation(typical_, sets, models);
        core::ByFragmentClass<double> sums{};
        for (std::uint32_t i = 0; i < ledger_.topology().server_count(); ++i) {
            const core::ServerId server{i};
            const auto free = ledger_.gpus().free(server);
            const Amount cpu = ledger_.available(ledger_.topology().node_of(server))[0];
            const auto here = fragmentation.by_class(
                sets.of(free), fragmentation.cpu_rank(cpu), ledger_.gpus().model(server));
            for (std::size_t part = 0; part < here.size(); ++part) {
                sums[part] += here[part];
            }
        }
        const auto classes = values.last(core::fragment_class_count);
        for (std::size_t part = 0; part < sums.size(); ++part) {
            REQUIRE(classes[part] == Approx(sums[part]).margin(1e-6));
        }
    }

    std::map<std::string, std::string> places;
    std::map<std::string, std::string> reasons;
    int samples = 0;

private:
    const core::Ledger& ledger_;
    const core::TypicalPods& typical_;
};

struct Run {
    explicit Run(std::shared_ptr<const core::Topology> tree) : ledger(std::move(tree)) {
        core::TypicalPodCounter counter;
        counter.add(1000, {500, 1, {}});
        counter.add(2000, {1000, 1, {"B"}});
        typical = std::make_shared<const core::TypicalPods>(counter.typical(100));
        settings.profile.inside.gpus.emplace().policy = "gpu-packing";
        settings.profile.inside.gpus->typical = typical;
        settings.sample_arrivals = true;
    }
    std::map<std::string, std::string> places(std::vector<Job> jobs) {
        tests::ListSource source(std::move(jobs));
        sink.emplace(ledger, *typical);
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, *sink, control).run();
        return sink->places;
    }
    double metric(const std::string& name) const {
        const auto found = std::ranges::find(result.metrics, name, &sim::Metric::name);
        REQUIRE(found != result.metrics.end());
        return found->value.value_or(-1);
    }

    core::Ledger ledger;
    sim::Settings settings;
    std::shared_ptr<const core::TypicalPods> typical;
    std::optional<Sink> sink;
    sim::RunResult result;
};

std::shared_ptr<const core::Topology> two_servers() {
    return tests::gpu_cluster({{"a", 64000, 1024, 2, "A"}, {"b", 64000, 1024, 4, "B"}}, 1);
}

}  // namespace

TEST_CASE("gpu sharing: several pods a device, and what ends makes room", "[sim][gpu-sharing]") {
    Run run(two_servers());
    const auto places = run.places({
        pod("first", {600, 1, {"A"}}, seconds(0), seconds(100)),
        pod("beside", {400, 1, {"A"}}, seconds(1), seconds(50)),
        pod("other-device", {500, 1, {"A"}}, seconds(2), seconds(100)),
        pod("after-beside", {400, 1, {"A"}}, seconds(60), seconds(10)),
    });
    CHECK(places.at("first") == "a:0");
    CHECK(places.at("beside") == "a:0");
    CHECK(places.at("other-device") == "a:1");
    CHECK(places.at("after-beside") == "a:0");
    CHECK(run.sink->samples == 4);
    CHECK(run.metric("gpu_allocated_pct") == 0);
    // 600 + 400 + 500 + 400 of 6000 milli have arrived.
    CHECK(run.metric("gpu_arrived_pct") == Approx(100.0 * 1900 / 6000));
}

TEST_CASE("gpu sharing: whole devices, of a model that is accepted", "[sim][gpu-sharing]") {
    Run run(two_servers());
    run.settings.retry = false;
    const auto places = run.places({
        pod("share", {100, 1, {"B"}}, seconds(0), seconds(100)),
        pod("three", {1000, 3, {}}, seconds(1), seconds(100)),
        pod("no-more", {1000, 1, {"B"}}, seconds(2), seconds(100)),
        pod("unknown", {1000, 1, {"C"}}, seconds(3), seconds(100)),
    });
    CHECK(places.at("share") == "b:0");
    CHECK(places.at("three") == "b:123");
    CHECK(places.at("no-more") == "-");
    CHECK(run.sink->reasons.at("no-more") ==
          "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had "
          "no room on GPUs of an accepted model.");
    CHECK(places.at("unknown") == "-");
}

TEST_CASE("gpu sharing: amounts without a request are whole devices, or a share",
          "[sim][gpu-sharing]") {
    for (const char* policy : {"best-fit", "topology-aware-packing", ""}) {
        CAPTURE(policy);
        Run run(two_servers());
        run.settings.profile.inside.gpus->policy = policy;
        if (*policy == '\0') {
            run.settings.profile.score = {{core::scorers().front().make(), 1}};
        }
        Job half = pod("half", {500, 1, {}}, seconds(0), seconds(10));
        Job two = pod("two", {1000, 2, {}}, seconds(1), seconds(10));
        half.gpus = nullptr;
        two.gpus = nullptr;
        const auto places = run.places({half, two});
        CHECK(places.at("half").size() == 3);
        CHECK(places.at("two").size() == 4);
    }
}

TEST_CASE("gpu sharing: nothing of a device is no GPU", "[sim][gpu-sharing]") {
    for (const char* policy : {"best-fit", "fragmentation-gradient-descent", ""}) {
        CAPTURE(policy);
        Run run(two_servers());
        run.settings.profile.inside.gpus->policy = policy;
        if (*policy == '\0') {
            run.settings.profile.score = {{core::scorers().front().make(), 1}};
        }
        Job gang = pod("gang", {0, 1, {}}, seconds(1), seconds(10));
        gang.group = true;
        gang.size = 2;
        gang.min_available = 2;
        const auto places = run.places({pod("one", {0, 1, {}}, seconds(0), seconds(10)), gang});
        CHECK(places.at("one") != "-");
        CHECK(places.at("gang") != "-");
    }
}

TEST_CASE("gpu sharing: a gang's members have devices of their own", "[sim][gpu-sharing]") {
    Run run(two_servers());
    Job gang = pod("gang", {1000, 2, {}}, seconds(0), seconds(10));
    gang.group = true;
    gang.size = 3;
    gang.min_available = 3;
    Job late = pod("late", {1000, 4, {}}, seconds(1), seconds(10));
    const auto places = run.places({gang, late});
    CHECK(places.at("gang") == "b:01:23 a:01");
    CHECK(places.at("late") == "b:0123");  // once the gang has left
}

TEST_CASE("gpu sharing: a gang's member sees the rack as those before it leave it",
          "[sim][gpu-sharing]") {
    // For gangs of three, three free devices are no fragment. Breaking into one of them leaves a
    // fragment of two, and breaking into a second one then leaves a smaller one.
    Job gang = pod("gang", {400, 1, {}}, seconds(0), seconds(10));
    gang.group = true;
    gang.size = 2;
    gang.min_available = 2;
    const Job one = pod("one", {400, 1, {}}, seconds(0), seconds(10));
    const Job other = pod("other", {400, 1, {}}, seconds(0), seconds(10));
    for (const std::vector<Job>& jobs : {std::vector{gang}, {one, other}}) {
        Run run(tests::gpu_cluster({{"a", 64000, 1024, 3, "A"}}, 1));
        run.settings.sample_arrivals = false;
        run.settings.profile.inside.gpus->policy = "topology-aware-fragmentation";
        run.settings.profile.inside.gpus->gangs = {{3, 1}};
        run.settings.profile.inside.gpus->typical = nullptr;
        std::string all;
        for (const auto& [name, where] : run.places(jobs)) {
            all += where + " ";
        }
        CHECK(all == (jobs.size() == 1 ? "a:0:1 " : "a:0 a:1 "));
    }
}

TEST_CASE("gpu sharing: no more pods of an application on a server than it allows",
          "[sim][gpu-sharing]") {
    for (const char* policy : {"gpu-packing", "topology-aware-packing", ""}) {
        CAPTURE(policy);
        Run run(two_servers());
        run.settings.profile.inside.gpus->policy = policy;
        if (*policy == '\0') {
            run.settings.profile.score = {{core::scorers().front().make(), 1}};
        }
        std::vector<Job> jobs;
        for (int i = 0; i < 5; ++i) {
            jobs.push_back(pod(fmt::format("p{}", i), {100, 1, {}}, seconds(i), seconds(100)));
            jobs.back().application = "app";
            jobs.back().per_server_max = 2;
        }
        jobs.push_back(pod("another", {100, 1, {}}, seconds(6), seconds(10)));
        const auto places = run.places(jobs);
        std::map<char, int> pods;
        for (int i = 0; i < 5; ++i) {
            ++pods[places.at(fmt::format("p{}", i)).front()];
        }
        // Four pods have places at once; the fifth gets one when the first two end, at 100 s.
        CHECK(pods.at('a') + pods.at('b') == 5);
        CHECK(run.metric("wait_s_max") == Approx(96));
        CHECK(places.at("another") != "-");
    }
}

TEST_CASE("gpu sharing: a policy that draws takes any server, by its seed", "[sim][gpu-sharing]") {
    std::vector<tests::GpuMachine> machines(20, {"s", 64000, 1024, 4, "A"});
    for (std::size_t i = 0; i < machines.size(); ++i) {
        machines[i].name = fmt::format("s{}", i);
    }
    std::map<std::string, std::string> first;
    for (const std::uint64_t seed : {1U, 2U, 1U}) {
        Run run(tests::gpu_cluster(machines));
        run.settings.profile.inside.gpus->policy = "random";
        run.settings.profile.inside.gpus->seed = seed;
        std::vector<Job> jobs;
        for (int i = 0; i < 30; ++i) {
            jobs.push_back(pod(fmt::format("p{}", i), {500, 1, {}}, seconds(i), seconds(1000)));
        }
        const auto places = run.places(jobs);
        if (first.empty()) {
            first = places;
        } else {
            CHECK((places == first) == (seed == 1));
        }
    }
}

TEST_CASE("gpu sharing: the classes are what they are, whatever comes and goes",
          "[sim][gpu-sharing]") {
    tests::Dice dice(4);
    std::vector<tests::GpuMachine> machines;
    for (int i = 0; i < 12; ++i) {
        machines.push_back({fmt::format("s{}", i),
                            dice.roll(4, 64) * 1000,
                            1024,
                            dice.roll(0, 8),
                            dice.chance(50) ? "A" : "B"});
    }
    for (const std::string& policy : {std::string("fragmentation-gradient-descent"),
                                      std::string("topology-aware-fragmentation")}) {
        Run run(tests::gpu_cluster(machines, 4));
        run.settings.profile.inside.gpus->policy = policy;
        run.settings.profile.inside.gpus->gangs = {{4, 1}};
        run.settings.node_changes = {};
        std::vector<Job> jobs;
        for (int i = 0; i < 300; ++i) {
            const bool share = dice.chance(60);
            GpuRequest request{
                share ? dice.roll(1, 99) * 10 : 1000,
                share ? 1 : dice.roll(1, 4),
                dice.chance(20) ? std::vector<std::string>{"B"} : std::vector<std::string>()};
            jobs.push_back(
                pod(fmt::format("p{}", i), request, seconds(i), seconds(dice.roll(1, 90))));
        }
        (void)run.places(jobs);
        CHECK(run.sink->samples == 300);
    }
}
