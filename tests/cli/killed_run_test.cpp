/// A run that replaces another one is killed at random times.

#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "documents.hpp"
#include "folder.hpp"
#include "tests/support/dice.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// The content of the files of a run by name, without what each run measures about itself.
std::map<std::string, std::string> files_of(const Folder& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder.path() / "o")) {
        if (entry.path().filename() != "run.json") {
            files[entry.path().filename()] = read_file(entry.path());
        }
    }
    return files;
}

/// How large tables are stored.
using Form = Arguments;

Arguments run_with_seed(std::uint64_t seed, const Form& form) {
    Arguments arguments{"run", "e.yaml", "-q", "-o", "o", "--seed", std::to_string(seed)};
    arguments.insert(arguments.end(), form.begin(), form.end());
    return arguments;
}

void kill_runs_stored_as(const Form& form) {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, run_with_seed(1, form));
    folder.write("o/notes.txt", "mine\n");
    const auto of_one = files_of(folder);
    const auto begin = Clock::now();
    (void)done(folder, run_with_seed(2, form));
    const auto takes = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    const auto of_two = files_of(folder);
    const auto listing = folder.listing();
    REQUIRE(of_one != of_two);

    Dice dice(7);
    const std::uint64_t kills = cases(100);
    std::uint64_t killed = 0;
    std::uint64_t replaced_by_it = 0;
    for (std::uint64_t i = 0; i < kills; ++i) {
        const auto before = files_of(folder);
        const std::uint64_t seed = 1 + i % 2;
        // The machine may be more or less busy now than when this was measured.
        const std::int64_t longest = takes.count() * (dice.chance(50) ? 4 : 1);
        const std::chrono::microseconds then(dice.roll(0, longest));
        const auto kill_it = [&](int process) {
            std::this_thread::sleep_for(then);
            ::kill(process, SIGKILL);
        };
        const Answer answer = folder.berth(run_with_seed(seed, form), {.meanwhile = kill_it});
        CAPTURE(i, then.count());
        const auto& whole = seed == 1 ? of_one : of_two;
        const auto now = files_of(folder);
        CHECK((now == whole || (now == before && answer.status == 128 + SIGKILL)));
        killed += answer.status == 128 + SIGKILL ? 1 : 0;
        replaced_by_it += now != before ? 1 : 0;
    }
    CAPTURE(killed, replaced_by_it);
    CHECK(killed > kills / 20);
    CHECK(replaced_by_it > 0);
    (void)done(folder, run_with_seed(2, form));
    CHECK(folder.listing() == listing);
    (void)done(folder, {"verify", "o"});
}

}  // namespace

TEST_CASE("files: SIGKILLs leave a run or the one before, whole, and a user's files",
          "[cli][files][failure]") {
    for (const Form& form :
         {Form{}, Form{"--tables", "arrow"}, Form{"--tables", "arrow", "--compress", "zst"}}) {
        CAPTURE(form);
        kill_runs_stored_as(form);
    }
}
