// Files that are not documents: messages say what they are not, and show none of their content.

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string secret = "hunter2x";

/// Files that exist on machines and are not meant for others.
const std::map<std::string, std::string> files{
    {"shadow", "root:$6$" + secret + ":19000:0:99999:7:::\nuser:$6$" + secret + ":1:0:9:7:::\n"},
    {"key.pem", "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n"},
    {".env", "TOKEN=" + secret + "\n"},
    {"credentials", "[default]\nsecret_access_key = " + secret + "\n"},
    {"config.yaml", "password: " + secret + "\n" + secret + ": 1\nlist: [" + secret + ", 2]\n"},
    {"config.json", R"({"auth": ")" + secret + R"(", ")" + secret + R"(": {"a": 1}})"},
    {"word", secret + "\n"},
    {"blank", "\n" + secret + "\n"},
    {"broken.yaml", "a: [" + secret + "\nb: {" + secret + "\n"},
};

const std::string one_server =
    "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: host}],\n"
    "                    machineTypes: {host: {capacity: {cpu: 1}}}}}\n";

/// Where a foreign experiment may name a file.
const std::vector<std::string> places{
    "  topology: {file: FILE}\n  workload: []\n",
    "  topology: {nodes: {format: kubernetes, file: FILE}}\n  workload: []\n",
    "  topology: {nodes: {format: slurm, file: FILE}}\n  workload: []\n",
    "  topology: {nodes: {format: openb, file: FILE}}\n  workload: []\n",
    "  topology: {nodes: {format: spot, file: FILE}}\n  workload: []\n",
    one_server + "  workload: [{file: FILE}]\n",
    one_server + "  workload: [{running: {file: FILE}}]\n",
    one_server + "  workload: [{running: {file: FILE, format: slurm}}]\n",
    one_server + "  workload: [{groups: [{file: FILE, at: 0s}]}]\n",
    one_server + "  workload: [{background: {file: FILE}}]\n",
    one_server + "  workload: []\n  quotas: [{file: FILE}]\n",
    one_server + "  workload: []\n  scheduler: {kueue: FILE}\n",
    one_server + "  workload: []\n  devices: [{file: FILE}]\n",
    one_server + "  workload: []\n  failures: {file: FILE}\n",
    one_server +
        "  workload: []\n"
        "  scheduler: {profile: {reserve: [gpu-sharing]}, "
        "typicalPods: {format: openb, file: FILE}}\n",
};

/// Checks that the message of a command names the file, and shows none of its content.
void check_shows_nothing(const Folder& folder,
                         const std::vector<std::string>& command,
                         const std::string& file) {
    const Answer answer = folder.berth(command);
    INFO(command[0] << " " << command[1] << " " << file << "\n" << answer.err);
    // Any object can be a job; this one has no times and asks for nothing.
    if (answer.status != 0 || file != "config.json") {
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err,
                   Catch::Contains(file + ":") || Catch::Contains(file + " has no jobs"));
    }
    CHECK((answer.err + answer.out).find(secret) == std::string::npos);
}

std::string experiment_of(const std::string& spec) {
    return "apiVersion: berth/v1\nkind: Experiment\nmetadata: {name: e}\nspec:\n" + spec;
}

}  // namespace

TEST_CASE("strange files: no message shows what is in a file that is no document",
          "[cli][bad-input]") {
    const Folder folder;
    for (const auto& [name, text] : files) {
        folder.write(name, text);
        for (const std::string& place : places) {
            folder.write("e.yaml", experiment_of(replaced(place, "FILE", name)));
            for (const char* command : {"validate", "run"}) {
                CAPTURE(place);
                check_shows_nothing(folder, {command, "e.yaml"}, name);
            }
        }
        for (const char* command : {"run", "validate", "sweep", "topology", "workload"}) {
            check_shows_nothing(folder, {command, name}, name);
        }
    }
}

