// What a sweep finds in its folder, and leaves there.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "folder.hpp"
#include "sweeps.hpp"
#include "tests/support/dice.hpp"

using namespace berth::tests;

TEST_CASE("sweep: a full disk loses nothing that is finished", "[cli][sweep][failure]") {
    const Folder folder;
    write_inputs(folder);
    points_now(folder, {"-o", "whole"});
    const Answer answer =
        folder.berth({"sweep", "sweep.yaml", "-j", "1"}, {.file_bytes_max = 9'000});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err, Catch::Contains(": error: File too large: expected "));
    CHECK_THAT(answer.err,
               Catch::StartsWith("s: stopped: finished points stay, and the same command goes on"));
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 2);
    for (const std::string& name : points_in(folder, "s")) {
        CHECK(name.find('.') == std::string::npos);
        done(folder, {"report", "out/s/points/" + name, "-o", "r.html"});
    }
    points_now(folder);
    CHECK(folder.read("out/s/results.csv") == folder.read("whole/results.csv"));
}

TEST_CASE("sweep: what its user put into its folder stays, and its own leftovers go",
          "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    (void)points_now(folder);
    const std::string key = points_in(folder, "s").front();
    const std::vector<std::string> kept{"notes.tmp-1",
                                        "notes.csv.tmp-abcdefgh2345",
                                        "results.csv.tmp-mine",
                                        "points/notes.txt",
                                        "points/.notes",
                                        "points/notes.lock",
                                        "points/my.notes/a.txt",
                                        "points/" + key + ".bak/a.txt",
                                        "points/" + key + ".tmp-1/a.txt"};
    const std::vector<std::string> gone{"results.csv.tmp-abcdefgh2345",
                                        "sweep-manifest.json.tmp-abcdefgh2345",
                                        "points/" + key + ".lock",
                                        "points/" + key + ".before-abcdefgh2345/a.txt",
                                        "points/" + key + ".tmp-abcdefgh2345/a.txt"};
    for (const auto& files : {kept, gone}) {
        for (const std::string& file : files) {
            folder.write("out/s/" + file, "half\n");
        }
    }
    (void)done(folder, {"sweep", "out/s", "--collect", "-q"});
    const auto is_there = [&](const std::string& file) {
        return std::filesystem::exists(folder.path() / "out/s" / file);
    };
    for (const std::string& file : kept) {
        CHECK(std::pair(file, is_there(file)) == std::pair(file, true));
    }
    for (const std::string& file : gone) {
        CHECK(std::pair(file, is_there(file)) == std::pair(file, false));
    }
}

TEST_CASE("sweep: what is in the place of a point is replaced if it is an empty folder, or named",
          "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    (void)points_now(folder);
    const std::string results = folder.read("out/s/results.csv");
    const std::filesystem::path point =
        folder.path() / "out/s/points" / points_in(folder, "s").front();
    std::filesystem::remove_all(point);
    std::filesystem::create_directory(point);
    (void)done(folder, {"sweep", "out/s", "--collect", "-q"});
    CHECK(folder.read("out/s/results.csv") != results);
    (void)points_now(folder);
    CHECK(folder.read("out/s/results.csv") == results);

    std::filesystem::remove_all(point);
    const std::string name = "out/s/points/" + point.filename().string();
    const auto is_named = [&] {
        const Answer answer = folder.berth({"sweep", "sweep.yaml", "-o", "out/s", "-q"});
        CHECK(answer.status == 2);
        CHECK(answer.err ==
              name +
                  ": error: is no result of a point, and the sweep writes one there: expected "
                  "it elsewhere, or another folder of the sweep by -o\n");
    };
    folder.write(name + "/notes.txt", "mine\n");
    is_named();
    CHECK(folder.read(name + "/notes.txt") == "mine\n");
    std::filesystem::remove_all(point);
    folder.write(name, "mine\n");
    is_named();
}

TEST_CASE("sweep: two processes share a folder, and each point is computed once", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder, replaced(base_sweep, "30s, 1m, 2m", "1m, 2m, 3m, 4m, 5m, 6m, 7m, 8m"));
    points_now(folder, {"-o", "alone"});
    auto other = std::async(std::launch::async, [&] { return points_now(folder); });
    const std::string one = points_now(folder);
    const std::string two = other.get();
    const auto computed = [](const std::string& text) {
        return std::stoi(text.substr(text.find("done, ") + 6));
    };
    CHECK(computed(one) + computed(two) == 16);
    CHECK(folder.read("out/s/results.csv") == folder.read("alone/results.csv"));
    CHECK(points_in(folder, "s").size() == 16);
}

TEST_CASE("sweep: a hundred SIGKILLs, and the results are those of an undisturbed run",
          "[cli][sweep][failure]") {
    const Folder folder;
    const std::string sweep =
        replaced(replaced(base_sweep, "values: [30s, 1m, 2m]", "values: [30s, 1m, 2m, 3m, 4m]"),
                 "  replications: 2\n",
                 "    - {name: base, path: spec.seed, range: {from: 1, to: 20, step: 1}}\n");
    write_inputs(folder, sweep);
    points_now(folder, {"-o", "undisturbed"});
    std::mt19937 random(7);
    std::uint64_t killed = 0;
    std::set<std::size_t> seen;  // numbers of points left behind by kills
    const auto check_all = [&] {
        points_now(folder);
        CHECK(folder.read("out/s/results.csv") == folder.read("undisturbed/results.csv"));
        CHECK(points_in(folder, "s") == points_in(folder, "../undisturbed"));
    };
    const std::uint64_t kills = cases(100);
    for (std::uint64_t i = 0; i < kills; ++i) {
        if (points_done(folder, "s") == 200) {
            check_all();
            std::filesystem::remove_all(folder.path() / "out/s");
        }
        // A few points later, so that kills happen anywhere between the first and the last point.
        const std::size_t enough =
            std::min<std::size_t>(points_done(folder, "s") + random() % 3, 200);
        const std::chrono::microseconds then(random() % 4'000);
        const auto kill_it = [&](int process) {
            for (int waits = 0; waits < 10'000 && points_done(folder, "s") < enough; ++waits) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            std::this_thread::sleep_for(then);
            ::kill(process, SIGKILL);
        };
        const Answer answer =
            folder.berth({"sweep", "sweep.yaml", "--quiet"}, {.meanwhile = kill_it});
        killed += answer.status == 128 + SIGKILL ? 1 : 0;
        seen.insert(points_done(folder, "s"));
        for (const std::string& name : points_in(folder, "s")) {
            if (name.find('.') == std::string::npos) {  // run.json is written last
                CHECK(std::filesystem::exists(folder.path() / "out/s/points" / name / "run.json"));
            }
        }
    }
    CAPTURE(killed, seen.size());
    CHECK(killed > kills / 2);
    CHECK(seen.size() > 20);
    check_all();
}
