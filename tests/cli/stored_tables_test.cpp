/// Tables in other forms than text: what is written, and that every reader gets the same from them.

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

/// Several replications, with quoted names, groups, and servers that fail.
std::string failing_experiment() {
    const std::string failing = replaced(sound_experiment,
                                         "  record:",
                                         "  failures: {random: [{name: 'power, \"main\"', level: "
                                         "server, mtbf: 5h, repair: 1h}]}\n  replications: 3\n"
                                         "  record:");
    return replaced(failing, "cpu: 16, ", "cpu: 16, nvidia.com/gpu: 2, ");
}

/// A form of tables other than text.
struct Form {
    std::string name;
    std::string ending;  ///< Ending of the files, in place of `.csv`.
    Arguments options;
};
const std::vector<Form> other_forms{
    {"zst", ".csv.zst", {"--compress", "zst"}},
    {"arrow", ".arrow", {"--tables", "arrow"}},
    {"arrow-zst", ".arrow", {"--tables", "arrow", "--compress", "zst"}}};

Arguments with_form(Arguments command, const Form& form) {
    command.insert(command.end(), form.options.begin(), form.options.end());
    return command;
}

/// Runs an experiment into a folder for each form: `text` and the other forms.
void run_in_all_forms(const Folder& folder, const std::string& experiment) {
    folder.write("e.yaml", experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "text/run"});
    for (const Form& form : other_forms) {
        (void)done(folder, with_form({"run", "e.yaml", "-q", "-o", form.name + "/run"}, form));
        // The time that a run took appears on pages, too.
        folder.write(form.name + "/run/run.json", folder.read("text/run/run.json"));
    }
}

}  // namespace

TEST_CASE("stored tables: other forms stand in the place of the text", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, failing_experiment());
    for (const Form& form : other_forms) {
        const std::string run = form.name + "/run/";
        for (const std::string& table : row_tables) {
            CAPTURE(form.name, table);
            CHECK(fs::exists(folder.path() / ("text/run/" + table + ".csv")));
            CHECK_FALSE(fs::exists(folder.path() / (run + table + ".csv")));
            CHECK(fs::exists(folder.path() / (run + table + form.ending)));
        }
        for (const char* same :
             {"nodes.csv", "replications.csv", "summary.json", "manifest.json"}) {
            CHECK(folder.read(run + same) == folder.read(std::string("text/run/") + same));
        }
        // Several threads write rows in another order, but the bytes are the same.
        const std::string jobs = folder.read(run + "jobs" + form.ending);
        (void)done(folder, with_form({"run", "e.yaml", "-q", "-o", "o", "-j", "3"}, form));
        CHECK(folder.read("o/jobs" + form.ending) == jobs);
    }
    CHECK(folder.read("arrow/run/jobs.arrow").starts_with("ARROW1"));
    CHECK(fs::file_size(folder.path() / "arrow-zst/run/jobs.arrow") <
          fs::file_size(folder.path() / "arrow/run/jobs.arrow"));
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
    // The run has the same name each time, since pages and messages contain it.
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
        for (const Form& form : other_forms) {
            CAPTURE(command, form.name);
            CHECK((answer(form.name, command) == expected));
        }
    }
}

TEST_CASE("stored tables: what is cut short or damaged is named", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, sound_experiment);
    for (const Form& form : other_forms) {
        const std::string run = form.name + "/run";
        const std::string file = "pods" + form.ending;
        const std::string pods = run + "/" + file;
        const std::string whole = folder.read(pods);
        std::string flipped = whole;
        flipped[form.name == "zst" ? whole.size() / 2 : whole.size() - 8] ^= 1;
        for (const std::string& bytes :
             {whole.substr(0, whole.size() - 1), flipped, std::string()}) {
            folder.write(pods, bytes);
            CHECK_THAT(folder.berth({"report", run, "-o", "r.html"}).err,
                       Catch::Contains(run + ": error: " + file + " was changed since the run"));
            CHECK_THAT(folder.berth({"verify", run}).out,
                       Catch::Contains(run + ": " + file + " was changed since the run\n"));
            fs::rename(folder.path() / run / "manifest.json", folder.path() / "manifest.json");
            const Answer unchecked = folder.berth({"report", run, "-o", "r.html"});
            CHECK(unchecked.status == 2);
            CHECK_THAT(unchecked.err, Catch::Contains(pods + ": error: cut short or damaged ("));
            fs::rename(folder.path() / "manifest.json", folder.path() / run / "manifest.json");
        }
    }
}

