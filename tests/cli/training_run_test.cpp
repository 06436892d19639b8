// Jobs whose work is a number of steps, under the scheduler of a profile: small examples that are
// computed by hand, and wrong tables.

#include <catch2/catch.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// An experiment with two servers of different types, of four GPUs each.
std::string experiment(const std::string& trace, const std::string& more = "") {
    return "kind: Experiment\nmetadata: {name: training}\nspec:\n"
           "  topology: {spec: {levels: [{name: server, count: 2}], "
           "machines: [{type: old, at: {server: 0}}, {type: new}], "
           "machineTypes: {old: {capacity: {nvidia.com/gpu: 4}}, "
           "new: {capacity: {nvidia.com/gpu: 4}}}}}\n"
           "  workload: [{trace: {format: training, file: jobs.csv" +
           trace + "}}]\n" + more;
}

constexpr const char* table = ", speeds: {file: speeds.csv}";

/// A job whose batch size doubles after three passes of 100 steps. It makes 2.5 steps a second,
/// and then 1.5.
void write_growing_job(const Folder& folder) {
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,samples,plan\n"
                 "a,0,1,resnet,32,1000,3200,64@3\n");
    folder.write("speeds.csv",
                 "model,batch_size,gpus,steps_per_s\nresnet,32,1,2.5\nresnet,64,1,1.5\n");
}

/// What a refused experiment is told, without the place.
std::string refused(const Folder& folder, const std::string& text) {
    folder.write("run.yaml", text);
    const Answer answer = folder.berth({"validate", "run.yaml"});
    CHECK(answer.status != 0);
    const std::string mark = "error: ";
    const std::size_t from = answer.err.find(mark);
    REQUIRE(from != std::string::npos);
    const std::string line = answer.err.substr(from + mark.size());
    return line.substr(0, line.find('\n'));
}

CsvRow job_of(const Folder& folder) {
    return csv_rows(folder.read("out/run/jobs.csv")).front();
}

}  // namespace

TEST_CASE("training: a batch size grows where the job is, and steps are converted",
          "[cli][leases]") {
    const Folder folder;
    write_growing_job(folder);
    run_sound(folder, experiment(table));
    // 300 steps in 120 s; then 350 of 500 steps are left.
    const CsvRow job = job_of(folder);
    CHECK(job.at("finish_s") == "353.333333334");
    CHECK(job.at("wait_s") == "0");
    CHECK(job.at("work_s") == "353.333333334");
    CHECK(job.at("steps") == "500");
    CHECK(job.at("steps_done") == "500");
    CHECK(job.at("batch_size") == "64");
    CHECK(job.at("epochs") == "10");
    CHECK(job.at("launches") == "2");
}

TEST_CASE("training: an interruption loses the steps of the lease, or only its pass",
          "[cli][leases]") {
    const Folder folder;
    write_growing_job(folder);
    const std::string failure =
        "  failures: {events: [{at: 50s, node: server-0, event: fail}, "
        "{at: 60s, node: server-0, event: repair}, {at: 0s, node: server-1, event: fail}]}\n";
    run_sound(folder, experiment(table, failure));
    CHECK(job_of(folder).at("finish_s") == "413.333333334");
    CHECK(job_of(folder).at("lost_s") == "50");
    CHECK(job_of(folder).at("launches") == "3");
    // 125 steps are kept and one epoch of them. Two more passes end at 140 s, with 325 steps, which
    // are four passes; 300 of 500 steps are left.
    run_sound(folder, experiment(table, failure + "  scheduler: {lostWork: 0}\n"));
    CHECK(job_of(folder).at("finish_s") == "340");
    CHECK(job_of(folder).at("lost_s") == "0");
}

TEST_CASE("training: a run in which nothing is evicted has a page, too", "[cli][leases]") {
    const Folder folder;
    write_growing_job(folder);
    run_sound(folder, experiment(table));
    REQUIRE_FALSE(job_of(folder).contains("lost_s"));

    done(folder, {"report", "out/run", "-o", "page.html"});

    CHECK_THAT(folder.read("page.html"), Catch::Contains("resnet"));
}

