#include "workloads/trace/trace_source.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <set>

#include "tests/support/dice.hpp"
#include "tests/support/given_trace.hpp"
#include "workloads/trace/trace_doctor.hpp"

using namespace berth;
using namespace std::chrono_literals;
using workloads::TraceJob;
using workloads::TraceOrder;
using workloads::TracePlan;
using workloads::TraceTimes;

namespace {

core::ResourceSchema schema() {
    core::ResourceSchema resources;
    for (const char* name : {"cpu", "memory", "nvidia.com/gpu"}) {
        resources.add(name);
    }
    return resources;
}

/// Servers of one CPU, so that some rows ask for more than there is.
core::Topology small_cluster() {
    core::TopologyBuilder builder(schema());
    core::Amounts capacity(3);
    capacity << 1000, 0, 0;
    const std::uint32_t type = builder.add_machine_type({"small", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "server", type);
    return builder.build();
}

TraceJob pod(std::string name, std::optional<sim::SimTime> submit) {
    TraceJob job;
    job.name = std::move(name);
    job.submit = submit;
    return job;
}

TraceJob ran(std::string name, sim::SimTime submit, sim::SimTime start, sim::SimTime finish) {
    TraceJob job = pod(std::move(name), submit);
    job.start = start;
    job.finish = finish;
    job.status = workloads::TraceStatus::completed;
    return job;
}

std::vector<TraceJob> random_rows(tests::Dice& dice) {
    std::vector<TraceJob> rows;
    for (std::int64_t n = dice.roll(1, 30); n > 0; --n) {
        const sim::SimTime submit = std::chrono::seconds(dice.roll(-20, 20));
        TraceJob row = ran("job", submit, submit + 1s, submit + 1s * dice.roll(1, 9));
        row.members = dice.roll(1, 3);
        row.cpu_milli = 500 * dice.roll(0, 4);
        row.submit = dice.chance(90) ? row.submit : std::nullopt;
        row.start = row.submit && dice.chance(90) ? row.start : std::nullopt;
        row.status = static_cast<workloads::TraceStatus>(dice.roll(0, 7));
        rows.push_back(row);
    }
    return rows;
}

/// The jobs at the times that the trace's own clock gives them.
std::vector<sim::Job> arrivals(const std::vector<TraceJob>& jobs,
                               TracePlan plan,
                               workloads::TraceZero zero = workloads::TraceZero::trace) {
    plan.zero = zero;
    const workloads::Trace trace = workloads::prepare_trace(tests::opener(jobs), plan, schema());
    const auto source = workloads::make_trace_source(trace, 1, "trace");
    std::vector<sim::Job> out;
    while (auto job = source->next()) {
        out.push_back(std::move(*job));
    }
    return out;
}

std::string names(const std::vector<sim::Job>& jobs) {
    std::string out;
    for (const sim::Job& job : jobs) {
        out += (out.empty() ? "" : " ") + job.name;
    }
    return out;
}

}  // namespace

TEST_CASE("trace: a place by topology is a constraint to pack", "[workloads][trace]") {
    using Asks = workloads::TraceTopology::Asks;
    const auto job_of = [](Asks asks, const std::string& label, std::size_t levels) {
        TraceJob row = pod("a", 0s);
        row.members = 4;
        row.members_min = 3;
        row.name_space = "lab";
        row.topology = {asks, label};
        workloads::TracePods pods(
            schema(), workloads::TraceQuota::queue, {levels, {{"x/rack", core::Level{1}}}});
        return pods.job_of(row);
    };
    const sim::Job required = job_of(Asks::required, "x/rack", 3);
    CHECK(required.size == 4);
    CHECK(required.min_available == 3);
    CHECK(required.name_space == "lab");
    REQUIRE(required.constraints);
    CHECK_FALSE(required.constraints->stated(core::Level{0}));
    CHECK_FALSE(required.constraints->stated(core::Level{2}));
    REQUIRE(required.constraints->stated(core::Level{1}));
    CHECK(required.constraints->at(core::Level{1}).hard);
    CHECK(required.constraints->at(core::Level{1}).affinity == core::Affinity::pack);
    CHECK(required.constraints->at(core::Level{1}).scope == core::Scope::group);
    const sim::Job preferred = job_of(Asks::preferred, "x/rack", 3);
    CHECK(preferred.constraints->stated(core::Level{1}));
    CHECK_FALSE(preferred.constraints->at(core::Level{1}).hard);
    const sim::Job anywhere = job_of(Asks::anywhere, "", 3);
    CHECK(anywhere.constraints->stated(core::Level{0}));
    CHECK_FALSE(anywhere.constraints->at(core::Level{0}).hard);
    CHECK_FALSE(job_of(Asks::nothing, "", 3).constraints);
    CHECK_FALSE(job_of(Asks::required, "x/rack", 0).constraints);  // no cluster is known
}

TEST_CASE("trace: a job asks for what its row says, in the cluster's resources",
          "[workloads][trace]") {
    TraceJob row = ran("train", 5s, 7s, 67s);
    row.user = "user-a";
    row.queue = "team-b";
    row.application = "app";
    row.per_server_max = 2;
    row.priority = 9;
    row.cpu_milli = 1500;
    row.memory_bytes = 1 << 20;
    row.gpus = {500, 1, {"M1", "M2"}};
    row.time_limit = 3600s;
    const sim::Job job = arrivals({row}, {}).at(0);
    CHECK(job.name == "train");
    CHECK(job.user == "user-a");
    CHECK(job.quota == "team-b");
    CHECK(job.application == "app");
    CHECK(job.per_server_max == 2);
    CHECK(job.priority == 9);
    CHECK(job.demand == std::vector<core::Amount>{1500, 1 << 20, 500});
    REQUIRE(job.gpus != nullptr);
    CHECK(*job.gpus == row.gpus);
    CHECK(job.submit == 5s);
    CHECK(job.duration == 60s);
    CHECK(job.estimate == 3600s);
    CHECK_FALSE(job.group);

    TracePlan plan;
    plan.quota = workloads::TraceQuota::user;
    CHECK(arrivals({row}, plan).at(0).quota == "user-a");
    plan.quota = workloads::TraceQuota::none;
    CHECK(arrivals({row}, plan).at(0).quota.empty());
}

TEST_CASE("trace: equal requests for GPUs are one, and no GPUs are none", "[workloads][trace]") {
    std::vector<TraceJob> rows{pod("a", 0s), pod("b", 1s), pod("c", 2s), pod("d", 3s)};
    rows[0].gpus = {1000, 2, {}};
    rows[1].gpus = {1000, 2, {}};
    rows[2].gpus = {1000, 2, {"M1"}};
    const std::vector<sim::Job> jobs = arrivals(rows, {});
    CHECK(jobs[0].gpus == jobs[1].gpus);
    CHECK(jobs[1].gpus != jobs[2].gpus);
    CHECK(jobs[3].gpus == nullptr);
    CHECK(jobs[0].demand[2] == 2000);
}

TEST_CASE("trace: an allocator of devices is asked for whole GPUs, shares in hundredths, and NICs",
          "[workloads][trace]") {
    std::vector<TraceJob> rows{pod("whole", 0s), pod("share", 1s), pod("none", 2s)};
    rows[0].gpus = {1000, 2, {}};
    rows[0].rdma_percent = 25;
    rows[1].gpus = {455, 1, {}};
    const std::vector<sim::Job> jobs = arrivals(rows, {});
    CHECK(jobs[0].devices->text == "nvidia.com/gpu=2\nkoordinator.sh/rdma=25\n");
    CHECK(jobs[0].devices->gpu_count() == 2);
    CHECK(jobs[0].devices->rdma() == 25);
    CHECK(jobs[1].devices->text == "koordinator.sh/gpu=46\n");  // 45.5, rounded up
    CHECK(jobs[2].devices == nullptr);
}

TEST_CASE("trace: reading it once tells what its jobs ask for", "[workloads][trace]") {
    const auto scan = [](core::GpuRequest gpus, core::Amount rdma_percent) {
        TraceJob row = pod("a", 0s);
        row.gpus = std::move(gpus);
        row.rdma_percent = rdma_percent;
        row.queue = "team";
        row.user = "user";
        return workloads::prepare_trace(tests::opener({row, row}), {}, schema()).scan;
    };
    const auto none = scan({}, 0);
    CHECK_FALSE((none.gpus || none.shares || none.models || none.nics));
    CHECK(none.jobs == 2);
    CHECK(none.quotas == std::set<std::string>{"team"});
    const auto whole = scan({1000, 2, {"M1"}}, 25);
    CHECK((whole.gpus && whole.models && whole.nics));
    CHECK_FALSE((whole.shares || whole.uneven_shares));
    CHECK((scan({500, 1, {}}, 0).shares && !scan({500, 1, {}}, 0).uneven_shares));
    CHECK(scan({455, 1, {}}, 0).uneven_shares);
}

TEST_CASE("trace: a job of several members is a gang, or so many pods", "[workloads][trace]") {
    TraceJob row = pod("job", 4s);
    row.members = 3;
    row.cpu_milli = 1000;
    TracePlan plan;
    const std::vector<sim::Job> gang = arrivals({row}, plan);
    REQUIRE(gang.size() == 1);
    CHECK(gang[0].group);
    CHECK(gang[0].size == 3);
    CHECK(gang[0].min_available == 3);
    CHECK(gang[0].demand[0] == 1000);  // for each member

    plan.gangs = false;
    const std::vector<sim::Job> pods = arrivals({row, pod("next", 5s)}, plan);
    CHECK(names(pods) == "job-0 job-1 job-2 next");
    for (const sim::Job& one : pods) {
        CHECK_FALSE(one.group);
        CHECK(one.size == 1);
        CHECK(one.min_available == 1);
    }
    CHECK(pods[2].submit == 4s);
}

TEST_CASE("trace: jobs arrive by time, equal times in the order of the file",
          "[workloads][trace]") {
    const std::vector<TraceJob> rows{
        pod("c", 7s), pod("a", 3s), pod("d", 7s), pod("b", 3s), pod("z", std::nullopt)};
    const std::vector<sim::Job> jobs = arrivals(rows, {});
    CHECK(names(jobs) == "z a b c d");
    CHECK(jobs[0].submit == 0s);
    CHECK(jobs[1].submit == 3s);
}

TEST_CASE("trace: a sorted file is not held in memory, another is", "[workloads][trace]") {
    const auto held = [](const std::vector<TraceJob>& rows, const TracePlan& plan) {
        return workloads::prepare_trace(tests::opener(rows), plan, schema()).jobs != nullptr;
    };
    const std::vector<TraceJob> sorted{pod("z", std::nullopt), pod("a", 0s), pod("b", 3s)};
    const std::vector<TraceJob> unsorted{pod("b", 3s), pod("a", 0s)};
    CHECK_FALSE(held(sorted, {}));
    CHECK(held(unsorted, {}));
    CHECK(held({pod("b", 3s), pod("z", std::nullopt)}, {}));
    TracePlan file;
    file.order = TraceOrder::file;
    file.times = TraceTimes::ignored;
    CHECK_FALSE(held(unsorted, file));
    file.changes.shuffle = true;
    CHECK(held(sorted, file));
}

TEST_CASE("trace: streamed and held in memory, a trace is the same", "[workloads][trace]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(50); ++seed) {
        tests::Dice dice(seed);
        std::vector<TraceJob> rows = random_rows(dice);
        std::ranges::stable_sort(rows, {}, &TraceJob::submit);
        workloads::Trace trace = workloads::prepare_trace(tests::opener(rows), {}, schema());
        REQUIRE(trace.jobs == nullptr);
        const auto streamed = workloads::make_trace_source(trace, 1, "trace");
        workloads::Trace held = trace;
        held.jobs = std::make_shared<const std::vector<TraceJob>>(
            workloads::load_trace(*trace.open(), trace.plan, trace.scan));
        const auto from_memory = workloads::make_trace_source(held, 1, "trace");
        sim::SimTime last{};
        while (const auto job = streamed->next()) {
            const auto other = from_memory->next();
            REQUIRE(other);
            CHECK(job->submit == other->submit);
            CHECK(job->duration == other->duration);
            CHECK(job->size == other->size);
            REQUIRE(job->submit >= last);
            last = job->submit;
        }
        CHECK_FALSE(from_memory->next());
    }
}

