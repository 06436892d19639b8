// Jobs of a trace that write checkpoints: their lost work and their writes, counted by hand.

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string one_host = R"(kind: Experiment
metadata: {name: writing}
spec:
  topology:
    spec:
      levels: [{name: host, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8}}}
  workload:
    - trace: {format: csv, file: jobs.csv, checkpoint: {every: 20s, takes: 2s, restart: 5s}}
  failures: {file: failures.csv}
)";

/// The only host is out from 57 s to 60 s.
const std::string host_fails =
    "time_s,component,event,cause\n57,host-0,fail,board\n60,host-0,repair,\n";

const std::string pod_and_gang =
    "name,submit,run_time,members,cpu\n"
    "pod,0,100,1,4\n"
    "gang,10,45,2,2\n";

struct Writing : Folder {
    explicit Writing(const std::string& experiment, const std::string& jobs = pod_and_gang) {
        write("jobs.csv", jobs);
        write("failures.csv", host_fails);
        write("experiment.yaml", experiment);
    }
    /// The rows of jobs.csv of a run, by name.
    [[nodiscard]] std::map<std::string, CsvRow> jobs() const {
        (void)done(*this, {"run", "experiment.yaml", "-q", "--check-invariants", "-o", "out"});
        std::map<std::string, CsvRow> rows;
        for (const CsvRow& row : csv_rows(read("out/jobs.csv"))) {
            rows[row.at("job")] = row;
        }
        return rows;
    }
};

/// Daly's interval for writes that take 2 s.
double daly(double mtbf) {
    return std::sqrt(4 * mtbf) * (1 + std::sqrt(1 / mtbf) / 3 + 1 / mtbf / 9) - 2;
}

}  // namespace

TEST_CASE("trace: jobs lose what they did since their last checkpoint", "[cli][trace]") {
    const Writing folder(one_host);
    const auto jobs = folder.jobs();
    // Writes end at 22 s and 44 s; 13 s of work are lost at 57 s. From 60 s on it restarts for 5 s,
    // and does the remaining 60 s with three writes.
    const CsvRow& pod = jobs.at("pod");
    CHECK(pod.at("finish_s") == "131");
    CHECK(pod.at("work_s") == "100");
    CHECK(pod.at("checkpoint_s") == "10");
    CHECK(pod.at("restart_s") == "5");
    CHECK(pod.at("checkpoint_every_s") == "20");
    // Writes end at 32 s and 54 s; 3 s are lost. Then it restarts, and 5 s of work are left.
    const CsvRow& gang = jobs.at("gang");
    CHECK(gang.at("finish_s") == "70");
    CHECK(gang.at("work_s") == "45");
    CHECK(gang.at("checkpoint_s") == "4");
    CHECK(gang.at("restart_s") == "5");
    std::map<std::string, std::string> lost;
    for (const CsvRow& row : csv_rows(folder.read("out/evictions.csv"))) {
        lost[row.at("pod")] = row.at("lost_s");
    }
    CHECK(lost ==
          std::map<std::string, std::string>{{"gang-0", "3"}, {"gang-1", "3"}, {"pod", "13"}});
}

TEST_CASE("trace: its checkpoints are resolved, and run to the same bytes", "[cli][trace]") {
    const Writing folder(one_host);
    (void)folder.jobs();
    (void)done(folder, {"run", "out/experiment.yaml", "-q", "-o", "again"});
    CHECK(folder.read("again/manifest.json") == folder.read("out/manifest.json"));
    CHECK(folder.read("again/jobs.csv") == folder.read("out/jobs.csv"));
}

