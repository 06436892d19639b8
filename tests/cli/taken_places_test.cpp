/// Users and other commands may put something where a run or a sweep writes, before it begins or
/// while it goes on. Neither that nor the results are lost.

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

/// Where a run is being written beside its place `o`; empty if none is.
fs::path being_written(const Folder& folder) {
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (entry.path().filename().string().starts_with("o.tmp-")) {
            return entry.path();
        }
    }
    return {};
}

bool is_being_written(const Folder& folder) {
    return !being_written(folder).empty();
}

/// Whether the run has begun with its files. Before that, its folder may not be locked yet.
bool has_begun(const Folder& folder) {
    const fs::path written = being_written(folder);
    std::error_code ended;
    return !written.empty() && !fs::is_empty(written, ended);
}

/// Runs e.yaml into `o`, and does something while the run goes on.
Answer run_while(const Folder& folder, const std::function<void()>& something) {
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 1000\n"));
    const auto meanwhile = [&](int process) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!has_begun(folder) && std::chrono::steady_clock::now() < give_up) {
        }
        ::kill(process, SIGSTOP);
        int status = 0;
        ::waitpid(process, &status, WUNTRACED);
        const bool goes_on = is_being_written(folder);
        something();
        ::kill(process, SIGCONT);
        REQUIRE(goes_on);
    };
    return folder.berth({"run", "e.yaml", "-o", "o"}, {.meanwhile = meanwhile});
}

void check_is_beside(const Folder& folder, const Answer& answer) {
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err,
               Catch::EndsWith("o: error: something else than a run was put there during the run, "
                               "and stays: the results are in o-2\n"));
    CHECK_THAT(done(folder, {"verify", "o-2"}), Contains("match manifest.json"));
    CHECK_FALSE(is_being_written(folder));
}

}  // namespace

TEST_CASE("taken places: a folder that its user makes during a run stays", "[cli][files]") {
    const Folder folder;
    const bool was_there = GENERATE(false, true);
    if (was_there) {
        fs::create_directory(folder.path() / "o");  // an empty one may be replaced
    }
    const Answer answer =
        run_while(folder, [&] { folder.write("o/thesis/chapter.txt", "years of work\n"); });
    check_is_beside(folder, answer);
    CHECK(folder.read("o/thesis/chapter.txt") == "years of work\n");
    CHECK_FALSE(fs::exists(folder.path() / "o/manifest.json"));
}

TEST_CASE("taken places: a file or a link that its user makes during a run stays", "[cli][files]") {
    const Folder folder;
    const Answer answer = run_while(folder, [&] { folder.write("o", "mine\n"); });
    check_is_beside(folder, answer);
    CHECK(folder.read("o") == "mine\n");
    SECTION("beside what is called o-2 already, too") {
        fs::remove(folder.path() / "o");
        const Answer again =
            run_while(folder, [&] { fs::create_directory_symlink("o-2", folder.path() / "o"); });
        CHECK(again.status == 1);
        CHECK_THAT(again.err, Contains("the results are in o-3\n"));
        CHECK(fs::is_symlink(folder.path() / "o"));
        (void)done(folder, {"verify", "o-3"});
    }
}

TEST_CASE("taken places: a run does not replace a sweep that began during it", "[cli][files]") {
    const Folder folder;
    const Answer answer = run_while(folder, [&] {
        folder.write("o/sweep.yaml", sweep_of_two);
        fs::create_directory(folder.path() / "o/points");
    });
    check_is_beside(folder, answer);
    CHECK(folder.read("o/sweep.yaml") == sweep_of_two);
}

TEST_CASE("taken places: a sweep and a run notice a run that is being written", "[cli][files]") {
    const Folder folder;
    folder.write("s.yaml", sweep_of_two);
    const Answer answer = run_while(folder, [&] {
        for (const Arguments& arguments :
             {Arguments{"sweep", "s.yaml", "-o", "o"}, Arguments{"run", "e.yaml", "-o", "o"}}) {
            const Answer other = folder.berth(arguments);
            CHECK(other.status == 2);
            CHECK_THAT(other.err,
                       Catch::StartsWith("o: error: a") &&
                           Contains("run is being written there: expected to wait until it is "
                                    "done, or another folder\n"));
        }
    });
    CHECK(answer.status == 0);
    (void)done(folder, {"verify", "o"});
}

