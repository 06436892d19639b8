/// `berth verify` checks every file that a run and a sweep leave: each file is removed, replaced,
/// and changed by a byte, and files are added.

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "documents.hpp"
#include "folder.hpp"
#include "packed.hpp"

using namespace berth::tests;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

/// One way in which a file differs from what was written.
struct Change {
    std::string what;
    void (*make)(const Folder& folder, const std::string& file);
};

void remove_it(const Folder& folder, const std::string& file) {
    fs::remove(folder.path() / file);
}

void exchange_it(const Folder& folder, const std::string& file) {
    folder.write(file, "something else\n");
}

void change_a_byte(const Folder& folder, const std::string& file) {
    std::string bytes = folder.read(file);
    // In a text, a digit, so that it remains a text of that kind; in other files, the middle byte.
    const std::size_t digit = bytes.find_last_of("0123456789");
    const bool is_text = bytes.find('\0') == std::string::npos && digit != std::string::npos;
    char& byte = bytes[is_text ? digit : bytes.size() / 2];
    byte = is_text ? (byte == '1' ? '2' : '1') : static_cast<char>(byte ^ 1);
    folder.write(file, bytes);
}

void make_a_folder(const Folder& folder, const std::string& file) {
    remove_it(folder, file);
    fs::create_directory(folder.path() / file);
}

void make_a_pipe(const Folder& folder, const std::string& file) {
    remove_it(folder, file);
    REQUIRE(::mkfifo((folder.path() / file).c_str(), 0600) == 0);
}

const std::vector<Change> changes{{"removed", &remove_it},
                                  {"exchanged", &exchange_it},
                                  {"changed by a byte", &change_a_byte},
                                  {"a folder", &make_a_folder},
                                  {"a pipe", &make_a_pipe}};

/// Makes each change to a file, runs verify, and restores the file. Status 2 is for folders that no
/// longer belong to a run or a sweep.
void check_is_noticed(const Folder& folder,
                      const std::string& directory,
                      const std::string& file,
                      const std::set<std::string>& left_out = {}) {
    const std::string was = folder.read(file);
    std::string name = fs::path(file).filename();
    if (const std::size_t form = std::min(name.find(".csv.zst"), name.find(".arrow"));
        form != std::string::npos) {
        name = name.substr(0, form) + ".";  // a missing file is named by its text form, `jobs.csv`
    }
    for (const Change& change : changes) {
        if (left_out.contains(change.what)) {
            continue;
        }
        CAPTURE(file, change.what);
        change.make(folder, file);
        const Answer answer = folder.berth({"verify", directory});
        INFO(answer.out << answer.err);
        CHECK((answer.status == 1 || (answer.status == 2 && answer.out.empty())));
        CHECK_THAT(answer.out + answer.err, Contains(name));
        fs::remove(folder.path() / file);
        folder.write(file, was);
    }
    const Answer again = folder.berth({"verify", directory});
    INFO(again.out << again.err);
    CHECK(again.status == 0);
}

std::vector<std::string> files_below(const Folder& folder, const std::string& below) {
    std::vector<std::string> files;
    for (const std::string& name : folder.listing()) {
        if (name.starts_with(below) && !name.ends_with('/')) {
            files.push_back(name);
        }
    }
    return files;
}

}  // namespace

TEST_CASE("verify: each file of a run is looked at", "[cli][verify]") {
    const Arguments form = GENERATE(Arguments{}, Arguments{"--compress", "zst"});
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    Arguments run{"run", "e.yaml", "-q", "-o", "run"};
    run.insert(run.end(), form.begin(), form.end());
    (void)done(folder, run);
    const auto files = files_below(folder, "run/");
    CHECK(files.size() == 11);
    for (const std::string& file : files) {
        // The cost of a run is different each time: only its presence is checked.
        check_is_noticed(folder,
                         "run",
                         file,
                         file == "run/run.json"
                             ? std::set<std::string>{"exchanged", "changed by a byte"}
                             : std::set<std::string>());
    }
}

