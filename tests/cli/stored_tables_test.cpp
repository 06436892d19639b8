/// Tables in other forms than text: what is written, and that every reader gets the same from it.

#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"
#include "packed.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> row_tables{
    "gpu_time", "groups", "jobs", "pods", "timeseries", "failures", "mttf"};

/// Several replications, with names that are quoted, groups, and servers that fail.
std::string failing_experiment() {
    const std::string failing = replaced(sound_experiment,
                                         "  record:",
                                         "  failures: {random: [{name: 'power, \"main\"', level: "
                                         "server, mtbf: 5h, repair: 1h}]}\n  replications: 3\n"
                                         "  record:");
    return replaced(failing, "cpu: 16, ", "cpu: 16, nvidia.com/gpu: 2, ");
}

/// Runs it into a folder of each form: `text`, `zst`.
void run_in_all_forms(const Folder& folder, const std::string& experiment) {
    folder.write("e.yaml", experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "text/run"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "zst/run", "--compress", "zst"});
    // How long it took is told in pages too.
    folder.write("zst/run/run.json", folder.read("text/run/run.json"));
}

const std::vector<std::string> other_forms{"zst"};

}  // namespace

TEST_CASE("stored tables: packed ones stand in the place of the text", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, failing_experiment());
    for (const std::string& table : row_tables) {
        CAPTURE(table);
        CHECK(fs::exists(folder.path() / ("text/run/" + table + ".csv")));
        CHECK_FALSE(fs::exists(folder.path() / ("zst/run/" + table + ".csv")));
        CHECK(fs::exists(folder.path() / ("zst/run/" + table + ".csv.zst")));
    }
    for (const char* small : {"nodes.csv", "replications.csv", "summary.json", "manifest.json"}) {
        CHECK(folder.read(std::string("zst/run/") + small) ==
              folder.read(std::string("text/run/") + small));
    }
    // Rows come from several threads in another order, and the packed bytes do not tell.
    const std::string jobs = folder.read("zst/run/jobs.csv.zst");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o", "--compress", "zst", "-j", "3"});
    CHECK(folder.read("o/jobs.csv.zst") == jobs);
}

TEST_CASE("stored tables: commands answer the same from any form", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, failing_experiment());
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "other", "--set", "spec.types.small.cpu=6"});
    const std::vector<Arguments> commands{
        {"report", "run", "-o", "out.html"},
        {"compare", "run", "other", "-o", "out.json"},
        {"compare", "other", "run", "--pods", "9"},
        {"plot", "run", "--figure", "gantt", "-o", "out.csv"},
        {"plot", "run", "--figure", "timeseries", "-o", "out.csv"},
        {"plot", "run", "--figure", "outages", "-o", "out.csv"},
        {"export", "run", "--batsim", "-o", "out"},
        {"why", "run", "g"},
        {"verify", "run"},
    };
    // The run has the same name each time: pages and messages tell it.
    const auto answer = [&](const std::string& form, const Arguments& command) {
        fs::rename(folder.path() / form / "run", folder.path() / "run");
        std::string said = done(folder, command);
        fs::rename(folder.path() / "run", folder.path() / form / "run");
        for (const char* file : {"out.html", "out.json", "out.csv", "out/jobs.csv"}) {
            if (fs::exists(folder.path() / file)) {
                said += folder.read(file);
                fs::remove(folder.path() / file);
            }
        }
        return said;
    };
    for (const Arguments& command : commands) {
        const std::string expected = answer("text", command);
        for (const std::string& form : other_forms) {
            CAPTURE(command, form);
            CHECK((answer(form, command) == expected));
        }
    }
}

TEST_CASE("stored tables: what is cut short or damaged is named", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, sound_experiment);
    const std::string whole = folder.read("zst/run/pods.csv.zst");
    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 1;
    for (const std::string& bytes : {whole.substr(0, whole.size() - 1), flipped, std::string()}) {
        folder.write("zst/run/pods.csv.zst", bytes);
        CHECK_THAT(folder.berth({"report", "zst/run", "-o", "r.html"}).err,
                   Catch::Contains("zst/run: error: pods.csv.zst was changed since the run"));
        CHECK_THAT(folder.berth({"verify", "zst/run"}).out,
                   Catch::Contains("zst/run: pods.csv.zst was changed since the run\n"));
        fs::rename(folder.path() / "zst/run/manifest.json", folder.path() / "manifest.json");
        const Answer unchecked = folder.berth({"report", "zst/run", "-o", "r.html"});
        CHECK(unchecked.status == 2);
        CHECK_THAT(unchecked.err,
                   Catch::Contains("zst/run/pods.csv.zst: error: cut short or damaged ("));
        fs::rename(folder.path() / "manifest.json", folder.path() / "zst/run/manifest.json");
    }
}