TEST_CASE("strange files: no message shows what is in a file that is no trace",
          "[cli][bad-input]") {
    const Folder folder;
    for (const auto& [name, text] : files) {
        folder.write(name, text);
        for (const char* format : {"acme",
                                   "csv",
                                   "dlrm",
                                   "helios",
                                   "jsonl",
                                   "kubernetes",
                                   "kueue",
                                   "openb",
                                   "philly",
                                   "sacct",
                                   "scontrol",
                                   "swf"}) {
            for (const char* lenient : {"", ", lenient: true"}) {
                CAPTURE(format, lenient);
                folder.write("e.yaml",
                             experiment_of(one_server + "  workload: [{trace: {format: " + format +
                                           ", file: " + name + lenient + "}}]\n"));
                check_shows_nothing(folder, {"run", "e.yaml"}, name);
                check_shows_nothing(folder, {"validate", "e.yaml"}, name);
            }
            check_shows_nothing(folder, {"workload", name, "--from", format}, name);
            check_shows_nothing(folder, {"workload", name, "--from", format, "--check"}, name);
        }
        folder.write("e.yaml",
                     experiment_of(one_server + "  workload: [{trace: {format: csv, file: " + name +
                                   ", columns: {submit: root, gpus: x}}}]\n"));
        check_shows_nothing(folder, {"run", "e.yaml"}, name);
    }
}

TEST_CASE("strange files: no message shows what lies in the place of a result",
          "[cli][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "s"});
    const std::vector<std::vector<std::string>> commands{
        {"report", "o", "-o", "x.html"},
        {"compare", "o", "o"},
        {"plot", "o", "-f", "wait-cdf", "-o", "x.csv"},
        {"plot", "o", "-f", "cluster", "-o", "x.csv"},
        {"export", "o", "--batsim", "-o", "x"},
        {"verify", "o"},
        {"why", "o", "no-such-pod"},
        {"run", "o/experiment.yaml", "-q", "-o", "x"},
        {"report", "s", "-o", "x.html"},
        {"compare", "s", "s"},
        {"verify", "s"},
        {"sweep", "s/sweep.yaml", "-q", "-o", "x"},
        {"plot", "s", "-f", "heatmap", "-o", "x.csv"},
    };
    int said = 0;
    for (const std::string& file : folder.listing()) {
        if (file.ends_with('/') || file.find('/') == std::string::npos) {
            continue;
        }
        const std::string before = folder.read(file);
        for (const auto& [name, text] : files) {
            folder.write(file, text);
            for (const auto& command : commands) {
                const Answer answer = folder.berth(command);
                INFO(command[0] << " " << command[1] << " " << file << " " << name << "\n"
                                << answer.err);
                CHECK(answer.status <= 2);
                CHECK((answer.err + answer.out).find(secret) == std::string::npos);
                said += answer.err.find(file) != std::string::npos ? 1 : 0;
            }
        }
        folder.write(file, before);
    }
    CHECK(said > 100);
}

TEST_CASE("strange files: a name that a spreadsheet takes for a formula stays as it is",
          "[cli][security]") {
    const Folder folder;
    folder.write("jobs.csv", "name,user,submit,run_time,cpu\n=1+1,@host,0,5,1\n-x,+y,1,5,1\n");
    folder.write(
        "e.yaml",
        experiment_of(one_server + "  workload: [{trace: {format: csv, file: jobs.csv}}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK_THAT(folder.read("o/jobs.csv"),
               Catch::Contains("\n0,=1+1,@host,") && Catch::Contains("\n0,-x,+y,"));
}

TEST_CASE("strange files: what is wrong with a document is shown at its place",
          "[cli][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", "kind: Experiment\nspec: {topologie: 3}\n");
    CHECK_THAT(
        folder.berth({"run", "e.yaml"}).err,
        Catch::Contains("unknown key 'topologie'") && Catch::Contains("  spec: {topologie: 3}\n"));
}