TEST_CASE("verify: a byte of an Arrow file that changes the table is noticed", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run", "--tables", "arrow"});
    for (const std::string& file : files_below(folder, "run/")) {
        if (file.ends_with(".arrow")) {
            check_is_noticed(folder, "run", file, {"changed by a byte"});
        }
    }
    folder.write("run/pods.arrow", replaced(folder.read("run/pods.arrow"), "g-0g-1", "g-9g-1"));
    CHECK_THAT(folder.berth({"verify", "run"}).out,
               Contains("run: pods.arrow was changed since the run\n"));
}

TEST_CASE("verify: what is in the folder of a run besides is named", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run"});
    (void)done(folder, {"report", "run"});
    CHECK(done(folder, {"verify", "run"}).find("not of the run") == std::string::npos);
    folder.write("run/notes.txt", "mine\n");
    folder.write("run/figures/waits.svg", "");
    CHECK_THAT(done(folder, {"verify", "run"}),
               Contains("run: figures/ is not of the run: not compared\n"
                        "run: notes.txt is not of the run: not compared\n"
                        "run: 9 of 9 files match manifest.json\n"));

    // A table that berth would read as one of the run's.
    for (const std::string table : {"evictions.csv", "evictions.csv.zst"}) {
        folder.write("run/" + table,
                     table.ends_with("zst") ? zstd("replication\n") : "replication\n");
        const Answer added = folder.berth({"verify", "run"});
        CHECK(added.status == 1);
        CHECK_THAT(added.out, Contains("run: " + table + " was not written by the run\n"));
        CHECK_THAT(folder.berth({"report", "run", "-o", "r.html"}).err,
                   Contains("run: error: " + table + " was not written by the run"));
        fs::remove(folder.path() / "run" / table);
    }
}

TEST_CASE("verify: each file of a sweep and of its points is looked at", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    for (const std::string& file : files_below(folder, "sweep/")) {
        check_is_noticed(folder,
                         "sweep",
                         file,
                         file.ends_with("run.json")
                             ? std::set<std::string>{"exchanged", "changed by a byte"}
                             : std::set<std::string>());
    }
    // A byte anywhere in the database, even where there is no row.
    const std::string database = folder.read("sweep/results.sqlite");
    for (std::size_t at = 0; at < database.size(); at += database.size() / 12) {
        std::string changed = database;
        changed[at] ^= 1;
        folder.write("sweep/results.sqlite", changed);
        const Answer answer = folder.berth({"verify", "sweep"});
        CAPTURE(at);
        CHECK(answer.status == 1);
        CHECK_THAT(answer.out, Contains("sweep: results.sqlite "));
    }
    folder.write("sweep/results.sqlite", database);
    CHECK(folder.berth({"verify", "sweep"}).status == 0);
}

TEST_CASE("verify: a sweep without a manifest is held against its points", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    fs::remove(folder.path() / "sweep/sweep-manifest.json");
    const Answer missing = folder.berth({"verify", "sweep"});
    CHECK(missing.status == 1);
    CHECK_THAT(
        missing.out,
        Contains("sweep: sweep-manifest.json is missing: berth sweep --collect writes it\n"));
    folder.write("sweep/results.sqlite", folder.read("sweep/results.sqlite").substr(0, 5000));
    folder.write("sweep/censored.csv", folder.read("sweep/censored.csv") + "0,0,wait_s_mean,1,0\n");
    CHECK_THAT(folder.berth({"verify", "sweep"}).out,
               Contains("sweep: censored.csv does not have the rows of its points\n"
                        "sweep: results.sqlite is damaged ("));
    (void)done(folder, {"sweep", "sweep", "--collect", "-q"});
    CHECK(folder.berth({"verify", "sweep"}).status == 0);
}

