// Runs that are decided in rounds: small examples that are computed by hand.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// An experiment with one server that has so many GPUs.
std::string experiment(int gpus, const std::string& rounds, const std::string& trace = "") {
    return "kind: Experiment\nmetadata: {name: rounds}\nspec:\n"
           "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: m}], "
           "machineTypes: {m: {capacity: {nvidia.com/gpu: " +
           std::to_string(gpus) +
           "}}}}}\n"
           "  workload: [{trace: {format: training, file: jobs.csv" +
           trace + "}}]\n  scheduler: {rounds: {" + rounds + "}}\n";
}

/// Jobs that make a step a second on one GPU: `NAME,SUBMIT,STEPS`.
std::string jobs_of_one_gpu(const std::vector<std::array<std::string, 3>>& jobs) {
    std::string csv = "job,submit_s,gpus,model,batch_size,steps,step_s\n";
    for (const auto& [name, submit, steps] : jobs) {
        csv += name + "," + submit + ",1,m,1," + steps + ",1\n";
    }
    return csv;
}

/// When each job finished.
std::map<std::string, std::string> finishes(const Folder& folder) {
    std::map<std::string, std::string> finishes;
    for (const CsvRow& job : csv_rows(folder.read("out/run/jobs.csv"))) {
        finishes[job.at("job")] = job.at("finish_s");
    }
    return finishes;
}

using Finishes = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("rounds: leases take turns, and a round ends when its leases have ended",
          "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "200"}, {"b", "0", "200"}}));
    run_sound(folder, experiment(1, "policy: max-min, launch: 6s, perEndedLease: 1s, start: 10s"));
    // Round 0: a trains from 16 s to 130 s, which ends its lease; the next round begins 1 s later.
    // At 70 s, a had 60 + 54 s, b only its 60 s: b comes next. It trains from 137 s. At 191 s, it
    // had 60 + 54 s, a 60 + 114 s: b goes on, and ends at 137 + 200 s. It holds its GPU until
    // 371 s, when a begins again, and has 86 steps left from 377 s on.
    CHECK(finishes(folder) == Finishes{{"a", "463"}, {"b", "337"}});
    CHECK(folder.read("out/run/rounds.csv") ==
          "replication,round,start_s,active,scheduled,ended_leases,launches\n"
          "0,0,10,2,1,1,1\n"
          "0,1,131,2,1,0,1\n"
          "0,2,251,2,1,0,0\n"
          "0,3,371,1,1,0,1\n");
    CHECK(folder.read("out/run/leases.csv") ==
          "replication,job,first_round,last_round,workers\n"
          "0,a,0,0,0\n"
          "0,b,1,2,0\n"
          "0,a,3,4,0\n");
}

TEST_CASE("rounds: a job that comes after a round was planned waits for the one behind",
          "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 jobs_of_one_gpu({{"a", "0", "1000"}, {"b", "50", "10"}, {"c", "51", "10"}}));
    run_sound(folder, experiment(3, "policy: gandiva-fair, round: 100s"));
    // The first round begins with the first arrival, and the second one is planned at 50 s.
    CHECK(finishes(folder) == Finishes{{"a", "1000"}, {"b", "110"}, {"c", "210"}});
}

TEST_CASE("rounds: a recorded schedule is followed, and jobs go on after it", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "300"}, {"b", "0", "100"}}));
    folder.write("schedule.csv", "job,first_round,last_round,workers\na,0,0,0\nb,0,1,1\na,2,2,1\n");
    run_sound(folder,
              experiment(2, "replay: schedule.csv, round: 100s, perEndedLease: 2s, start: 0s"));
    // a trains from 0 s to 100 s, and from 202 s on, as the first round is 2 s longer. It keeps its
    // GPU when its rows are over.
    CHECK(finishes(folder) == Finishes{{"a", "402"}, {"b", "100"}});
    CHECK(folder.read("out/run/leases.csv") ==
          "replication,job,first_round,last_round,workers\n"
          "0,a,0,0,0\n"
          "0,b,0,1,1\n"
          "0,a,2,4,1\n");
}

