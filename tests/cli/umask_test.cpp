/// What a umask denies the owner of a file or a folder: commands do their work or say in one line
/// why not, and leave nothing behind.

#include <sys/types.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

/// A folder with a run that everyone may read and write.
void run_for_all(const Folder& folder) {
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o", "--seed", "7"});
    fs::permissions(folder.path().parent_path(), fs::perms::all);
    fs::permissions(folder.path(), fs::perms::all);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        fs::permissions(entry.path(), fs::perms::all);
    }
}

const std::vector<Arguments> commands{
    {"run", "e.yaml", "-q", "-o", "new"},
    {"run", "e.yaml", "-q", "-o", "a/b/new"},
    {"run", "e.yaml", "-q", "-o", "o"},
    {"sweep", "s.yaml", "-q", "-o", "s"},
    {"sweep", "s.yaml", "-q", "-o", "a/s"},
    {"report", "o"},
    {"plot", "o", "-f", "wait-cdf", "-o", "x.csv"},
    {"export", "o", "--batsim", "-o", "x"},
};

}  // namespace

TEST_CASE("files: a umask that keeps the owner out is an error in a line, or no matter",
          "[cli][files]") {
    const mode_t umask =
        GENERATE(0022U, 0077U, 0100U, 0200U, 0300U, 0400U, 0500U, 0600U, 0700U, 0777U);
    for (const Arguments& arguments : commands) {
        const Folder folder;
        run_for_all(folder);
        const auto before = folder.listing();
        Circumstances how;
        how.umask = umask;
        const Answer answer = folder.berth(arguments, how);
        CAPTURE(umask, arguments, answer.err);
        if (umask == 0022 || umask == 0077) {
            CHECK(answer.status == 0);
        }
        CHECK(answer.status <= 2);
        if (answer.status != 0) {
            CHECK(std::ranges::count(answer.err, '\n') == 1);
            CHECK_THAT(answer.err, Catch::Contains("error: "));
            CHECK(folder.listing() == before);
            CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
        }
    }
}