TEST_CASE("trace: read whole at once, a trace is the one read piece by piece",
          "[workloads][trace]") {
    const core::Topology cluster = small_cluster();
    for (std::uint64_t seed = 1; seed <= tests::cases(50); ++seed) {
        tests::Dice dice(seed);
        const std::vector<TraceJob> rows = random_rows(dice);
        TracePlan plan;
        plan.times = dice.chance(50) ? TraceTimes::recorded : TraceTimes::ignored;
        plan.order = plan.times == TraceTimes::ignored ? TraceOrder::file : TraceOrder::time;
        plan.limit = dice.chance(30) ? static_cast<std::uint64_t>(dice.roll(1, 20)) : 0;
        plan.changes.inflate = 2;
        const workloads::Trace trace =
            workloads::prepare_trace(tests::opener(rows), plan, schema(), &cluster);
        const workloads::TraceScan scan = workloads::scan_trace(*trace.open(), plan);
        REQUIRE(trace.jobs != nullptr);
        CHECK(*trace.jobs == workloads::load_trace(*trace.open(), plan, scan));
        CHECK(trace.scan.jobs == scan.jobs);
        CHECK(trace.scan.unstarted == scan.unstarted);
        CHECK(trace.scan.endless == scan.endless);
        CHECK(trace.scan.startless == scan.startless);
        CHECK(trace.scan.by_time == scan.by_time);
        CHECK(trace.scan.first_arrival == scan.first_arrival);
        CHECK(trace.scan.last_finish == scan.last_finish);
        CHECK(trace.scan.zero == scan.zero);
        REQUIRE((trace.report != nullptr) == (plan.limit == 0));
        if (trace.report != nullptr) {
            const auto report = workloads::examine(*trace.open(), &cluster, plan.times);
            CHECK(trace.report->jobs == rows.size());
            CHECK(trace.report->why == report.why);
            CHECK(std::ranges::equal(trace.report->findings,
                                     report.findings,
                                     {},
                                     &workloads::TraceFinding::text,
                                     &workloads::TraceFinding::text));
        }
    }
}