TEST_CASE("rounds: a batch size that changes ends the lease, which holds its GPU",
          "[cli][leases]") {
    const Folder folder;
    // Three passes of 50 steps; after the first one, a pass has 25 steps.
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,samples,plan\n"
                 "a,0,1,m,10,150,500,20@1\n"
                 "b,0,1,m,10,150,500,\n");
    folder.write("speeds.csv", "model,batch_size,gpus,steps_per_s\nm,10,1,1\nm,20,1,1\n");
    run_sound(folder, experiment(1, "policy: mst, round: 100s", ", speeds: {file: speeds.csv}"));
    // a ends a lease at 50 s with 50 of 75 steps to do, and does them from 100 s on. b does not get
    // the GPU meanwhile, but in the next round, at 200 s.
    CHECK(finishes(folder) == Finishes{{"a", "150"}, {"b", "350"}});
}

TEST_CASE("rounds: at a tick with a change, all jobs are launched anew", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"p", "0", "200"}, {"q", "30", "200"}}));
    run_sound(folder, experiment(2, "policy: srtf, tick: 60s, launch: 10s"));
    // p trains from 10 s to 60 s, and from 70 s on: it ends at 220 s. q trains from 70 s to 240 s,
    // and has 30 steps left from 250 s on.
    CHECK(finishes(folder) == Finishes{{"p", "220"}, {"q", "280"}});
    CHECK(folder.read("out/run/rounds.csv") ==
          "replication,round,start_s,active,scheduled,ended_leases,launches\n"
          "0,0,0,1,1,0,1\n"
          "0,1,60,2,2,1,2\n"
          "0,4,240,1,1,1,1\n");
}

TEST_CASE("rounds: the shortest job stops a longer one at a tick", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"long", "0", "1000"}, {"short", "30", "50"}}));
    run_sound(folder, experiment(1, "policy: srtf, tick: 60s, launch: 10s"));
    // The short one ends exactly at the tick at 120 s, and the long one, with 950 steps left,
    // trains from 130 s on.
    CHECK(finishes(folder) == Finishes{{"long", "1080"}, {"short", "120"}});
}

TEST_CASE("rounds: least attained GPU time comes first", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "150"}, {"b", "0", "100"}}));
    run_sound(folder, experiment(1, "policy: tiresias, tick: 60s, queues: [100s, 1000s]"));
    // a has had 120 s at the second tick, and goes behind b, which ends at 220 s, before it has had
    // 100 s at a tick; so a does its last 30 steps from 240 s on.
    CHECK(finishes(folder) == Finishes{{"a", "270"}, {"b", "220"}});
}

TEST_CASE("rounds: every policy runs jobs to their ends", "[cli][leases]") {
    const Folder folder;
    std::vector<std::array<std::string, 3>> jobs;
    for (int i = 0; i < 12; ++i) {
        jobs.push_back({"j" + std::to_string(i),
                        std::to_string(i * 40),
                        std::to_string(100 + 170 * (i * 7 % 12))});
    }
    folder.write("jobs.csv", jobs_of_one_gpu(jobs));
    const std::string policy = GENERATE("max-min",
                                        "mst",
                                        "allox",
                                        "themis",
                                        "gandiva-fair",
                                        "srtf, tick: 60s",
                                        "srsf, tick: 60s",
                                        "tiresias, tick: 60s",
                                        "themis, tick: 60s");
    CAPTURE(policy);
    run_sound(folder, experiment(4, "launch: 5s, policy: " + policy));
    for (const auto& [job, finish] : finishes(folder)) {
        CAPTURE(job);
        CHECK_FALSE(finish.empty());
    }
}

TEST_CASE("rounds: why a job waits tells its rank and the GPUs that were left", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "1000"}, {"b", "0", "1000"}}));
    const std::string ticks = experiment(1, "policy: srtf, tick: 60s") + "  until: 100s\n";
    run_sound(folder, ticks);
    CHECK(csv_rows(folder.read("out/run/jobs.csv")).at(1).at("reason") ==
          "it is number 2 of 2 in the order of srtf: 0 of 1 GPUs were left when its turn came, and "
          "it asks for 1.");
    const std::string leases = experiment(1, "policy: max-min") + "  until: 100s\n";
    folder.write("run.yaml", leases);
    done(folder, {"run", "run.yaml", "-o", "out/leases"});
    CHECK(csv_rows(folder.read("out/leases/jobs.csv")).at(0).at("reason") == "");
}