TEST_CASE("training: a job ends at its limit", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,step_s,limit_s\na,10,2,m,1,100,1,40\n");
    run_sound(folder, experiment(""));
    const CsvRow job = job_of(folder);
    CHECK(job.at("finish_s") == "40");
    CHECK(job.at("duration_s") == "40");
    CHECK(job.at("steps") == "100");
    CHECK(job.at("steps_done") == "40");
    CHECK(job.at("size") == "2");
    CHECK(job.at("reason") == "it was stopped at the limit of its training");
}

TEST_CASE("training: a trace with other durations has other steps and limits", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps,step_s,limit_s\n"
                 "a,0,1,m,1,100,1,40\nb,0,1,m,1,100,1,\n");
    std::string text = experiment("");
    text.replace(text.find("}}]"), 3, "}, durations: 2}]");
    run_sound(folder, text);
    const auto jobs = csv_rows(folder.read("out/run/jobs.csv"));
    CHECK(jobs[0].at("finish_s") == "80");
    CHECK(jobs[1].at("finish_s") == "200");
}

TEST_CASE("training: pods of a job do not train apart", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", "job,submit_s,gpus,model,batch_size,steps,step_s\na,0,2,m,1,100,1\n");
    CHECK(refused(folder, experiment(", gangs: false")) ==
          "gangs: false of jobs that train: each pod would do all steps of its job: expected "
          "gangs: true");
}

TEST_CASE("training: speeds depend on the machine type, and on how many servers it has", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "job,submit_s,gpus,model,batch_size,steps\n"
                 "one,0,1,m,8,60\napart,100,8,m,8,60\n");
    folder.write("speeds.csv",
                 "model,batch_size,gpus,steps_per_s,machine_type,consolidated\n"
                 "m,8,1,2,old,\nm,8,1,3,new,yes\n"
                 "m,8,8,6,,yes\nm,8,8,4,old,no\nm,8,8,1,,no\n");
    run_sound(folder, experiment(table));
    const auto jobs = csv_rows(folder.read("out/run/jobs.csv"));
    CHECK((jobs[0].at("steps_per_s") == "2" || jobs[0].at("steps_per_s") == "3"));
    CHECK(jobs[1].at("steps_per_s") == "1");  // the slower of the two servers
    CHECK(jobs[1].at("finish_s") == "160");
}

TEST_CASE("training: speeds between two numbers of GPUs are computed where it is asked", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", "job,submit_s,gpus,model,batch_size,steps\na,0,3,m,8,30\n");
    folder.write("speeds.csv", "model,batch_size,gpus,steps_per_s\nm,8,2,2\nm,8,4,4\n");
    run_sound(folder, experiment(", speeds: {file: speeds.csv, interpolate: true}"));
    CHECK(job_of(folder).at("finish_s") == "10");
    CHECK(refused(folder, experiment(table)) ==
          "speeds.csv has no row for m with batch_size 8 on gpus 3: expected one, or interpolate: "
          "true beside the name of the table");
}

TEST_CASE("training: wrong tables are refused with their line", "[cli]") {
    const Folder folder;
    write_growing_job(folder);
    const std::string head = "job,submit_s,gpus,model,batch_size,steps,samples,plan,step_s\n";
    const auto refused_job = [&](const std::string& row) {
        folder.write("jobs.csv", head + row + "\n");
        return refused(folder, experiment(table));
    };
    CHECK(refused_job("a,0,1,resnt,32,10,,,") ==
          "speeds.csv has no model 'resnt': expected resnet (did you mean 'resnet'?)");
    CHECK(refused_job("a,0,1,resnet,32,10,100,16@1,") ==
          "speeds.csv has no row for resnet with batch_size 16 on gpus 1: expected one");
    CHECK(refused_job("a,0,1,resnet,32,10,,64@1,") ==
          "plan: without the length of a pass '64@1': expected samples beside it");
    CHECK(refused_job("a,0,1,resnet,32,10,100,64@2 32@2,") ==
          "plan: no list of changes '64@2 32@2': expected BATCH_SIZE@EPOCH with later and later "
          "epochs, such as 20@11 40@21");
    CHECK(refused_job("a,0,1,resnet,32,0,,,") ==
          "steps: none '0': expected a whole number, at most 10^12");
    CHECK(refused_job("a,0,1,resnet,32,10,,,0") ==
          "step_s: no time of a step '0': expected seconds above 0 and at most 2 000 000");
    CHECK(refused_job("a,0,1,resnet,32,10,100,64@1,1") ==
          "step_s: one time for several batch sizes '1': expected a table of speeds, or no plan");
    folder.write("jobs.csv", head + "a,0,1,resnet,32,10,,,\n");
    CHECK(refused(folder, experiment("")) ==
          "it says no step_s, and there is no table of speeds: expected step_s, or a document with "
          "speeds: {file: FILE} beside the format");
    folder.write("speeds.csv", "model,batch_size,gpus,steps_per_s\nm,8,2,2\nm,8,2,4\n");
    CHECK(refused(folder, experiment(table)) ==
          "a second speed for the same job and place: expected one");
}