TEST_CASE("trace: the run's clock begins no later than the first job", "[workloads][trace]") {
    SECTION("a trace that begins later keeps its zero where it is asked to") {
        CHECK(arrivals({ran("a", 100s, 100s, 130s)}, {}).at(0).submit == 100s);
    }
    SECTION("one that begins later is moved as a whole otherwise") {
        TraceJob old = pod("old", std::nullopt);
        old.finish = 125s;
        const auto jobs = arrivals({old, ran("a", 100s, 101s, 130s), ran("b", 107s, 108s, 110s)},
                                   {},
                                   workloads::TraceZero::first_arrival);
        CHECK(jobs[0].submit == 0s);
        CHECK(jobs[0].duration == 25s);
        CHECK(jobs[1].submit == 0s);
        CHECK(jobs[1].duration == 29s);
        CHECK(jobs[2].submit == 7s);
    }
    SECTION("one that begins before it is moved as a whole") {
        const auto jobs = arrivals({ran("a", -40s, -30s, 10s), ran("b", 5s, 6s, 7s)}, {});
        CHECK(jobs[0].submit == 0s);
        CHECK(jobs[0].duration == 40s);
        CHECK(jobs[1].submit == 45s);
    }
    SECTION("what was there before it runs until its finish") {
        TraceJob old = pod("old", std::nullopt);
        old.finish = 25s;
        const auto jobs = arrivals({old, ran("a", -10s, 0s, 60s)}, {});
        CHECK(jobs[0].submit == 0s);
        CHECK(jobs[0].duration == 35s);
        CHECK(jobs[1].submit == 0s);
    }
    SECTION("where only the start is known, that is the arrival") {
        TraceJob row = ran("a", 0s, 12s, 20s);
        row.submit.reset();
        CHECK(arrivals({row}, {}).at(0).submit == 12s);
    }
}