TEST_CASE("rounds: why says that a job lost its place to larger ones", "[cli][leases]") {
    const Folder folder;
    // In this order, all jobs fit on two servers of seven GPUs: 3 + 2 + 2 on each. Placed anew, the
    // largest first, 3 + 3 and 2 + 2 + 2 leave one GPU on each.
    std::string jobs = "job,submit_s,gpus,model,batch_size,steps,step_s\n";
    for (const char* job : {"a,0,3", "b,0,2", "c,0,2", "d,0,3", "e,0,2", "f,0,2"}) {
        jobs += std::string(job) + ",m,1,100,1\n";
    }
    folder.write("jobs.csv", jobs);
    run_sound(folder,
              replaced(experiment(7, "policy: themis, tick: 60s"),
                       "{name: server, count: 1}",
                       "{name: server, count: 2}") +
                  "  until: 30s\n");
    CHECK(csv_rows(folder.read("out/run/jobs.csv")).at(5).at("reason") ==
          "it is number 6 of 6 in the order of themis: it fitted there, but lost its place when "
          "the jobs that fitted were placed anew, the largest first; 2 of 14 GPUs were left when "
          "its turn came, and it asks for 2.");

    const Answer answer = folder.berth({"why", "out/run", "f"});
    CAPTURE(answer.out);
    CHECK(answer.status == 0);
    CHECK_THAT(answer.out, Catch::Contains("it asks for 1 GPU(s) instead of 2"));
    CHECK_THAT(answer.out, !Catch::Contains("in the order instead"));
}

TEST_CASE("rounds: wrong documents are refused in one line", "[cli][bad-input]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "100"}, {"b", "0", "100"}}));
    const std::string header = "job,first_round,last_round,workers\n";
    folder.write("twice.csv", header + "a,0,3,0\nb,3,4,0\n");
    folder.write("again.csv", header + "a,0,3,0\na,2,4,1\n");
    folder.write("unknown.csv", header + "a,0,3,0\nz,3,4,1\n");
    folder.write("worker.csv", header + "a,0,3,0\nb,0,4,2\n");
    folder.write("two.csv", header + "a,0,3,0 1\n");
    using Row = std::pair<std::string, std::string>;
    const auto [rounds, message] = GENERATE(table<std::string, std::string>({
        Row{"policy: ossp", "ossp is not there, since no packaged solver makes its decisions"},
        Row{"policy: shockwave", "shockwave is not there, since no packaged solver"},
        Row{"policy: maxmin", "did you mean 'max-min'?"},
        Row{"policy: srtf", "expected tick: 360s beside it"},
        Row{"policy: max-min, tick: 60s", "expected round in place of tick"},
        Row{"policy: srtf, tick: 60s, queues: [1s, 2s]", "srtf has no queues"},
        Row{"policy: tiresias, tick: 60s, queues: [2s, 1s]", "the shorter one first"},
        Row{"policy: srtf, tick: 0s", "tick of 0: expected a duration above 0"},
        Row{"policy: max-min, round: 10s, lookAhead: 11s", "lookAhead is longer than a round"},
        Row{"policy: max-min, replay: twice.csv", "policy and replay both decide"},
        Row{"launch: 1s", "nothing decides: expected policy: max-min, or replay: FILE"},
        Row{"policy: max-min, rond: 10s", "did you mean 'round'?"},
        Row{"replay: twice.csv",
            "twice.csv:3:7: error: worker 0 is used twice in round 3: expected it for one job"},
        Row{"replay: again.csv", "again.csv:3:1: error: job 'a' in round 2 again"},
        Row{"replay: unknown.csv", "unknown.csv:3:1: error: unknown job 'z'"},
        Row{"replay: worker.csv",
            "worker.csv:3:7: error: worker '2': expected numbers from 0 to 1"},
        Row{"replay: two.csv", "two.csv:2:1: error: 2 worker(s) for job 'a': expected 1"},
        Row{"replay: none.csv", "none.csv cannot be read"},
    }));
    CAPTURE(rounds);
    folder.write("run.yaml", experiment(2, rounds));
    const Answer answer = folder.berth({"validate", "run.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains(message));
}

TEST_CASE("rounds: clusters and jobs that rounds cannot run are refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("jobs.csv", "job,submit_s,gpus,model,batch_size,steps,step_s\na,0,3,m,1,10,1\n");
    folder.write("run.yaml", experiment(2, "policy: max-min"));
    CHECK_THAT(folder.berth({"validate", "run.yaml"}).err,
               Catch::Contains("a asks for 3 GPUs, and there are 2"));
    folder.write("run.yaml",
                 replaced(experiment(3, "policy: max-min"),
                          "levels: [{name: server, count: 1}], machines: [{type: m}]",
                          "levels: [{name: server, count: 2}], machines: [{type: m}, {type: n, at: "
                          "{server: 1}}]"));
    folder.write(
        "run.yaml",
        replaced(folder.read("run.yaml"), "{m: {", "{n: {capacity: {nvidia.com/gpu: 4}}, m: {"));
    CHECK_THAT(folder.berth({"validate", "run.yaml"}).err,
               Catch::Contains("expected as many GPUs of one kind on each server"));
    folder.write("run.yaml",
                 replaced(experiment(3, "policy: max-min"),
                          "{trace: {format: training, file: jobs.csv}}",
                          "{pods: [{name: p, type: t, lifetime: 10s}]}") +
                     "  types: {t: {nvidia.com/gpu: 1}}\n");
    CHECK_THAT(folder.berth({"validate", "run.yaml"}).err,
               Catch::Contains("p trains no model, which rounds cannot run"));
}

TEST_CASE("rounds: a recorded schedule may pause for hundreds of rounds", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "20"}}));
    folder.write("schedule.csv", "job,first_round,last_round,workers\na,0,0,0\na,500,500,0\n");
    run_sound(folder, experiment(1, "replay: schedule.csv, round: 10s"));
    CHECK(finishes(folder) == Finishes{{"a", "5010"}});
}