TEST_CASE("verify: points that are gone, and what is in the folder of a sweep besides",
          "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    (void)done(folder, {"report", "sweep"});
    CHECK(done(folder, {"verify", "sweep"}).find("not of the sweep") == std::string::npos);
    std::string key;
    for (const auto& entry : fs::directory_iterator(folder.path() / "sweep/points")) {
        key = entry.path().filename();
    }
    folder.write("sweep/notes.txt", "");
    folder.write("sweep/points/mine/notes.txt", "");
    folder.write("sweep/points/" + key + "/notes.txt", "");
    CHECK_THAT(done(folder, {"verify", "sweep"}),
               Contains("sweep: notes.txt is not of the sweep: not compared\n"
                        "sweep: points/mine/ is not of the sweep: not compared\n"
                        "sweep: points/" +
                        key + "/notes.txt is not of the sweep: not compared\n"));
    fs::remove_all(folder.path() / "sweep/points" / key);
    const Answer gone = folder.berth({"verify", "sweep"});
    CHECK(gone.status == 1);
    CHECK_THAT(gone.out, Contains("): points/" + key + " is missing\n"));
}

TEST_CASE("verify: a manifest that tells another story than its files is noticed",
          "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run"});
    const std::string manifest = folder.read("run/manifest.json");
    auto shorter = nlohmann::ordered_json::parse(manifest);
    shorter["files"].erase("pods.csv");
    for (const std::string& other : {manifest + " ", shorter.dump(2) + "\n"}) {
        folder.write("run/manifest.json", other);
        const Answer answer = folder.berth({"verify", "run"});
        CHECK(answer.status == 1);
        CHECK_THAT(answer.out, Contains("run: recomputed: "));
    }
}

TEST_CASE("verify: a point that holds another point's run is named", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    const fs::path points = folder.path() / "sweep/points";
    std::vector<fs::path> both;
    for (const auto& entry : fs::directory_iterator(points)) {
        both.push_back(entry.path());
    }
    REQUIRE(both.size() == 2);
    fs::rename(both[0], points / "other");
    fs::rename(both[1], both[0]);
    fs::rename(points / "other", both[1]);
    (void)done(folder, {"sweep", "sweep", "--collect", "-q"});
    const Answer answer = folder.berth({"verify", "sweep"});
    CHECK(answer.status == 1);
    CHECK_THAT(
        answer.out,
        Contains("points/" + both[0].filename().string() + " holds another experiment's run"));
}

TEST_CASE("verify: a sweep whose points are equal", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml",
                 "apiVersion: berth/v1\nkind: Sweep\nmetadata: {name: s}\nspec:\n"
                 "  experiment: {file: e.yaml}\n"
                 "  axes: [{name: v, variants: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}}]\n");
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    CHECK_THAT(done(folder, {"verify", "sweep", "-j", "6"}),
               Contains("6 of 6 points are finished; recomputing matches their manifests"));
}

