/// `berth plot --figure scaling`, from the output of `berth bench --json`.

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/cli/folder.hpp"

using namespace berth::tests;

namespace {

constexpr const char* two_sizes =
    R"({"benchmark":"cycle","size":10,"unit":"a pod","best_s":1e-7,"median_s":2e-7})"
    "\n"
    R"({"benchmark":"cycle","size":1000,"unit":"a pod","best_s":1e-7,"median_s":3e-7})"
    "\n";

/// The first command in a text that measures cycles.
std::string command_of_figure(const std::string& page) {
    const std::size_t begin = page.find("berth bench build cycle");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("what bench prints is drawn, from a file or a pipe", "[cli][scaling]") {
    const Folder folder;
    const std::string printed =
        done(folder, {"bench", "quota/one/3level", "--units", "3", "--json"});
    CHECK_THAT(printed, Catch::Contains(R"("size":10,"size_of":"quotas")"));
    folder.write("b.jsonl", printed);
    (void)done(folder, {"plot", "b.jsonl", "--figure", "scaling", "-o", "a.svg"});
    (void)done(folder, {"plot", "-", "--figure", "scaling", "-o", "b.svg"}, {.input = printed});
    CHECK_THAT(folder.read("a.svg"), Catch::Contains("quotas") && Catch::Contains("10 000"));
    CHECK(folder.read("a.svg") == folder.read("b.svg"));
    CHECK_THAT(done(folder, {"plot", "--list"}), Catch::Contains("\nscaling  "));
    CHECK_THAT(done(folder, {"list", "figures"}), Catch::Contains("scaling"));
}

TEST_CASE("what a scaling figure cannot be of is told in one line", "[cli][scaling]") {
    const Folder folder;
    folder.write("b.jsonl", two_sizes);
    folder.write("run/summary.json", "{}");
    folder.write("run/manifest.json", "{}");
    const auto before = folder.listing();
    const auto [arguments, message] = GENERATE(table<Arguments, std::string>({
        {{"run", "--figure", "scaling"},
         "run: error: this is a folder: expected a file of 'berth bench --json', or '-' for "
         "standard input"},
        {{"none.jsonl", "--figure", "scaling"}, "none.jsonl: error: "},
        {{"b.jsonl", "--figure", "gantt"},
         "b.jsonl: error: --figure gantt is of runs: expected a run directory (of a file of "
         "'berth bench --json' there is --figure scaling)"},
        {{"-", "--figure", "gantt"}, "-: error: --figure gantt is of runs: expected a run dir"},
        {{"b.jsonl", "--figure", "scaling", "--by", "a"},
         "b.jsonl: error: --by is for sweeps: expected a sweep's directory"},
        {{"b.jsonl", "--figure", "scaling:cycle"},
         "--figure: error: found 'cycle': expected no choice for this figure"},
        {{"-", "--figure", "scaling"},
         "-: error: the file is empty: expected a line of 'berth bench --json'"},
    }));
    Arguments all{"plot"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-o", "a.svg"});
    const Answer answer = folder.berth(all);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::StartsWith(message) && Catch::EndsWith("\n"));
    CHECK(answer.err.find('\n') + 1 == answer.err.size());
    CHECK(folder.listing() == before);
}

TEST_CASE("the page of performance names the command that makes its figure", "[cli][scaling]") {
    const std::string page = read_file(project_file("docs/explanation/performance.md"));
    CHECK(page.find("](../images/scaling.svg)") != std::string::npos);
    const std::string command = command_of_figure(page);
    CHECK_THAT(
        command,
        Catch::EndsWith("--json | berth plot - --figure scaling -o docs/images/scaling.svg"));
    // The picture has a line for each benchmark of the command.
    const std::string picture = read_file(project_file("docs/images/scaling.svg"));
    for (const std::string name :
         {"cycle", "place/pack-rack", "events", "build", "quota/one/flat"}) {
        CAPTURE(name);
        CHECK_THAT(picture, Catch::Contains(name + ": "));
        CHECK_THAT(command, Catch::Contains(name.substr(0, name.find('/'))));
    }
}
