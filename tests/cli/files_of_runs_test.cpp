/// What exists at the place where a command writes: leftovers of others, links, and the work of two
/// commands at once.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

bool has(const std::vector<std::string>& listing, const std::string& name) {
    return std::ranges::find(listing, name) != listing.end();
}

void run_into(const Folder& folder, const std::string& place) {
    (void)done(folder, {"run", "e.yaml", "-q", "-o", place});
}

}  // namespace

TEST_CASE("files: closed standard streams put no message into a table", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    for (const std::string closed : {">&- 2>&-", "<&- >&- 2>&-"}) {
        CAPTURE(closed);
        const std::string command = "cd '" + folder.path().string() + "' && '" + berth_program() +
                                    "' run e.yaml -j 1 -o o " + closed;
        (void)std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
        if (fs::exists(folder.path() / "o")) {
            (void)done(folder, {"verify", "o"});
        }
    }
}

TEST_CASE("files: a run in the place of another keeps what its user put there", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    run_into(folder, "o");
    folder.write("o/notes.txt", "mine\n");
    folder.write("o/figures/a.svg", "drawn\n");
    (void)done(folder, {"report", "o"});
    run_into(folder, "o");
    CHECK(folder.read("o/notes.txt") == "mine\n");
    CHECK(folder.read("o/figures/a.svg") == "drawn\n");
    // The page showed the earlier run.
    CHECK_FALSE(fs::exists(folder.path() / "o/report.html"));
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
}

TEST_CASE("files: what a killed command left goes when the next one comes", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("o.tmp-abcdefgh2345/pods.csv", "half\n");
    folder.write("o.tmp-notes/mine.txt", "a folder of somebody's own\n");
    folder.write("x.csv.tmp-abcdefgh2345", "half\n");
    run_into(folder, "o");
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "x.csv"});
    const auto listing = folder.listing();
    CHECK_FALSE(has(listing, "o.tmp-abcdefgh2345/"));
    CHECK_FALSE(has(listing, "x.csv.tmp-abcdefgh2345"));
    CHECK(has(listing, "o.tmp-notes/mine.txt"));
}

TEST_CASE("files: a link stays a link, and what it points at is written", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    fs::create_directory(folder.path() / "disk");
    fs::create_symlink("disk/o", folder.path() / "link");
    fs::create_symlink("disk/x.csv", folder.path() / "x.csv");
    run_into(folder, "link");
    run_into(folder, "link");
    (void)done(folder, {"plot", "link", "-f", "wait-cdf", "-o", "x.csv"});
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(fs::is_symlink(folder.path() / "x.csv"));
    CHECK(fs::exists(folder.path() / "disk/o/pods.csv"));
    CHECK(fs::exists(folder.path() / "disk/x.csv"));
}

TEST_CASE("files: a sweep that was killed before it stood can be begun again", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    fs::create_directories(folder.path() / "s/points");
    folder.write("s/files.lock", "");
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "s"});
    SECTION("but not where somebody else's files are") {
        folder.write("other/points/a.csv", "1\n");
        const Answer answer = folder.berth({"sweep", "s.yaml", "-q", "-o", "other"});
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Catch::StartsWith("other: error: exists and is not a sweep"));
    }
}

TEST_CASE("files: sweeps that begin together on a new folder share it", "[cli][files]") {
    for (int turn = 0; turn < 8; ++turn) {
        const Folder folder;
        folder.write("e.yaml", sound_experiment);
        folder.write("s.yaml", sweep_of_two);
        const auto start = [&] {
            const pid_t process = ::fork();
            if (process == 0) {
                const int nowhere = ::open("/dev/null", O_WRONLY);
                if (::chdir(folder.path().c_str()) != 0 || ::dup2(nowhere, STDOUT_FILENO) < 0 ||
                    ::dup2(nowhere, STDERR_FILENO) < 0) {
                    ::_exit(126);
                }
                ::execl(berth_program(), "berth", "sweep", "s.yaml", "-q", "-o", "s", nullptr);
                ::_exit(127);
            }
            return process;
        };
        for (const pid_t process : {start(), start(), start(), start(), start()}) {
            int status = 0;
            ::waitpid(process, &status, 0);
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 0);
        }
        CHECK(fs::exists(folder.path() / "s/results.csv"));
    }
}

TEST_CASE("files: a figure in PDF is the same in every time zone", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    run_into(folder, "o");
    Circumstances east;
    east.variables = {"TZ=Asia/Kolkata"};
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "a.pdf"});
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "b.pdf"}, east);
    CHECK(folder.read("a.pdf") == folder.read("b.pdf"));
}

TEST_CASE("files: a figure does not depend on the options that the user gave Node.js",
          "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    run_into(folder, "o");
    Circumstances other;
    other.variables = {"NODE_OPTIONS=--stack-trace-limit=1"};
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "a.svg"});
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "b.svg"}, other);
    CHECK(folder.read("a.svg") == folder.read("b.svg"));
    other.variables = {"NODE_OPTIONS=--no-such-option"};
    (void)done(folder, {"plot", "o", "-f", "wait-cdf", "-o", "c.svg"}, other);
    CHECK(folder.read("a.svg") == folder.read("c.svg"));
}

TEST_CASE("files: a figure goes to what is no file as it is, and says when there is no room",
          "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    run_into(folder, "o");
    fs::create_symlink("/dev/full", folder.path() / "full.svg");
    const Answer answer = folder.berth({"plot", "o", "-f", "wait-cdf", "-o", "full.svg"});
    CHECK(answer.status == 1);
    CHECK(answer.err == "full.svg: error: No space left on device: expected room to write there\n");
    CHECK(fs::is_character_file("/dev/full"));
    CHECK(fs::is_symlink(folder.path() / "full.svg"));
    // Not even the script has room.
    Circumstances little;
    little.file_bytes_max = 8192;
    const Answer cut = folder.berth({"plot", "o", "-f", "cluster", "-o", "x.svg"}, little);
    CHECK(cut.status == 1);
    CHECK_THAT(cut.err, Catch::Contains("error: "));
    CHECK_FALSE(fs::exists(folder.path() / "x.svg"));
}
