#include <string>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Asks about one of the example's two quotas. A holds the whole cluster when B's 100 pods of one
/// core come. B's runtime is min + (100 - 50 - min) / 2: that many pods start once the recycler
/// took the cores from A, and the others wait for an hour.
std::string ask(const std::string& wait, const std::string& quantile) {
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    return done(folder,
                {"what-if", "two.yaml", "--quota", "B", "--wait", wait, "--quantile", quantile});
}

}  // namespace

TEST_CASE("what-if: the least min with which half of the jobs start at once", "[cli][quota]") {
    const std::string out = ask("1m", "0.5");
    CHECK_THAT(out, Catch::EndsWith("B needs min {cpu: 50}\n"));
    CHECK_THAT(out, Catch::Contains("32/64 of max  min {cpu: 50}: wait 10 s\n"));
    CHECK_THAT(out, Catch::Contains("31/64 of max  min {cpu: 49}: wait 1 h 10 s\n"));
}

TEST_CASE("what-if: min 0 may be enough, and all of max may be too little", "[cli][quota]") {
    CHECK_THAT(ask("1m", "0.25"), Catch::EndsWith("B needs min {cpu: 0}\n"));
    CHECK_THAT(ask("9s", "0.5"), Catch::EndsWith("no min of B is enough\n"));
}

TEST_CASE("what-if: a min that the others' mins leave no room for is told so", "[cli][quota]") {
    const Folder folder;
    folder.write("two.yaml",
                 replaced(read_file(project_file("experiments/quota/lend-and-take-back.yaml")),
                          "min: {cpu: 50}",
                          "min: {cpu: 60}"));
    const std::string out =
        done(folder, {"what-if", "two.yaml", "--quota", "B", "--wait", "1m", "--quantile", "0.5"});
    CHECK_THAT(out, Catch::Contains("  but the mins of A, B are together"));
}

TEST_CASE("what-if: a question that is none is refused", "[cli][quota]") {
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    const auto [arguments, message] = GENERATE(table<Arguments, std::string>({
        {{"what-if", "two.yaml"},
         "berth what-if: error: no question: expected --quota NAME and --wait DURATION"},
        {{"what-if", "two.yaml", "--quota", "none", "--wait", "1m"},
         "berth what-if: error: no quota 'none' that pods may be in: expected A or B"},
        {{"what-if", "two.yaml", "--quota", "B", "--wait", "soon"},
         "--wait: error: found 'soon': expected a duration such as 10ms, 10s, 5m, 24h or 7d"},
        {{"what-if", "two.yaml", "--quota", "B", "--wait", "1m", "--quantile", "2"},
         "--quantile: error: found '2': expected a number from 0 to 1"},
    }));
    CAPTURE(arguments);
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.first_line() == message);
    CHECK(answer.out.empty());
}