TEST_CASE("verify: what SQLite would read along with a sweep's database is named",
          "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    folder.write("sweep/results.sqlite-wal", "another story");
    const Answer answer = folder.berth({"verify", "sweep"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.out,
               Contains("results.sqlite-wal was added: SQLite reads it with results.sqlite"));
}

TEST_CASE("verify: a sweep whose points' tables were packed later is whole", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    for (const auto& entry : fs::directory_iterator(folder.path() / "sweep/points")) {
        const std::string file =
            "sweep/points/" + entry.path().filename().string() + "/replications.csv";
        folder.write(file + ".zst", zstd(folder.read(file)));
        fs::remove(folder.path() / file);
    }
    CHECK_THAT(done(folder, {"verify", "sweep"}), Contains("all files are as they were written"));
    (void)done(folder, {"report", "sweep"});
}

TEST_CASE("verify: a file of a point that cannot be read hides no other", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    std::vector<std::string> keys;
    for (const auto& entry : fs::directory_iterator(folder.path() / "sweep/points")) {
        keys.push_back(entry.path().filename());
    }
    make_a_folder(folder, "sweep/points/" + keys[0] + "/experiment.yaml");
    folder.write("sweep/points/" + keys[1] + "/jobs.csv", "else\n");
    const Answer answer = folder.berth({"verify", "sweep"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.out, Contains("jobs.csv was changed since the run"));
    CHECK_THAT(answer.out, Contains("experiment.yaml"));
}

TEST_CASE("verify: a point's table that is another file is blamed", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    for (const std::string content : {"one\nb\nc\n", "", "seed,other\n1,2\n", "a,b,c\n1,2,3\n"}) {
        for (const auto& entry : fs::directory_iterator(folder.path() / "sweep/points")) {
            folder.write(fs::relative(entry.path(), folder.path()).string() + "/replications.csv",
                         content);
        }
        const Answer answer = folder.berth({"verify", "sweep"});
        CHECK(answer.status == 1);
        CHECK_THAT(answer.out, Contains("replications.csv was changed since the run"));
    }
}

TEST_CASE("verify: each missing file is named, and no other", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    for (const std::string& file : files_below(folder, "sweep/")) {
        const std::string was = folder.read(file);
        const std::string name = fs::path(file).filename();
        fs::remove(folder.path() / file);
        const Answer answer = folder.berth({"verify", "sweep"});
        CAPTURE(file, answer.out);
        CHECK(answer.status == 1);
        CHECK_THAT(answer.out, Contains(name + " is missing"));
        CHECK((name == "sweep-manifest.json" ||
               answer.out.find("sweep-manifest.json was changed") == std::string::npos));
        folder.write(file, was);
    }
}

TEST_CASE("verify: a pipe in a folder is named, and nobody waits for it", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    const std::string point =
        "points/" +
        fs::directory_iterator(folder.path() / "sweep/points")->path().filename().string();
    for (const std::string& name :
         {std::string("pipe"), point + "/pipe", std::string("points/pipe")}) {
        const fs::path path = folder.path() / "sweep" / name;
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        CHECK_THAT(done(folder, {"verify", "sweep"}),
                   Contains("sweep: " + name + " is not of the sweep: not compared\n"));
        fs::remove(path);
    }
    const std::string experiment = "sweep/" + point + "/experiment.yaml";
    make_a_pipe(folder, experiment);
    CHECK_THAT(folder.berth({"verify", "sweep"}).out,
               !Contains("sweep.yaml cannot be read") && !Contains("points.csv"));
    fs::remove(folder.path() / experiment);
}

TEST_CASE("verify: a pipe beside a database that has changed", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    change_a_byte(folder, "sweep/results.sqlite");
    for (const std::string name : {"results.sqlite-wal", "results.sqlite-journal"}) {
        REQUIRE(::mkfifo((folder.path() / "sweep" / name).c_str(), 0600) == 0);
        const Answer answer = folder.berth({"verify", "sweep"});
        CHECK(answer.status == 1);
        CHECK_THAT(answer.out, Contains(name + " was added"));
        fs::remove(folder.path() / "sweep" / name);
    }
}

TEST_CASE("verify: results with the same values in other bytes are named", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    folder.write("sweep/results.csv",
                 replaced(folder.read("sweep/results.csv"), "\n4,", "\n\"4\","));
    fs::remove(folder.path() / "sweep/sweep-manifest.json");
    const Answer answer = folder.berth({"verify", "sweep"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.out,
               Contains("results.csv has the values of its points, but not the same bytes\n"));
}

TEST_CASE("verify: the folder for temporary files is blamed for what is wrong with it",
          "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run"});
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    const std::string directory = GENERATE("run", "sweep");
    CAPTURE(directory);
    SECTION("it is missing") {
        const Answer answer =
            folder.berth({"verify", directory}, {.variables = {"TMPDIR=/no/tmp"}});
        CHECK(answer.status == 2);
        CHECK(answer.err ==
              "TMPDIR: error: '/no/tmp': No such file or directory: expected a folder\n");
    }
    SECTION("it is full") {
        const Answer answer = folder.berth({"verify", directory},
                                           {.file_bytes_max = 1'000, .variables = {"TMPDIR=/tmp"}});
        CHECK(answer.status == 1);
        CHECK(answer.err == "/tmp: error: File too large: expected room to write there\n");
        CHECK(answer.out.find("point") == std::string::npos);
    }
}