TEST_CASE("stored tables: a table that users packed themselves is read", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, sound_experiment);
    const std::string jobs = folder.read("text/run/jobs.csv");
    folder.write("text/run/jobs.csv.zst", zstd(jobs));
    CHECK_THAT(done(folder, {"verify", "text/run"}), Catch::Contains("9 of 9 files match"));
    folder.write("text/run/jobs.csv.zst", "mine\n");  // the text goes first
    CHECK_THAT(done(folder, {"verify", "text/run"}), Catch::Contains("9 of 9 files match"));
    folder.write("text/run/jobs.csv.zst", zstd(jobs));
    fs::remove(folder.path() / "text/run/jobs.csv");
    CHECK_THAT(done(folder, {"verify", "text/run"}), Catch::Contains("9 of 9 files match"));
}

TEST_CASE("stored tables: a run in the place of another leaves none of its tables",
          "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    const std::vector<Arguments> forms{{}, {"--compress", "zst"}, {}};
    for (const Arguments& form : forms) {
        Arguments run{"run", "e.yaml", "-q", "-o", "run"};
        run.insert(run.end(), form.begin(), form.end());
        (void)done(folder, run);
        (void)done(folder, {"run", "e.yaml", "-q", "-o", "fresh" + std::to_string(form.size())});
        const auto listing = folder.listing();
        const bool packed = !form.empty();
        CHECK((std::ranges::find(listing, "run/pods.csv") == listing.end()) == packed);
        CHECK((std::ranges::find(listing, "run/pods.csv.zst") == listing.end()) != packed);
    }
}

TEST_CASE("stored tables: an interrupted run leaves nothing", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "until: 1h", "until: 10000d"));
    const Answer stopped = folder.berth({"run", "e.yaml", "-o", "o", "--compress", "zst"},
                                        {.meanwhile = [](int process) {
                                            ::usleep(300'000);
                                            ::kill(process, SIGINT);
                                        }});
    CHECK(stopped.status == 130);
    CHECK_THAT(stopped.err, Catch::Contains("interrupted: nothing was written"));
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
}

TEST_CASE("stored tables: a full disk is said, and nothing stays", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "until: 1h", "until: 30d"));
    const Answer full = folder.berth({"run", "e.yaml", "-q", "-o", "o", "--compress", "zst"},
                                     {.file_bytes_max = 20'000});
    CHECK(full.status == 1);
    CHECK_THAT(full.err, Catch::Contains(".csv.zst: error: File too large"));
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
}

TEST_CASE("stored tables: an unknown form is refused before anything is written", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    for (const Arguments& command : {Arguments{"run", "e.yaml"}, Arguments{"sweep", "s.yaml"}}) {
        Arguments wrong = command;
        wrong.insert(wrong.end(), {"--compress", "zstd"});
        const Answer answer = folder.berth(wrong);
        CHECK(answer.status == 2);
        CHECK(answer.err ==
              "--compress: error: found 'zstd': expected none or zst (did you mean 'zst'?)\n");
    }
    CHECK(folder.listing().size() == 2);
}

TEST_CASE("stored tables: a sweep packs those of its points", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "text"});
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "zst", "--compress", "zst"});
    CHECK(folder.read("zst/results.csv") == folder.read("text/results.csv"));
    const auto listing = folder.listing();
    CHECK(std::ranges::count_if(listing, [](const std::string& name) {
              return name.starts_with("zst/points/") && name.ends_with("/pods.csv.zst");
          }) == 2);
    CHECK(std::ranges::none_of(listing, [](const std::string& name) {
        return name.starts_with("zst/points/") && name.ends_with("/pods.csv");
    }));
    CHECK_THAT(done(folder, {"verify", "zst"}), Catch::Contains("2 of 2 points"));
}
