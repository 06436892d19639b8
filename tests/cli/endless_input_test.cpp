/// Endless inputs in place of everything that is read as a whole: refused with one line, in little
/// memory.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;
using Catch::Contains;
using Catch::StartsWith;

namespace {

namespace fs = std::filesystem;

/// What a command may use on an endless input; it needs most of that for itself.
Circumstances little() {
    Circumstances how;
    how.memory_bytes_max = std::uint64_t{300} << 20U;
    how.seconds_max = 10;
    return how;
}

Answer with_input(const Folder& folder, const Arguments& arguments, const std::string& input) {
    Circumstances how = little();
    how.input = input;
    return folder.berth(arguments, how);
}

std::string repeated(const std::string& line, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) {
        out += line;
    }
    return out;
}

void check_is_refused(const Answer& answer) {
    INFO(answer.err);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Contains(": error: ") && Contains(": expected "));
    CHECK(answer.err.find('\n') + 1 == answer.err.size());
}

}  // namespace

TEST_CASE("endless: a device in the place of a file is refused", "[cli][hostile]") {
    const Folder folder;
    folder.write("spec.yaml", sound_topology);
    for (const std::string device : {"/dev/zero", "/dev/urandom"}) {
        for (const Arguments& arguments :
             {Arguments{"validate", device},
              Arguments{"run", device, "-o", "o"},
              Arguments{"sweep", device, "-o", "o"},
              Arguments{"topology", device},
              Arguments{"workload", device},
              Arguments{"workload", device, "--from", "csv"},
              Arguments{"workload", device, "--from", "kubernetes"},
              Arguments{"workload", device, "--from", "swf", "--lenient"},
              Arguments{"candidates", device, "resources=VCPU:1"},
              Arguments{"plot", device, "-f", "scaling", "-o", "x.svg"}}) {
            CAPTURE(arguments);
            const Answer answer = folder.berth(arguments, little());
            check_is_refused(answer);
            CHECK_THAT(answer.first_line(), StartsWith(device));
        }
    }
}

TEST_CASE("endless: a device in the place of a file of an experiment is refused",
          "[cli][hostile]") {
    const Folder folder;
    for (const std::string& setting :
         std::vector<std::string>{"spec.topology={file: /dev/zero}",
                                  "spec.workload[0]={trace: {format: csv, file: /dev/zero}}",
                                  "spec.workload[0]={background: {file: /dev/zero}}",
                                  "spec.workload[1]={groups: [{file: /dev/zero, at: 0s}]}",
                                  "spec.workload=[{file: /dev/zero}]",
                                  "spec.workload[0]={running: {file: /dev/zero}}",
                                  "spec.quotas=[{file: /dev/zero}]",
                                  "spec.scheduler.kueue={file: /dev/zero}",
                                  "spec.scheduler.typicalPods={format: openb, file: /dev/zero}",
                                  "spec.devices=[{file: /dev/zero}]",
                                  "spec.failures={file: /dev/zero}"}) {
        CAPTURE(setting);
        folder.write("e.yaml", sound_experiment);
        const Answer answer =
            folder.berth({"run", "e.yaml", "-q", "-o", "o", "--set", setting}, little());
        INFO(answer.err);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Contains(": error: "));
        CHECK(answer.err.size() < 3000);
    }
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
}

