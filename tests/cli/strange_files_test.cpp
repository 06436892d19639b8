// Files that are no documents: messages say what they are not, and show nothing of what is in them.

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string secret = "hunter2x";

/// What lies on machines and is nobody else's to read.
const std::map<std::string, std::string> files{
    {"shadow", "root:$6$" + secret + ":19000:0:99999:7:::\nuser:$6$" + secret + ":1:0:9:7:::\n"},
    {"key.pem", "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n"},
    {".env", "TOKEN=" + secret + "\n"},
    {"credentials", "[default]\nsecret_access_key = " + secret + "\n"},
    {"config.yaml", "password: " + secret + "\n" + secret + ": 1\nlist: [" + secret + ", 2]\n"},
    {"config.json", R"({"auth": ")" + secret + R"(", ")" + secret + R"(": {"a": 1}})"},
    {"word", secret + "\n"},
    {"broken.yaml", "a: [" + secret + "\nb: {" + secret + "\n"},
};

/// Where an experiment of a stranger's may name a file that is read as a document.
const std::vector<std::string> places{
    "  topology: {file: FILE}\n",
    "  topology: {nodes: {format: kubernetes, file: FILE}}\n",
    "  topology: {nodes: {format: slurm, file: FILE}}\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: {file: FILE}\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: [{running: {file: FILE}}]\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: [{groups: [{file: FILE}]}]\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: []\n  quotas: [{file: FILE}]\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: []\n  scheduler: {kueue: FILE}\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: []\n  devices: {file: FILE}\n",
    "  topology: {spec: {levels: [{name: server, count: 1}], capacity: {cpu: 1}}}\n"
    "  workload: []\n  providers: {file: FILE}\n",
};

}  // namespace

TEST_CASE("strange files: no message shows what is in a file that is no document",
          "[cli][bad-input]") {
    const Folder folder;
    for (const auto& [name, text] : files) {
        folder.write(name, text);
        for (const std::string& place : places) {
            folder.write("e.yaml",
                         "apiVersion: berth/v1\nkind: Experiment\nmetadata: {name: e}\nspec:\n" +
                             replaced(place, "FILE", name));
            for (const char* command : {"validate", "run"}) {
                const Answer answer = folder.berth({command, "e.yaml"});
                INFO(name << "\n" << place << answer.err);
                CHECK(answer.status == 2);
                CHECK(answer.err.find(secret) == std::string::npos);
            }
        }
        for (const std::vector<std::string>& command : {std::vector<std::string>{"run", name},
                                                        {"validate", name},
                                                        {"sweep", name},
                                                        {"topology", name}}) {
            const Answer answer = folder.berth(command);
            INFO(command[0] << " " << name << "\n" << answer.err);
            CHECK(answer.status == 2);
            CHECK(answer.err.find(secret) == std::string::npos);
        }
    }
}

TEST_CASE("strange files: what is wrong with a document is shown at its place",
          "[cli][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", "kind: Experiment\nspec: {topologie: 3}\n");
    CHECK_THAT(
        folder.berth({"run", "e.yaml"}).err,
        Catch::Contains("unknown key 'topologie'") && Catch::Contains("  spec: {topologie: 3}\n"));
}
