// berth run, sweep and verify with --check-invariants.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using Catch::Matchers::Contains;

namespace {

/// The files of a run that must not depend on how it was made.
std::vector<std::string> files_of(const Folder& folder, const std::string& run) {
    std::vector<std::string> out;
    for (const std::string& name : folder.listing()) {
        const std::string file = name.starts_with(run + "/") ? name.substr(run.size() + 1) : "";
        if (!file.empty() && !file.ends_with("/") && file != "run.json") {
            out.push_back(file);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("invariants: ready experiments hold them, and their bytes are the same",
          "[cli][invariants]") {
    struct Ready {
        std::string file;
        std::vector<std::string> changes;
    };
    const std::vector<Ready> all{
        {"paper/worked-example.yaml", {}},
        {"paper/pack-rack-soft.yaml", {}},
        {"fgd/departures.yaml", {"spec.replications=1"}},
        {"fgd/gangs.yaml", {"spec.replications=1"}},
        {"devices/islands.yaml", {"spec.replications=1"}},
        {"providers/mixed-vms.yaml", {"spec.replications=1", "spec.until=10m"}},
        {"quota/lend-and-take-back.yaml", {}},
        {"quota/reclaim.yaml", {}},
        {"quota/worked-example.yaml", {}},
    };
    for (const Ready& ready : all) {
        CAPTURE(ready.file);
        const Folder folder;
        Arguments plain{"run", project_file("experiments/" + ready.file), "-o", "plain"};
        for (const std::string& change : ready.changes) {
            plain.insert(plain.end(), {"--set", change});
        }
        Arguments checked = plain;
        checked[3] = "checked";
        checked.emplace_back("--check-invariants");
        const std::string said = done(folder, plain);
        const Answer answer = folder.berth(checked);
        CHECK(answer.status == 0);
        CHECK_THAT(answer.err, Contains(": invariants hold after each of "));
        const std::vector<std::string> files = files_of(folder, "plain");
        CHECK(files_of(folder, "checked") == files);
        for (const std::string& file : files) {
            CAPTURE(file);
            CHECK(folder.read("plain/" + file) == folder.read("checked/" + file));
        }
    }
}

TEST_CASE("invariants: who asks is told how many events were checked", "[cli][invariants]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    const Answer plain = folder.berth({"run", "e.yaml", "-o", "plain"});
    CHECK(plain.err.find("invariants") == std::string::npos);
    const Answer answer = folder.berth({"run", "e.yaml", "-o", "run", "--check-invariants"});
    const std::size_t events = answer.out.find(" events in ");
    const std::size_t begin = answer.out.rfind(' ', events - 1) + 1;
    CHECK_THAT(answer.err,
               Contains("invariants hold after each of " +
                        answer.out.substr(begin, events - begin) + " events\n"));
    const Answer quiet = folder.berth({"run", "e.yaml", "-o", "run", "-q", "--check-invariants"});
    CHECK(quiet.err.find("invariants") == std::string::npos);

    CHECK_THAT(done(folder, {"verify", "run", "--check-invariants"}),
               Contains("run: invariants hold after each of "));
}

TEST_CASE("invariants: the points of a sweep are checked as they run", "[cli][invariants]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes:
    - {name: load, path: spec.workload[0].background.load, values: [0.1, 0.2]}
)");
    const Answer answer = folder.berth({"sweep", "s.yaml", "-o", "sweep", "--check-invariants"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, Contains("s: invariants hold after each of "));
    const Answer slurm = folder.berth({"sweep", "s.yaml", "--slurm", "--check-invariants"});
    CHECK(slurm.status == 2);
    CHECK(slurm.err ==
          "--slurm: error: cannot stand with --check-invariants: expected one of "
          "them\n");
}
