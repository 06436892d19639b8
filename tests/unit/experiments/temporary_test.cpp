#include "experiments/program/support/temporary.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/folder.hpp"

using namespace berth;
using experiments::Temporary;

TEST_CASE("temporary files: what a killed process left goes, where it is looked for") {
    const tests::TestFolder folder;
    const std::filesystem::path place = folder.path() / "point";
    const std::filesystem::path left = folder.path() / "point.tmp-abcdefgh2345";
    const std::filesystem::path others = folder.path() / "points.tmp-abcdefgh2345";
    folder.write("point.tmp-abcdefgh2345", "half");
    folder.write("points.tmp-abcdefgh2345", "half");
    SECTION("it was looked for before") {
        const Temporary temporary(place, Temporary::Kind::folder, Temporary::Leftovers::removed);
        CHECK(std::filesystem::exists(left));
    }
    SECTION("it was not") {
        const Temporary temporary(place, Temporary::Kind::folder);
        CHECK_FALSE(std::filesystem::exists(left));
    }
    CHECK(std::filesystem::exists(others));
    CHECK_FALSE(std::filesystem::exists(place));
}
