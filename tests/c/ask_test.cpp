/// berth's schedulers, asked by a simulator that belongs to the test.

#include <berth.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/csv_rows.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// `12.5` seconds in nanoseconds, exactly.
std::int64_t nanoseconds(const std::string& seconds) {
    const std::size_t point = std::min(seconds.find('.'), seconds.size());
    std::string digits = seconds.substr(point == seconds.size() ? point : point + 1);
    digits.resize(9, '0');
    return std::stoll(seconds.substr(0, point)) * second + std::stoll(digits);
}

/// A job of a finished run, to be submitted again.
struct PastJob {
    std::string name;
    std::int64_t submit = 0;
    std::int64_t duration = 0;
    std::int64_t priority = 0;
    std::int64_t size = 1;
    std::vector<std::int64_t> demand{};
    std::string gpu_models{};
};

/// The demand column of a resource: `demand_nvidia_com_gpu` for `nvidia.com/gpu`.
std::string column_of(std::string resource) {
    for (char& letter : resource) {
        letter = letter == '.' || letter == '/' ? '_' : letter;
    }
    return "demand_" + resource;
}

std::vector<PastJob> jobs_of(const Handle& run, const berth_cluster& cluster) {
    std::vector<PastJob> jobs;
    for (const CsvRow& row : csv_rows(file_of(run, "jobs.csv"))) {
        PastJob job{.name = row.at("job"),
                    .submit = nanoseconds(row.at("submit_s")),
                    .duration = nanoseconds(row.at("duration_s")),
                    .priority = std::stoll(row.at("priority")),
                    .size = std::stoll(row.at("size"))};
        for (std::size_t r = 0; r < cluster.resource_count; ++r) {
            const std::string& amount = row.at(column_of(cluster.resources[r]));
            job.demand.push_back(cluster.per_unit[r] == 1 ? std::stoll(amount)
                                                          : nanoseconds(amount) / (second / 1000));
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

using Start = std::tuple<std::string, std::int64_t, std::string>;

/// The start of each pod, with its job's name and its server.
std::vector<Start> starts_of(const Handle& run) {
    std::vector<Start> starts;
    for (const CsvRow& row : csv_rows(file_of(run, "pods.csv"))) {
        if (!row.at("start_s").empty()) {
            const std::string& group = row.at("group");
            starts.emplace_back(group.empty() ? row.at("pod") : group,
                                nanoseconds(row.at("start_s")),
                                row.at("node"));
        }
    }
    std::ranges::sort(starts);
    return starts;
}

/// Lets jobs arrive and end, and asks the scheduler which jobs start.
class Simulator {
public:
    Simulator(const Handle& asked, const berth_cluster& cluster, std::vector<PastJob> jobs)
        : asked_(asked), cluster_(cluster), jobs_(std::move(jobs)) {
        std::ranges::stable_sort(jobs_, {}, &PastJob::submit);
        for (std::int64_t now = next(); now != BERTH_NONE; now = next()) {
            happen(now);
        }
        std::ranges::sort(starts);
    }
    std::vector<Start> starts;

private:
    [[nodiscard]] std::int64_t next() const {
        std::int64_t next = BERTH_NONE;
        REQUIRE(berth_next_turn(asked_.get(), &next) == BERTH_OK);
        const auto add = [&next](std::int64_t at) {
            next = next == BERTH_NONE ? at : std::min(next, at);
        };
        if (next_job_ < jobs_.size()) {
            add(jobs_[next_job_].submit);
        }
        if (!ends_.empty()) {
            add(ends_.begin()->first);
        }
        return next;
    }
    void happen(std::int64_t now) {
        for (; !ends_.empty() && ends_.begin()->first == now; ends_.erase(ends_.begin())) {
            REQUIRE(berth_ended(asked_.get(), ends_.begin()->second) == BERTH_OK);
        }
        for (; next_job_ < jobs_.size() && jobs_[next_job_].submit == now; ++next_job_) {
            submit(jobs_[next_job_]);
        }
        const berth_decision* decisions = nullptr;
        std::size_t count = 0;
        REQUIRE(berth_decide(asked_.get(), now, &decisions, &count) == BERTH_OK);
        for (std::size_t i = 0; i < count; ++i) {
            carry_out(decisions[i], now);
        }
    }
    void submit(const PastJob& job) {
        berth_request request{};
        request.name = job.name.c_str();
        request.demand = job.demand.data();
        request.gpu_models = job.gpu_models.empty() ? nullptr : job.gpu_models.c_str();
        request.estimate = job.duration;
        request.priority = job.priority;
        request.size = job.size;
        std::int64_t number = BERTH_NONE;
        const int status = berth_submit(asked_.get(), &request, &number);
        INFO(berth_message(asked_.get()));
        REQUIRE(status == BERTH_OK);
        REQUIRE(number == static_cast<std::int64_t>(next_job_));
    }
    void carry_out(const berth_decision& decision, std::int64_t now) {
        REQUIRE(decision.kind == BERTH_STARTS);
        REQUIRE(decision.at == now);
        const PastJob& job = jobs_.at(static_cast<std::size_t>(decision.job));
        for (std::size_t i = 0; i < decision.place_count; ++i) {
            for (std::int64_t n = 0; n < decision.places[i].members; ++n) {
                starts.emplace_back(job.name, now, cluster_.servers[decision.places[i].server]);
            }
        }
        ends_.emplace(now + job.duration, decision.job);
    }

    const Handle& asked_;
    const berth_cluster& cluster_;
    std::vector<PastJob> jobs_;
    std::size_t next_job_ = 0;
    std::multimap<std::int64_t, std::int64_t> ends_;
};

Handle read(const std::string& file, const std::vector<std::string>& changes) {
    Handle handle = opened();
    for (const std::string& change : changes) {
        REQUIRE(berth_set(handle.get(), change.c_str()) == BERTH_OK);
    }
    const int status = berth_read(handle.get(), file.c_str());
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    return handle;
}

/// The GPU models that pods of a trace accept, by pod name. A clone has the name of its original,
/// followed by `-inflated-N`.
using Models = std::map<std::string, std::string>;

void accept(const Models& models, std::vector<PastJob>& jobs) {
    for (PastJob& job : jobs) {
        const auto found = models.find(job.name.substr(0, job.name.find("-inflated")));
        job.gpu_models = found == models.end() ? "" : found->second;
    }
}

/// Runs an experiment, and checks that its scheduler, asked about the same jobs, decides the same.
void check_agreement(const std::string& file,
                     std::vector<std::string> changes,
                     std::size_t starts_least,
                     const Models& models = {}) {
    const Handle run = read(file, changes);
    REQUIRE(berth_run(run.get(), nullptr, 1) == BERTH_OK);
    changes.emplace_back("spec.workload=[]");
    const Handle asked = read(file, changes);
    berth_cluster cluster{};
    REQUIRE(berth_get_cluster(asked.get(), &cluster) == BERTH_OK);
    const int status = berth_ask(asked.get());
    INFO(berth_message(asked.get()));
    REQUIRE(status == BERTH_OK);
    const std::vector<Start> starts = starts_of(run);
    CHECK(starts.size() >= starts_least);
    std::vector<PastJob> jobs = jobs_of(run, cluster);
    accept(models, jobs);
    const Simulator simulator(asked, cluster, std::move(jobs));
    CHECK((simulator.starts == starts));
}

}  // namespace

TEST_CASE("ask: told what a run has happen, a scheduler decides as in that run", "[c]") {
    const std::string policy = GENERATE("fifo",
                                        "fcfs",
                                        "priority",
                                        "shortest-job",
                                        "easy-backfill",
                                        "conservative-backfill",
                                        "replanned-backfill");
    const bool has_period = GENERATE(false, true);
    CAPTURE(policy, has_period);
    const Folder folder;
    folder.write("e.yaml",
                 replaced(queue_of_the_caller,
                          "{caller: first_fit}",
                          "{profile: {queueSort: " + policy +
                              "}, period: " + (has_period ? "5m" : "0s") + "}"));
    check_agreement(
        (folder.path() / "e.yaml").string(),
        {"spec.workload[0].generate.estimate=1h",
         "spec.workload[0].generate={count: 300, arrivals: {distribution: exponential, "
         "mean: 5m}, service: {distribution: exponential, mean: 1h}, mix: [{type: one}, "
         "{type: six}, {type: six, priority: 3}]}"},
        300);
}

TEST_CASE("ask: FGD's profile on shared GPUs decides as in its run", "[c]") {
    const std::string queue = GENERATE("fifo", "easy-backfill", "conservative-backfill");
    CAPTURE(queue);
    Models models;
    const std::string trace = "experiments/fgd/invented/openb_pod_list_default.csv";
    for (const CsvRow& row : csv_rows(read_file(project_file(trace)))) {
        models[row.at("name")] = row.at("gpu_spec");
    }
    check_agreement(project_file("experiments/fgd/backfill.yaml"),
                    {"spec.scheduler.profile.queueSort=" + queue},
                    1900,
                    models);
}