TEST_CASE("training: jobs written by hand are those of a trace", "[cli][leases]") {
    const Folder folder;
    write_growing_job(folder);
    folder.write("jobs.csv", folder.read("jobs.csv") + "b-0,1,2,m,8,100,,\nb-1,1,2,m,8,100,,\n");
    folder.write("speeds.csv", folder.read("speeds.csv") + "m,8,2,2\n");
    const std::string scheduler =
        GENERATE("", "  scheduler: {rounds: {policy: srtf, tick: 10s, launch: 2s}}\n");
    run_sound(folder, experiment(table, scheduler));
    const std::string of_trace = folder.read("out/run/jobs.csv");
    run_sound(folder,
              replaced(experiment("", scheduler),
                       "{trace: {format: training, file: jobs.csv}}",
                       "{pods: [{name: a, training: {model: resnet, batchSize: 32, steps: 1000, "
                       "samples: 3200, plan: 64@3, speeds: {file: speeds.csv}}}, {name: b, at: 1s, "
                       "count: 2, training: {model: m, gpus: 2, batchSize: 8, steps: 100, "
                       "stepTime: 500ms}}]}"));
    CHECK(folder.read("out/run/jobs.csv") == of_trace);
}

TEST_CASE("training: wrong jobs written by hand are refused where they stand", "[cli][bad-input]") {
    const Folder folder;
    write_growing_job(folder);
    using Row = std::pair<std::string, std::string>;
    const auto [training, message] = GENERATE(Catch::Generators::table<std::string, std::string>({
        Row{"{batchSize: 32, steps: 10, stepTime: 1s}", "model"},
        Row{"{model: m, batchSize: 32, steps: 10}",
            "expected stepTime, or speeds: {file: FILE}, in training"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s, speeds: {file: speeds.csv}}",
            "expected stepTime, or speeds: {file: FILE}, in training"},
        Row{"{model: m, batchSize: 32, steps: 10, speeds: {file: speeds.csv}}",
            "speeds.csv has no model 'm': expected resnet"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 0s}",
            "stepTime: no time of a step: expected seconds above 0"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s, plan: 64@3}",
            "plan: without the length of a pass: expected samples beside it"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s, samples: 64, plan: 64}",
            "expected BATCH_SIZE@EPOCH with later and later epochs"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s, samples: 64, plan: 64@3}",
            "stepTime: one time for several batch sizes"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s, batch: 3}", "unknown key 'batch'"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s}, type: gpu",
            "type beside training"},
        Row{"{model: m, batchSize: 32, steps: 10, stepTime: 1s}, lifetime: 1h",
            "lifetime beside training"},
        Row{"{model: m, batchSize: 32, steps: 1000000000000, stepTime: 20d}",
            "expected training of at most 146 years"},
    }));
    CAPTURE(training);
    CHECK_THAT(refused(folder,
                       replaced(experiment(""),
                                "{trace: {format: training, file: jobs.csv}}",
                                "{pods: [{name: a, training: " + training + "}]}")),
               Catch::Contains(message));
}