TEST_CASE("taken places: what users put into a run directory while another run replaces it",
          "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    folder.write("o/figures/a.svg", "drawn\n");
    const Answer answer = run_while(folder, [&] {
        folder.write("o/notes.txt", "late\n");
        folder.write("o/figures/b.svg", "late\n");
        folder.write("o/report.html/mine.txt", "a folder with the name of the page\n");
        REQUIRE(::mkfifo((folder.path() / "o/pipe").c_str(), 0600) == 0);
    });
    INFO(answer.err);
    CHECK(answer.status == 0);
    CHECK(folder.read("o/notes.txt") == "late\n");
    CHECK(folder.read("o/figures/a.svg") == "drawn\n");
    CHECK(folder.read("o/figures/b.svg") == "late\n");
    CHECK(fs::exists(folder.path() / "o/report.html/mine.txt"));
    CHECK(fs::is_fifo(folder.path() / "o/pipe"));
    CHECK_THAT(done(folder, {"verify", "o"}), Contains("o: pipe is not of the run: not compared"));
}

TEST_CASE("taken places: a folder with the name of a run's file", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    fs::remove(folder.path() / "o/nodes.csv");
    SECTION("is refused before the run") {
        folder.write("o/nodes.csv/mine.txt", "mine\n");
        const Answer answer = folder.berth({"run", "e.yaml", "-q", "-o", "o"});
        CHECK(answer.status == 2);
        CHECK(answer.err ==
              "o/nodes.csv: error: is a folder where the run writes a file: expected it elsewhere, "
              "or another folder by -o\n");
    }
    SECTION("stays, if it came during the run") {
        check_is_beside(folder,
                        run_while(folder, [&] { folder.write("o/nodes.csv/mine.txt", "mine\n"); }));
    }
    CHECK(folder.read("o/nodes.csv/mine.txt") == "mine\n");
}

TEST_CASE("taken places: a folder of a user that contains a pipe stays as it is", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    folder.write("o/mine/deep/notes.txt", "mine\n");
    REQUIRE(::mkfifo((folder.path() / "o/mine/pipe").c_str(), 0600) == 0);
    fs::create_symlink("nowhere", folder.path() / "o/mine/link");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK(folder.read("o/mine/deep/notes.txt") == "mine\n");
    CHECK(fs::is_fifo(folder.path() / "o/mine/pipe"));
    CHECK(fs::read_symlink(folder.path() / "o/mine/link") == "nowhere");
}

TEST_CASE("taken places: a file of another user that cannot be read stays", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    Circumstances how;
    how.umask = 022;  // as root, the program runs as nobody
    fs::permissions(folder.path(), fs::perms::all);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"}, how);
    folder.write("o/mine.txt", "mine\n");
    fs::permissions(folder.path() / "o/mine.txt", fs::perms::none);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"}, how);
    CHECK(fs::file_size(folder.path() / "o/mine.txt") == 5);
}

TEST_CASE("taken places: a mount point is refused before the run begins", "[cli][files]") {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        WARN("this user may not mount folders, so that nothing was tested");
        return;
    }
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    const fs::path place = folder.path() / "o";
    fs::create_directories(folder.path() / "elsewhere");
    fs::create_directories(place);
    REQUIRE(
        ::mount((folder.path() / "elsewhere").c_str(), place.c_str(), nullptr, MS_BIND, nullptr) ==
        0);
    const Answer answer = folder.berth({"run", "e.yaml", "-q", "-o", "o"});
    CHECK(answer.status == 2);
    CHECK(answer.err ==
          "o: error: is a mount point, which a run cannot replace: expected a folder inside it, "
          "such as o/run\n");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o/run"});
    CHECK(::umount(place.c_str()) == 0);
    CHECK(fs::exists(folder.path() / "elsewhere/run/manifest.json"));
}

TEST_CASE("taken places: a sweep does not write into what is no file", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "s"});
    for (const std::string name : {"censored.csv",
                                   "points.csv",
                                   "results.csv",
                                   "results.sqlite",
                                   "sweep.yaml",
                                   "sweep-manifest.json"}) {
        CAPTURE(name);
        const fs::path path = folder.path() / "s" / name;
        const std::string was = folder.read("s/" + name);
        fs::remove(path);
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        const Answer answer =
            folder.berth({"sweep", "s.yaml", "-q", "-o", "s"}, {.seconds_max = 10});
        CHECK(answer.status == 2);
        CHECK(answer.err == "s/" + name +
                                ": error: is not a file, and the sweep writes one there: expected "
                                "it elsewhere, or another folder by -o\n");
        CHECK(fs::is_fifo(path));
        fs::remove(path);
        folder.write("s/" + name, was);
    }
}