TEST_CASE("rounds: each round with jobs has one row", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 jobs_of_one_gpu({{"a", "0", "8"}, {"b", "12", "3"}, {"c", "40", "3"}}));
    run_sound(folder, experiment(1, "policy: max-min, round: 10s"));
    CHECK(folder.read("out/run/rounds.csv") ==
          "replication,round,start_s,active,scheduled,ended_leases,launches\n"
          "0,0,0,1,1,0,1\n"
          "0,1,10,0,1,0,0\n"
          "0,2,20,1,1,0,1\n"
          "0,5,50,1,1,0,1\n");
}

TEST_CASE("training: a job on several servers goes on there with kube-scheduler", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,samples,plan\n"
                 "a,0,2,m,10,3,10,20@1\n");
    folder.write("speeds.csv", "model,batch_size,gpus,steps_per_s\nm,10,2,1\nm,20,2,1\n");
    run_sound(folder,
              "kind: Experiment\nmetadata: {name: kube}\nspec:\n"
              "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
              "machineTypes: {m: {capacity: {nvidia.com/gpu: 1}}}}}\n"
              "  workload: [{trace: {format: training, file: jobs.csv, "
              "speeds: {file: speeds.csv}}}]\n  scheduler: {kube: {}}\n");
    // One pass of one step, and then two of one step each.
    CHECK(finishes(folder) == Finishes{{"a", "3"}});
}

TEST_CASE("training: plans of backfill follow changes of speed, and limits stretched work",
          "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,samples,plan,limit_s\n"
                 "a,0,2,m,10,30,10,20@5,\nb,1,2,m,10,1000,,,10\n");
    folder.write("speeds.csv",
                 "model,batch_size,gpus,steps_per_s,consolidated\n"
                 "m,10,2,1,yes\nm,20,2,1,yes\nm,20,2,0.1,no\n");
    const std::string cluster =
        "kind: Experiment\nmetadata: {name: t}\nspec:\n"
        "  topology: {spec: {levels: [{name: server, count: 2}], machines: [{type: m}], "
        "machineTypes: {m: {capacity: {nvidia.com/gpu: 1}}}}}\n"
        "  runTime: {table: linear}\n"
        "  workload: [{trace: {format: training, file: jobs.csv, speeds: {file: speeds.csv}}}]\n";
    run_sound(folder, cluster + "  scheduler: {profile: {queueSort: conservative-backfill}}\n");
    // Five steps of 1.1 s, and 25 of 11 s each; then 10 s of work that take 11 s.
    CHECK(finishes(folder) == Finishes{{"a", "280.5"}, {"b", "291.5"}});
    run_sound(folder,
              cluster + "  scheduler: {rounds: {policy: max-min, round: 5s, launch: 1s}}\n");
    CHECK(finishes(folder).at("b") != "");
}