TEST_CASE("stored tables: a table that users packed themselves is read", "[cli][stored]") {
    const Folder folder;
    run_in_all_forms(folder, sound_experiment);
    const std::string jobs = folder.read("text/run/jobs.csv");
    folder.write("text/run/jobs.csv.zst", zstd(jobs));
    CHECK_THAT(done(folder, {"verify", "text/run"}), Catch::Contains("9 of 9 files match"));
    folder.write("text/run/jobs.csv.zst", "mine\n");  // the text takes precedence
    const Answer other = folder.berth({"verify", "text/run"});
    CHECK(other.status == 1);
    CHECK_THAT(other.out,
               Catch::Contains("jobs.csv.zst is another table than jobs.csv\n") &&
                   Catch::Contains("9 of 9 files match"));
    folder.write("text/run/jobs.csv.zst", zstd(jobs));
    fs::remove(folder.path() / "text/run/jobs.csv");
    CHECK_THAT(done(folder, {"verify", "text/run"}), Catch::Contains("9 of 9 files match"));
}

TEST_CASE("stored tables: a run in the place of another leaves none of its tables",
          "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    const Form text{"text", ".csv", {}};
    for (const Form& form : {text, other_forms[0], other_forms[1], other_forms[0], text}) {
        CAPTURE(form.name);
        (void)done(folder, with_form({"run", "e.yaml", "-q", "-o", "run"}, form));
        std::vector<std::string> pods;
        for (const std::string& name : folder.listing()) {
            if (name.starts_with("run/pods.")) {
                pods.push_back(name);
            }
        }
        CHECK(pods == std::vector<std::string>{"run/pods" + form.ending});
    }
}

TEST_CASE("stored tables: an interrupted run leaves nothing", "[cli][stored]") {
    for (const Form& form : other_forms) {
        const Folder folder;
        folder.write("e.yaml", replaced(sound_experiment, "until: 1h", "until: 10000d"));
        const Answer stopped = folder.berth(with_form({"run", "e.yaml", "-o", "o"}, form),
                                            {.meanwhile = [](int process) {
                                                ::usleep(300'000);
                                                ::kill(process, SIGINT);
                                            }});
        CHECK(stopped.status == 130);
        CHECK_THAT(stopped.err, Catch::Contains("interrupted: nothing was written"));
        CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
    }
}

TEST_CASE("stored tables: a full disk is said, and nothing stays", "[cli][stored]") {
    for (const Form& form : other_forms) {
        const Folder folder;
        folder.write("e.yaml", replaced(sound_experiment, "until: 1h", "until: 30d"));
        const Answer full = folder.berth(with_form({"run", "e.yaml", "-q", "-o", "o"}, form),
                                         {.file_bytes_max = 20'000});
        CHECK(full.status == 1);
        CHECK_THAT(full.err, Catch::Contains(form.ending + ": error: File too large"));
        CHECK(folder.listing() == std::vector<std::string>{"e.yaml"});
    }
}

TEST_CASE("stored tables: an unknown form is refused before anything is written", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    for (const Arguments& command : {Arguments{"run", "e.yaml"}, Arguments{"sweep", "s.yaml"}}) {
        const auto refused = [&](const Arguments& options) {
            Arguments wrong = command;
            wrong.insert(wrong.end(), options.begin(), options.end());
            const Answer answer = folder.berth(wrong);
            CHECK(answer.status == 2);
            return answer.err;
        };
        CHECK(refused({"--compress", "zstd"}) ==
              "--compress: error: found 'zstd': expected none or zst (did you mean 'zst'?)\n");
        CHECK(refused({"--tables", "arow"}) ==
              "--tables: error: found 'arow': expected csv or arrow (did you mean 'arrow'?)\n");
    }
    CHECK(folder.listing().size() == 2);
}

TEST_CASE("stored tables: a sweep stores those of its points so", "[cli][stored]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "text"});
    for (const Form& form : other_forms) {
        (void)done(folder, with_form({"sweep", "s.yaml", "-q", "-o", form.name}, form));
        CHECK(folder.read(form.name + "/results.csv") == folder.read("text/results.csv"));
        const auto listing = folder.listing();
        const auto points_with = [&](const std::string& file) {
            return std::ranges::count_if(listing, [&](const std::string& name) {
                return name.starts_with(form.name + "/points/") && name.ends_with("/" + file);
            });
        };
        CHECK(points_with("pods" + form.ending) == 2);
        CHECK(points_with("pods.csv") == 0);
        CHECK_THAT(done(folder, {"verify", form.name}), Catch::Contains("2 of 2 points"));
    }
}

TEST_CASE("stored tables: amounts that no floating-point number holds are read as written",
          "[cli][stored]") {
    const Folder folder;
    const std::string vast = replaced(sound_experiment, "64Gi", "90P");
    run_in_all_forms(folder, replaced(vast, "8Gi", "9007199254740993"));
    CHECK_THAT(folder.read("text/run/jobs.csv"), Catch::Contains(",9007199254740993,"));
    for (const Form& form : other_forms) {
        CHECK_THAT(done(folder, {"verify", form.name + "/run"}),
                   Catch::Contains("9 of 9 files match"));
    }
}