TEST_CASE("endless: a pipe that only repeats itself is refused at its beginning",
          "[cli][hostile]") {
    const Folder folder;
    const std::size_t much = std::size_t{40} << 20U;
    for (const std::string line : {"y\n", "a: b\n", "name,submit\n"}) {
        const std::string input = repeated(line, much);
        for (const Arguments& arguments : {Arguments{"run", "-", "-o", "o"},
                                           Arguments{"sweep", "-", "-o", "o"},
                                           Arguments{"topology", "-"},
                                           Arguments{"workload", "-"},
                                           Arguments{"workload", "-", "--from", "csv"},
                                           Arguments{"validate", "-"}}) {
            CAPTURE(line, arguments);
            const Answer answer = with_input(folder, arguments, input);
            check_is_refused(answer);
            CHECK_THAT(answer.first_line(),
                       StartsWith("-: error: ") &&
                           Contains(line == "y\n" ? "begins with neither a document nor a table"
                                                  : "repeats its first line without end"));
        }
    }
    // Equal rows of a trace do not count as an endless repetition.
    CHECK_THAT(done(folder,
                    {"workload", "-", "--from", "jsonl"},
                    {.input = repeated("{\"submit\": 1, \"gpus\": 1}\n", 200'000)}),
               Contains("jobs"));
}

TEST_CASE("endless: bytes of no text are refused where they stand", "[cli][hostile]") {
    const Folder folder;
    CHECK(with_input(folder, {"validate", "-"}, std::string("kind: X\na: \0b\n", 13)).err ==
          "-: error: has the byte \\x00 in line 2, which no text has: expected UTF-8\n");
    folder.write("e.yaml",
                 std::string("\xFF\xFE"
                             "k\0i\0n\0d\0",
                             10));
    CHECK_THAT(folder.berth({"run", "e.yaml"}).err,
               StartsWith("e.yaml: error: is UTF-16 text: expected UTF-8, as iconv"));
}

TEST_CASE("endless: a request without an end is refused", "[cli][hostile]") {
    const Folder folder;
    for (const char* verb : {"allocate", "kube", "kueue", "place", "quota"}) {
        CAPTURE(verb);
        const Answer answer = with_input(
            folder, {verb, "--jsonl"}, "{}\n" + std::string(std::size_t{65} << 20U, ' '));
        check_is_refused(answer);
        CHECK(answer.err ==
              "-: error: a line of more than 64 MiB: expected one JSON request a "
              "line\n");
        CHECK(std::ranges::count(answer.out, '\n') == 1);  // requests that came before are answered
    }
}

TEST_CASE("endless: a device in the place of a file of a run is refused", "[cli][hostile]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run"});
    for (const std::string file :
         {"manifest.json", "summary.json", "pods.csv", "experiment.yaml"}) {
        const fs::path place = folder.path() / "run" / file;
        const std::string was = folder.read("run/" + file);
        fs::remove(place);
        fs::create_symlink("/dev/zero", place);
        for (const Arguments& arguments :
             {Arguments{"verify", "run"},
              Arguments{"report", "run", "-o", "r.html"},
              Arguments{"plot", "run", "-f", "wait-cdf", "-o", "x.csv"},
              Arguments{"compare", "run", "run"}}) {
            CAPTURE(file, arguments);
            const Answer answer = folder.berth(arguments, little());
            INFO(answer.err);
            CHECK((answer.status == 1 || answer.status == 2));
            CHECK_THAT(answer.err + answer.out, Contains(file));
        }
        fs::remove(place);
        folder.write("run/" + file, was);
    }
}

TEST_CASE("endless: standard input that is a folder", "[cli][bad-input]") {
    const Folder folder;
    for (const Arguments& arguments : {Arguments{"run", "-"},
                                       Arguments{"validate", "-"},
                                       Arguments{"topology", "-"},
                                       Arguments{"workload", "-"},
                                       Arguments{"workload", "-", "--from", "swf"},
                                       Arguments{"candidates", "-", "resources=VCPU:1"},
                                       Arguments{"place", "--jsonl"},
                                       Arguments{"candidates", "--jsonl"}}) {
        CAPTURE(arguments);
        const Answer answer = folder.berth(arguments, {.input_path = folder.path()});
        CHECK(answer.status == 2);
        CHECK(answer.err ==
              "-: error: cannot be read (is a directory): expected a readable file\n");
    }
}

TEST_CASE("endless: arrivals of which none is left are given up", "[cli][hostile]") {
    const Folder folder;
    folder.write("e.yaml", R"(kind: Experiment
metadata: {name: e}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 4}}}
  types: {t: {cpu: 1}}
  workload:
    - generate:
        name: night
        type: t
        count: 3
        service: {distribution: constant, value: 1m}
        arrivals: {distribution: constant, value: 1ns}
        diurnal: {amplitude: 1, peak: 12h}
)");
    const Answer answer = folder.berth({"run", "e.yaml", "-q", "-o", "o"});
    CHECK(answer.status == 2);
    CHECK_THAT(
        answer.err,
        Contains("generate night: error: diurnal and bursts leave none of 100000000 arrivals "
                 "that were drawn up to 0.1 s: expected fewer arrivals, or a time at which "
                 "some come"));
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
}

TEST_CASE("endless: candidates of many shared providers are not counted for ever",
          "[cli][hostile]") {
    const Folder folder;
    std::string providers = "kind: Providers\nproviders:\n";
    for (int n = 0; n < 40; ++n) {
        providers += "  - {name: s" + std::to_string(n) +
                     ", inventories: {DISK_GB: 9}, traits: [MISC_SHARES_VIA_AGGREGATE], "
                     "aggregates: [a]}\n";
    }
    providers +=
        "  - {name: x, inventories: {VCPU: 1}, aggregates: [a]}\n"
        "  - {name: y, inventories: {VCPU: 1}, aggregates: [a]}\n";
    folder.write("p.yaml", providers);
    std::string query = "group_policy=none";
    for (const char* group : {"A", "B", "C", "D", "E", "F"}) {
        query += std::string("&resources_") + group + "=DISK_GB:1";
    }
    const Answer answer = folder.berth({"candidates", "p.yaml", query, "--count"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Contains("error: too many candidates to count one by one"));
}