TEST_CASE("trace: what the trace does not see end does not end", "[workloads][trace]") {
    TraceJob running = ran("cut-off", 1s, 2s, 90s);  // 90 s is the last instant of the trace
    running.status = workloads::TraceStatus::running;
    TraceJob earlier = ran("gone", 3s, 4s, 80s);
    earlier.status = workloads::TraceStatus::running;
    TraceJob completed = ran("ended", 4s, 5s, 90s);
    const auto jobs = arrivals({running, earlier, completed, pod("unknown", 6s)}, {});
    CHECK_FALSE(jobs[0].duration);
    CHECK(jobs[1].duration == 76s);
    CHECK(jobs[2].duration == 85s);
    CHECK_FALSE(jobs[3].duration);
}

TEST_CASE("trace: a job that never started does not arrive, unless times are ignored",
          "[workloads][trace]") {
    TraceJob waiting = pod("waiting", 2s);
    waiting.status = workloads::TraceStatus::pending;
    waiting.finish = 50s;
    const std::vector<TraceJob> rows{pod("a", 1s), waiting, pod("b", 3s)};
    CHECK(names(arrivals(rows, {})) == "a b");
    CHECK(workloads::prepare_trace(tests::opener(rows), {}, schema()).scan.unstarted == 1);
    TracePlan plan;
    plan.times = TraceTimes::ignored;
    CHECK(names(arrivals(rows, plan)) == "a waiting b");
}

TEST_CASE("trace: without times, one arrival comes after the other and none ends",
          "[workloads][trace]") {
    TracePlan plan;
    plan.order = TraceOrder::file;
    plan.times = TraceTimes::ignored;
    TraceJob pair = ran("pair", 1s, 2s, 3s);
    pair.members = 2;
    plan.gangs = false;
    const auto jobs = arrivals({ran("late", 9s, 9s, 10s), pair, pod("early", 1s)}, plan);
    CHECK(names(jobs) == "late pair-0 pair-1 early");
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CHECK(jobs[i].submit == 1us * static_cast<std::int64_t>(i));
        CHECK_FALSE(jobs[i].duration);
    }
    plan.order = TraceOrder::time;
    CHECK(names(arrivals({pod("late", 9s), pod("early", 1s)}, plan)) == "early late");
}

TEST_CASE("trace: a limit is of the file's jobs", "[workloads][trace]") {
    TracePlan plan;
    plan.limit = 2;
    CHECK(names(arrivals({pod("c", 3s), pod("b", 2s), pod("a", 1s)}, plan)) == "b c");
}