TEST_CASE("rounds: times that leave no time to train, or no end, are refused", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "8"}}));
    const auto said = [&](const std::string& rounds) {
        folder.write("run.yaml", experiment(1, rounds));
        const Answer answer = folder.berth({"validate", "run.yaml"});
        CHECK(answer.status != 0);
        return answer.err;
    };
    CHECK_THAT(said("policy: max-min, round: 5s, launch: 5s"),
               Catch::Contains("expected less than a round, so that jobs train in it"));
    CHECK_THAT(said("policy: srtf, tick: 5s, launch: 6s"),
               Catch::Contains("expected less than a tick, so that jobs train in it"));
    CHECK_THAT(said("policy: max-min, round: 60000d"), Catch::Contains("expected at most 3650d"));
    CHECK_THAT(said("policy: max-min, round: 1ns"),
               Catch::Contains("a trains for 8 s, which is more than 10^7 rounds of 1ns, which "
                               "rounds cannot run: expected round: 801ns or longer"));
    CHECK_THAT(said("policy: tiresias, tick: 1ns"), Catch::Contains("more than 10^7 ticks"));
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "8"}, {"b", "0", "8"}}));
    CHECK_THAT(
        said("policy: max-min, round: 1us"),
        Catch::Contains("b and the jobs before it fill all GPUs for more than 10^7 rounds of "
                        "1000ns, which rounds cannot run: expected a longer round, or "
                        "until"));
}

TEST_CASE("rounds: ticks may be short where only changes of jobs wake them", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "8"}, {"b", "0", "8"}}));
    const std::string policy = GENERATE("srtf", "srsf", "themis");
    CAPTURE(policy);
    run_sound(folder, experiment(1, "tick: 1ns, policy: " + policy));
    CHECK(finishes(folder) == Finishes{{"a", "8"}, {"b", "16"}});
}

TEST_CASE("rounds: the round at whose beginning the run ends has its rows", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 jobs_of_one_gpu({{"a", "0", "25"}, {"b", "1", "100"}, {"c", "500", "8"}}));
    run_sound(folder, experiment(1, "policy: max-min, round: 10s") + "  until: 30s\n");
    CHECK(folder.read("out/run/rounds.csv") ==
          "replication,round,start_s,active,scheduled,ended_leases,launches\n"
          "0,0,0,1,1,1,1\n"
          "0,1,10,2,1,0,1\n"
          "0,2,20,2,1,1,0\n"
          "0,3,30,2,1,0,1\n");
    CHECK(folder.read("out/run/leases.csv") ==
          "replication,job,first_round,last_round,workers\n"
          "0,a,0,0,0\n0,b,1,2,0\n0,a,3,3,0\n");
}

TEST_CASE("rounds: a round has its rows if its jobs have ended before the run does",
          "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv", jobs_of_one_gpu({{"a", "0", "2"}, {"b", "100", "2"}}));
    using Row = std::array<std::string, 3>;
    const auto [rounds, next_round, last] = GENERATE(values<Row>({
        {"policy: max-min, round: 10s", "", "0"},
        // The next round was planned when the job still trained.
        {"policy: max-min, round: 10s, lookAhead: 0s", "0,1,10,0,1,0,0\n", "1"},
    }));
    run_sound(folder, experiment(1, rounds) + "  until: 10s\n");
    CHECK(csv_rows(folder.read("out/run/jobs.csv")).at(0).at("launches") == "1");
    CHECK(folder.read("out/run/rounds.csv") ==
          "replication,round,start_s,active,scheduled,ended_leases,launches\n"
          "0,0,0,1,1,0,1\n" +
              next_round);
    CHECK(folder.read("out/run/leases.csv") ==
          "replication,job,first_round,last_round,workers\n0,a,0," + last + ",0\n");
}

TEST_CASE("rounds: why names the GPUs and the rank that would have been enough", "[cli][leases]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,step_s\n"
                 "a,0,2,m,1,50,1\nb,0,1,m,1,60,1\nc,0,3,m,1,70,1\n");
    using Row = std::array<std::string, 3>;
    // With rounds, it is told of the last one: a has ended by then, and b still holds its GPU.
    const auto [rounds, gpus, rank] = GENERATE(values<Row>({
        {"policy: srtf, tick: 10s", "asks for 1 GPU(s) instead of 3", "of number 3"},
        {"policy: max-min, round: 10s", "asks for 2 GPU(s) instead of 3", "of number 2"},
    }));
    CAPTURE(rounds);
    run_sound(folder, experiment(4, rounds));
    const Answer answer = folder.berth({"why", "out/run", "c"});
    CAPTURE(answer.out);
    CHECK(answer.status == 0);
    CHECK_THAT(answer.out, Catch::Contains("with the rank that it has, it " + gpus));
    CHECK_THAT(answer.out, Catch::Contains("it is number 1 in the order instead " + rank));
}
