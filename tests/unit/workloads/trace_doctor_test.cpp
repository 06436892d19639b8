#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "tests/support/dice.hpp"
#include "tests/support/given_trace.hpp"
#include "workloads/trace/trace_doctor.hpp"

using namespace berth;
using namespace berth::workloads;
using namespace std::chrono_literals;

namespace {

constexpr core::Amount gib = core::Amount{1} << 30;

/// Four servers of 32 CPUs, 128 GiB and 8 GPUs of model A, two of 64, 256 GiB and 4 of B, and one
/// of 96 CPUs and 512 GiB without GPUs.
core::Topology cluster() {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    schema.add("nvidia.com/gpu");
    core::TopologyBuilder builder(schema);
    const auto type =
        [&](core::Amount cpus, core::Amount memory, core::Amount gpus, const std::string& model) {
            core::Amounts capacity(3);
            capacity << cpus * 1000, memory * gib, gpus * 1000;
            core::MachineType out{model, capacity, {}};
            if (gpus > 0) {
                core::DeviceGroup group;
                group.kind = "gpu";
                group.count = gpus;
                group.model = model;
                out.devices = {group};
            }
            return builder.add_machine_type(out);
        };
    const std::uint32_t a = type(32, 128, 8, "A");
    const std::uint32_t b = type(64, 256, 4, "B");
    const std::uint32_t none = type(96, 512, 0, "none");
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    std::uint32_t number = 0;
    for (const std::uint32_t of : {a, a, a, a, b, b, none}) {
        builder.add_server(0, "server-" + std::to_string(number++), of);
    }
    return builder.build();
}

/// A job without fault: submitted, started and finished.
TraceJob job(std::string name, sim::SimTime submit, sim::SimTime duration) {
    TraceJob out;
    out.name = std::move(name);
    out.cpu_milli = 1000;
    out.submit = submit;
    out.start = submit;
    out.finish = submit + duration;
    out.status = TraceStatus::completed;
    return out;
}

TraceJob with_gpus(TraceJob out,
                   core::Amount milli,
                   std::int64_t count,
                   std::vector<std::string> models = {}) {
    out.gpus = {milli, count, std::move(models)};
    return out;
}

/// A hundred jobs without fault, one a minute, each of five minutes.
std::vector<TraceJob> healthy() {
    std::vector<TraceJob> jobs;
    for (int i = 0; i < 100; ++i) {
        jobs.push_back(job("job-" + std::to_string(i), i * 1min, 5min));
    }
    return jobs;
}

TraceReport report_of(std::vector<TraceJob> jobs, const core::Topology* tree = nullptr) {
    berth::tests::GivenTrace reader(std::move(jobs));
    return examine(reader, tree);
}

std::vector<std::string> names_of(const TraceReport& report) {
    std::vector<std::string> names;
    for (const TraceFinding& finding : report.findings) {
        names.push_back(finding.name);
    }
    return names;
}

/// The names of the findings that are about jobs, not about the trace as a whole.
std::vector<std::string> faults_of(const TraceReport& report) {
    std::vector<std::string> names;
    for (const TraceFinding& finding : report.findings) {
        if (finding.count > 0) {
            names.push_back(finding.name);
        }
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("doctor: a trace without fault is usable, and measured", "[workloads][doctor]") {
    const core::Topology tree = cluster();
    const TraceReport report = report_of(healthy(), &tree);
    CHECK(names_of(report) == Names{});
    CHECK(report.verdict == TraceVerdict::usable);
    CHECK(report.why.empty());
    CHECK(report.jobs == 100);
    CHECK(report.pods == 100);
    CHECK(report.first_submit == 0s);
    CHECK(report.last_submit == 99min);
    CHECK(report.mean_run_time_s == 300);
    CHECK(report.busiest_hour_jobs == 60);
    CHECK(report.by_status[static_cast<std::size_t>(TraceStatus::completed)] == 100);
    REQUIRE(report.loads.size() == 1);
    CHECK(report.loads[0].name == "cpu");
    CHECK(report.loads[0].asked == 100);
    // 100 jobs of one CPU for 300 s, in 99 minutes: 30000 / 5940.
    CHECK(report.loads[0].average == Approx(30000.0 / 5940));
    CHECK(report.loads[0].capacity == 4 * 32 + 2 * 64 + 96);
}

TEST_CASE("doctor: every fault of one job is found, with its name and line",
          "[workloads][doctor]") {
    struct Row {
        std::string name;
        std::function<void(TraceJob&)> spoil;
    };
    const std::vector<Row> rows{
        {"unknown_gpu_model", [](TraceJob& j) { j.gpus = {1000, 1, {"C", "D"}}; }},
        {"too_many_gpus", [](TraceJob& j) { j.gpus = {1000, 9, {}}; }},
        {"too_many_gpus", [](TraceJob& j) { j.gpus = {1000, 5, {"B", "C"}}; }},
        {"too_much_cpu", [](TraceJob& j) { j.cpu_milli = 97'000; }},
        {"too_much_cpu",
         [](TraceJob& j) {
             j.gpus = {1000, 1, {}};
             j.cpu_milli = 65'000;
         }},
        {"too_much_memory", [](TraceJob& j) { j.memory_bytes = 513 * gib; }},
        {"never_together",
         [](TraceJob& j) {
             j.gpus = {1000, 8, {}};
             j.cpu_milli = 33'000;
         }},
        {"group_too_large",
         [](TraceJob& j) {
             j.gpus = {1000, 3, {}};
             j.members = 4 * 2 + 2 * 1 + 1;
         }},
        {"group_too_large",
         [](TraceJob& j) {
             j.gpus = {300, 1, {"B"}};
             j.members = 2 * 4 * 3 + 1;
         }},
        {"ends_before_start",
         [](TraceJob& j) {
             j.start = 50min;
             j.finish = 49min;
         }},
        {"starts_before_submit", [](TraceJob& j) { j.start = *j.submit - 1s; }},
        {"negative_duration",
         [](TraceJob& j) {
             j.finish.reset();
             j.run_time = -1s;
         }},
        {"duration_differs", [](TraceJob& j) { j.run_time = 4min; }},
        {"no_times",
         [](TraceJob& j) {
             j.submit = j.start = j.finish = std::nullopt;
             j.status = TraceStatus::unknown;
         }},
        {"no_submit", [](TraceJob& j) { j.submit.reset(); }},
        {"start_without_finish",
         [](TraceJob& j) {
             j.finish.reset();
             j.status = TraceStatus::unknown;
         }},
        {"finish_without_start", [](TraceJob& j) { j.start.reset(); }},
        {"never_started",
         [](TraceJob& j) {
             j.start.reset();
             j.status = TraceStatus::pending;
         }},
        {"completed_without_finish", [](TraceJob& j) { j.finish.reset(); }},
        {"pending_with_start", [](TraceJob& j) { j.status = TraceStatus::pending; }},
        {"running_at_end",
         [](TraceJob& j) {
             j.finish.reset();
             j.status = TraceStatus::running;
         }},
        {"finish_while_running", [](TraceJob& j) { j.status = TraceStatus::running; }},
        {"finish_while_running",
         [](TraceJob& j) {
             j.start.reset();
             j.run_time = 5min;
             j.status = TraceStatus::pending;
         }},
        {"over_limit", [](TraceJob& j) { j.time_limit = 4min; }},
        {"over_limit",
         [](TraceJob& j) {
             j.time_limit = 2min;
             j.status = TraceStatus::timed_out;
         }},
        {"duplicate_name", [](TraceJob& j) { j.name = "job-7"; }},
        {"no_duration", [](TraceJob& j) { j.finish = j.start; }},
        {"asks_for_nothing", [](TraceJob& j) { j.cpu_milli = 0; }},
    };
    const core::Topology tree = cluster();
    for (const Row& row : rows) {
        CAPTURE(row.name);
        std::vector<TraceJob> jobs = healthy();
        row.spoil(jobs[40]);
        const TraceReport report = report_of(jobs, &tree);
        REQUIRE(faults_of(report) == Names{row.name});
        const TraceFinding& finding = report.findings.front();
        CHECK(finding.count == 1);
        CHECK(finding.first == jobs[40].name);
        CHECK(finding.line == 41);
        CHECK(finding.text.starts_with("1 of 100 jobs (1 %) "));
        CHECK(report.verdict == TraceVerdict::with_care);
        CHECK(report.why.front() == finding.text);
    }
}

TEST_CASE("doctor: an order of the file other than that of time is harmless",
          "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    std::swap(jobs[10], jobs[11]);
    const TraceReport report = report_of(jobs);
    CHECK(names_of(report) == Names{"unsorted"});
    CHECK(report.findings[0].first == "job-10");
    CHECK(report.verdict == TraceVerdict::usable);
}

TEST_CASE("doctor: jobs that were there before the trace begins", "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    jobs[0] = job("early", -30min, 2h);
    const TraceReport report = report_of(jobs);
    CHECK(faults_of(report) == Names{"running_at_start"});
    CHECK(report.first_submit == -30min);
}

TEST_CASE("doctor: jobs that all end at the last instant are cut off there",
          "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    for (const std::size_t i : {20U, 30U, 40U, 50U, 60U}) {
        jobs[i].finish = 200min;
    }
    const TraceReport report = report_of(jobs);
    REQUIRE(faults_of(report) == Names{"ends_with_trace"});
    CHECK(report.findings[0].count == 5);
    CHECK(report.findings[0].first == "job-20");
    jobs[30].finish = 199min;  // as few as four may do so by chance
    CHECK(faults_of(report_of(jobs)) == Names{});
}

TEST_CASE("doctor: jobs that can never run make a trace unusable", "[workloads][doctor]") {
    const core::Topology tree = cluster();
    std::vector<TraceJob> jobs = healthy();
    for (std::size_t i = 0; i < 5; ++i) {
        jobs[i].cpu_milli = 1'000'000;
    }
    CHECK(report_of(jobs, &tree).verdict == TraceVerdict::with_care);
    CHECK(report_of(jobs).verdict == TraceVerdict::usable);  // without a cluster this is unknown
    for (std::size_t i = 5; i < 12; ++i) {
        jobs[i].memory_bytes = 1'000'000 * gib;
    }
    const TraceReport report = report_of(jobs, &tree);
    CHECK(report.verdict == TraceVerdict::not_usable);
    CHECK(report.why == Names{"12 % of the jobs can never run on this cluster"});
}

TEST_CASE("doctor: contradictory times make a trace unusable, each job counted once",
          "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    for (std::size_t i = 10; i < 16; ++i) {
        jobs[i].start = *jobs[i].submit - 1min;
        jobs[i].finish = *jobs[i].submit - 2min;
    }
    const TraceReport report = report_of(jobs);
    CHECK(names_of(report) == Names{"ends_before_start", "starts_before_submit"});
    CHECK(report.verdict == TraceVerdict::not_usable);
    CHECK(report.why == Names{"the times of 6 % of the jobs contradict each other"});
}

TEST_CASE("doctor: no job at all", "[workloads][doctor]") {
    const TraceReport report = report_of({});
    CHECK(report.verdict == TraceVerdict::not_usable);
    CHECK(report.why == Names{"there is no job in it"});
}

TEST_CASE("doctor: skipped rows count", "[workloads][doctor]") {
    TraceDoctor doctor(nullptr);
    for (const TraceJob& each : healthy()) {
        doctor.look(each, 1);
    }
    const TraceReport few = doctor.report({2, "a.csv:7:1: error: negative\n  -1\n  ^"});
    CHECK(few.verdict == TraceVerdict::with_care);
    CHECK(few.why ==
          Names{"wrong rows that were skipped: 2; the first: a.csv:7:1: error: negative"});
    CHECK(doctor.report({25, "a"}).why == Names{"20 % of the rows are wrong and were skipped"});
}

TEST_CASE("doctor: the demand for a model against what there is of it", "[workloads][doctor]") {
    // There are eight GPUs of B. In 1000 s, ten jobs of four GPUs run for 300 s: 12 GPUs on
    // average, 150 %. Jobs that also accept A could go there: of A or B there are 40.
    std::vector<TraceJob> jobs;
    for (int i = 0; i <= 10; ++i) {
        const std::string name = std::to_string(i);
        if (i < 10) {
            jobs.push_back(with_gpus(job("b" + name, i * 100s, 300s), 1000, 4, {"B"}));
        }
        jobs.push_back(with_gpus(job("ab" + name, i * 100s, 100s), 500, 1, {"B", "A"}));
    }
    const core::Topology tree = cluster();
    const TraceReport report = report_of(jobs, &tree);
    REQUIRE(report.gpu_models.size() == 2);
    CHECK(report.gpu_models[0].name == "A|B");
    CHECK(report.gpu_models[0].capacity == 40);
    CHECK(report.gpu_models[0].average == Approx(12 + 11 * 0.5 * 100 / 1000));
    CHECK(report.gpu_models[1].name == "B");
    CHECK(report.gpu_models[1].asked == 40);
    CHECK(report.gpu_models[1].capacity == 8);
    CHECK(report.gpu_models[1].average == Approx(12));
    REQUIRE(names_of(report).front() == "overloaded");
    CHECK(report.findings[0].text ==
          "demand for GPUs B is 150 % of capacity, on average over the time of arrivals: "
          "the queue keeps growing");
    CHECK(report.verdict == TraceVerdict::with_care);
}

TEST_CASE("doctor: without run times, all jobs together against the cluster",
          "[workloads][doctor]") {
    std::vector<TraceJob> jobs;
    for (int i = 0; i < 3; ++i) {
        TraceJob each;
        each.name = std::to_string(i);
        each.gpus = {1000, 4, {"B", "B"}};
        jobs.push_back(each);
    }
    const core::Topology tree = cluster();
    const TraceReport report = report_of(jobs, &tree);
    CHECK(names_of(report) == Names{"no_times", "more_than_all"});
    CHECK(report.findings[1].text ==
          "demand for GPUs B is 150 % of capacity, all jobs together, and no job says when "
          "it ends");
}

TEST_CASE("doctor: a job that goes on at the end counts up to the last arrival",
          "[workloads][doctor]") {
    TraceJob endless = job("endless", 100s, 0s);
    endless.finish.reset();
    endless.status = TraceStatus::running;
    // (200 s x 1 + (500 - 100) s x 1) / 500 s
    const TraceReport report = report_of({job("a", 0s, 200s), endless, job("z", 500s, 0s)});
    CHECK(report.loads[0].average == Approx(600.0 / 500));
}

TEST_CASE("doctor: a job that waits in vain asks for nothing of the cluster",
          "[workloads][doctor]") {
    TraceJob waits = job("waits", 100s, 0s);
    waits.start.reset();
    waits.finish.reset();
    waits.status = TraceStatus::pending;
    const std::vector<TraceJob> jobs{job("a", 0s, 200s), waits, job("z", 500s, 0s)};
    const TraceReport report = report_of(jobs);
    CHECK(report.loads[0].asked == 2);
    CHECK(report.loads[0].average == Approx(200.0 / 500));
}

TEST_CASE("doctor: a job may run a little longer than its limit", "[workloads][doctor]") {
    TraceJob ends = job("ends", 0s, 61s);
    ends.time_limit = 60s;
    TraceJob ended = job("ended", 0s, 169s);
    ended.time_limit = 60s;
    ended.status = TraceStatus::timed_out;
    CHECK(names_of(report_of({ends, ended})) == Names{});
}

TEST_CASE("doctor: an hour in which most of a long trace arrives", "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    for (TraceJob& each : jobs) {
        *each.submit *= 20;  // 33 hours
        *each.start *= 20;
        each.finish = *each.start + 1h;
    }
    CHECK(names_of(report_of(jobs)) == Names{});
    for (int i = 0; i < 30; ++i) {
        jobs.push_back(job("burst-" + std::to_string(i), 33h + i * 1s, 1h));
    }
    const TraceReport report = report_of(jobs);
    CHECK(names_of(report) == Names{"burst"});
    CHECK(report.busiest_hour_jobs == 31);  // the last of the other jobs arrives at 33 h too
}

TEST_CASE("doctor: the time until the demand first reaches its median", "[workloads][doctor]") {
    // For 50 minutes one more job starts every minute, and all go on; in the 50 minutes after that
    // only the last job arrives. The level is 50 for half of the time, so that is its median.
    std::vector<TraceJob> jobs;
    for (int i = 0; i < 50; ++i) {
        jobs.push_back(job("j" + std::to_string(i), i * 1min, 200min));
    }
    jobs.push_back(job("last", 100min, 1min));
    const TraceReport report = report_of(jobs);
    REQUIRE(report.warm_up);
    CHECK(sim::seconds(*report.warm_up) == Approx(49 * 60).margin(1));
    CHECK(names_of(report) == Names{"warm_up"});
}

TEST_CASE("doctor: gangs by size", "[workloads][doctor]") {
    std::vector<TraceJob> jobs = healthy();
    jobs[1].members = 2;
    jobs[2].members = 3;
    jobs[3].members = 4;
    jobs[4].members = 5;
    const TraceReport report = report_of(jobs);
    CHECK(report.pods == 110);
    CHECK(report.by_size ==
          std::map<core::Members, std::uint64_t>{{1, 96}, {2, 1}, {4, 2}, {8, 1}});
}

TEST_CASE("doctor: what never runs is what fits on no idle server", "[workloads][doctor]") {
    // The plain way places member after member on idle servers.
    const core::Topology tree = cluster();
    const ClusterLimits limits(tree);
    berth::tests::Dice dice(7);
    const std::vector<std::vector<std::string>> models{{}, {"A"}, {"B"}, {"A", "B"}, {"C"}};
    for (std::uint64_t n = 0; n < berth::tests::cases(3000); ++n) {
        TraceJob each;
        each.members = dice.roll(1, 20);
        each.cpu_milli = dice.roll(0, 100) * 1000;
        each.memory_bytes = dice.roll(0, 520) * gib;
        const std::int64_t count = dice.roll(0, 9);
        each.gpus.count = count;
        each.gpus.milli = count == 1 ? dice.roll(1, 1000) : count > 0 ? 1000 : 0;
        if (count > 0) {
            each.gpus.models = models[static_cast<std::size_t>(dice.roll(0, 4))];
        }
        core::Members placed = 0;
        for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
            const core::MachineType& type = tree.machine_type(core::ServerId{i});
            const bool accepted =
                !type.devices.empty() &&
                (each.gpus.models.empty() ||
                 std::ranges::find(each.gpus.models, type.name) != each.gpus.models.end());
            core::Amount cpu = type.capacity(0);
            core::Amount memory = type.capacity(1);
            std::vector<core::Amount> gpus(
                static_cast<std::size_t>(accepted ? type.devices[0].count : 0), 1000);
            for (; cpu >= each.cpu_milli && memory >= each.memory_bytes && placed < each.members;
                 ++placed) {
                std::int64_t missing = each.gpus.count;
                for (core::Amount& gpu : gpus) {
                    if (missing > 0 && gpu >= each.gpus.milli) {
                        gpu -= each.gpus.milli;
                        --missing;
                    }
                }
                if (missing > 0) {
                    break;
                }
                cpu -= each.cpu_milli;
                memory -= each.memory_bytes;
            }
        }
        CAPTURE(n, each.members, each.cpu_milli, each.gpus.count, each.gpus.milli);
        CHECK(limits.obstacle(each).has_value() == (placed < each.members));
    }
}