TEST_CASE("trace: the optimal interval is that of the job's size", "[cli][trace]") {
    std::string experiment = replaced(one_host, "count: 1", "count: 4");
    experiment = replaced(experiment, "every: 20s", "every: optimal");
    experiment = replaced(experiment,
                          "{file: failures.csv}",
                          "{random: [{name: board, level: host, mtbf: 90000s, repair: 1s}]}");
    const std::string sizes =
        "name,submit,run_time,members,cpu\none,0,9,1,8\nfour,1,9,4,8\nshared,2,9,4,2\n";
    const auto jobs = Writing(experiment, sizes).jobs();
    CHECK(std::stod(jobs.at("one").at("checkpoint_every_s")) == Approx(daly(90'000)));
    CHECK(std::stod(jobs.at("four").at("checkpoint_every_s")) == Approx(daly(90'000.0 / 4)));
    CHECK(jobs.at("shared").at("checkpoint_every_s") == jobs.at("one").at("checkpoint_every_s"));
    const auto pods = Writing(replaced(experiment, "csv,", "csv, gangs: false,"), sizes).jobs();
    CHECK(pods.at("four-3").at("checkpoint_every_s") == jobs.at("one").at("checkpoint_every_s"));
}

TEST_CASE("trace: backfill expects jobs to write their checkpoints", "[cli][trace]") {
    // `first` does 40 s of work with two writes of 5 s, so that `wide` starts at 50 s. `next` comes
    // at 2 s and may overtake `wide` if it has ended by then, including a write after its first 20
    // s.
    const auto start_of_next = [](const std::string& work) {
        std::string experiment = replaced(one_host, "takes: 2s", "takes: 5s");
        experiment = replaced(experiment,
                              "failures: {file: failures.csv}",
                              "scheduler: {profile: {queueSort: easy-backfill}}");
        const std::string jobs =
            "name,submit,run_time,members,cpu\nfirst,0,40,1,4\nwide,1,10,1,8\nnext,2," + work +
            ",1,4\n";
        const auto rows = Writing(experiment, jobs).jobs();
        CHECK(rows.at("wide").at("first_start_s") == "50");
        return rows.at("next").at("first_start_s");
    };
    CHECK(start_of_next("38.5") == "2");  // ends at 45.5 s with its write, and at 40.5 s without
    CHECK(start_of_next("43") == "60");   // ends at 55 s with its writes, and at 45 s without
}

TEST_CASE("trace: an estimate is the user's word, also of writes", "[cli][trace]") {
    // `first` claims to take 40 s and takes 50 s. A job that comes at 2 s for 43.5 s is too long.
    std::string experiment = replaced(one_host, "takes: 2s", "takes: 5s");
    experiment = replaced(experiment,
                          "failures: {file: failures.csv}",
                          "scheduler: {profile: {queueSort: easy-backfill}}");
    const Writing folder(experiment,
                         "name,submit,run_time,members,cpu,time_limit\n"
                         "first,0,40,1,4,40\nwide,1,10,1,8,\nnext,2,38.5,1,4,\n");
    const auto jobs = folder.jobs();
    CHECK(jobs.at("first").at("finish_s") == "50");
    CHECK(jobs.at("next").at("first_start_s") == "60");
}

TEST_CASE("trace: nobody starts whose writes last until a drain", "[cli][trace]") {
    // 40 s of work take 44 s: before 45 s there is enough time for this, before 43 s there is not.
    const auto start_before = [](const std::string& drain) {
        const std::string experiment =
            replaced(one_host,
                     "failures: {file: failures.csv}",
                     "drains: [{level: host, at: " + drain + ", for: 10s}]");
        const Writing folder(experiment, "name,submit,run_time,members,cpu\npod,0,40,1,4\n");
        return folder.jobs().at("pod").at("first_start_s");
    };
    CHECK(start_before("45s") == "0");
    CHECK(start_before("43s") == "53");
}

TEST_CASE("trace: changed jobs write the checkpoints of their trace", "[cli][trace]") {
    const std::string no_causes = replaced(one_host, "  failures: {file: failures.csv}\n", "");
    const auto changed = [&](const std::string& change) {
        return Writing(replaced(no_causes, "5s}}\n", "5s}}\n      " + change + "\n")).jobs();
    };
    // Half of the work, with writes as long as before: two, after 20 s and after 40 s of 50 s.
    const auto halved = changed("durations: 0.5");
    CHECK(halved.at("pod").at("finish_s") == "54");
    CHECK(halved.at("pod").at("checkpoint_s") == "4");
    const auto doubled = changed("inflate: {ratio: 2}");
    REQUIRE(doubled.size() == 4);
    for (const auto& [name, row] : doubled) {
        CHECK(row.at("checkpoint_every_s") == "20");
    }
}

TEST_CASE("trace: jobs without an end write checkpoints and go back to them", "[cli][trace]") {
    const std::string endless = replaced(
        replaced(one_host, "csv,", "csv, order: file,"), "failures:", "until: 80s\n  failures:");
    const CsvRow pod = Writing(endless).jobs().at("pod");
    // 13 s of 53 s are lost at 57 s; in the last 20 s it restarts for 5 s and works for 15 s.
    CHECK(pod.at("outcome") == "running");
    CHECK(pod.at("work_s") == "55");
    CHECK(pod.at("checkpoint_s") == "4");
    CHECK(pod.at("restart_s") == "5");
}

TEST_CASE("trace: its checkpoints are its own alone", "[cli][trace]") {
    const std::string another = "    - trace: {format: csv, file: other.csv}\n    - trace";
    const Writing folder(replaced(one_host, "    - trace", another));
    folder.write("other.csv", "name,submit,run_time,members,cpu\nplain,0,9,1,4\n");
    const auto jobs = folder.jobs();
    CHECK(jobs.at("plain").at("checkpoint_every_s").empty());
    CHECK(jobs.at("plain").at("checkpoint_takes_s").empty());
    CHECK(jobs.at("pod").at("checkpoint_every_s") == "20");
}

TEST_CASE("trace: a sweep may go over its interval", "[cli][trace]") {
    const Writing folder(one_host);
    folder.write("sweep.yaml", R"(kind: Sweep
metadata: {name: intervals}
spec:
  experiment: {file: experiment.yaml}
  axes: [{name: every, path: "spec.workload[0].trace.checkpoint.every", values: [20s, 50s]}]
)");
    (void)done(folder, {"sweep", "sweep.yaml", "-o", "swept"});
    const auto rows = csv_rows(folder.read("swept/results.csv"));
    REQUIRE(rows.size() == 2);
    // The pod loses 13 s, and each member of the gang 3 s; or the pod loses 5 s, and the gang has
    // ended at 55 s.
    CHECK(std::stod(rows[0].at("work_lost_s")) == 19);
    CHECK(std::stod(rows[1].at("work_lost_s")) == 5);
}

TEST_CASE("trace: a workload by itself may ask for the optimal interval", "[cli][trace]") {
    const Writing folder(one_host);
    folder.write("workload.yaml", R"(kind: Workload
spec:
  sources:
    - trace: {format: csv, file: jobs.csv, checkpoint: {every: optimal, takes: 2s}}
)");
    const auto rows = csv_rows(done(folder, {"workload", "workload.yaml", "--format", "csv"}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("duration_s") == "100");
}

TEST_CASE("trace: checkpoints are refused where they are wrong", "[cli][trace][bad-input]") {
    const auto first_line = [](const std::string& part, const std::string& by) {
        const Writing folder(replaced(one_host, part, by));
        const Answer answer = folder.berth({"run", "experiment.yaml", "-o", "out"});
        CHECK(answer.status == 2);
        return answer.first_line();
    };
    CHECK(first_line("every: 20s", "every: 0s") ==
          "experiment.yaml:10:64: error: found '0s': expected optimal, or a duration above 0, such "
          "as 1h");
    CHECK(first_line("takes: 2s", "takes: 21s") ==
          "experiment.yaml:10:76: error: a checkpoint that takes longer than its interval: "
          "expected takes of at most every");
    CHECK(first_line("every: 20s", "every: optimal") ==
          "experiment.yaml:10:64: error: every: optimal without random failures: expected "
          "failures: {random: [...]}, or a duration such as 1h");
}

TEST_CASE("trace: without checkpoints and causes, a run has nothing of them", "[cli][trace]") {
    std::string plain = replaced(one_host, "  failures: {file: failures.csv}\n", "");
    plain = replaced(plain, ", checkpoint: {every: 20s, takes: 2s, restart: 5s}", "");
    const auto without = Writing(plain).jobs();
    CHECK(without.at("pod").count("work_s") == 0);
    CHECK(without.at("pod").count("checkpoint_every_s") == 0);
    const std::string no_causes = replaced(one_host, "  failures: {file: failures.csv}\n", "");
    CHECK(Writing(no_causes).jobs().at("pod").at("checkpoint_s") == "10");
}
