#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("the help of each command has examples that it understands", "[cli][commands]") {
    const Folder folder;
    const std::string help = done(folder, {"--help"});
    std::istringstream lines(help);
    std::size_t commands = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  ")) {
            continue;
        }
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        if (name.empty()) {
            continue;  // the description of the previous line
        }
        CAPTURE(name);
        CHECK_THAT(done(folder, {name, "--help"}),
                   Catch::Contains("\nexamples\n  ") && Catch::Contains("berth " + name));
        ++commands;
    }
    CHECK(commands > 10);
}

TEST_CASE("the help of each command fits a terminal, and breaks between words", "[cli][commands]") {
    const Folder folder;
    const std::string help = GENERATE(as<std::string>(),
                                      "",
                                      "allocate",
                                      "bench",
                                      "candidates",
                                      "compare",
                                      "export",
                                      "list",
                                      "place",
                                      "plan",
                                      "plot",
                                      "quota",
                                      "report",
                                      "run",
                                      "sweep",
                                      "topology",
                                      "validate",
                                      "verify",
                                      "why",
                                      "workload");
    const std::string text =
        done(folder, help.empty() ? Arguments{"--help"} : Arguments{help, "--help"});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(line.size() <= 80);
    }
    // The longest word among the options, and a command line that continues on the next line.
    if (help == "run") {
        CHECK_THAT(text, Catch::Contains("spec.workload[0].background.load=0.5\n"));
        CHECK_THAT(text,
                   Catch::Contains("  berth run experiment.yaml --set "
                                   "\"spec.scheduler.profile.score=[best-fit]\" \\\n"
                                   "      -o out/best-fit\n"));
    }
}

TEST_CASE("a manual page says what the help says, and is none of an unknown command",
          "[cli][commands]") {
    const Folder folder;
    const std::string page = done(folder, {"manual-page", "run"});
    CHECK_THAT(page, Catch::StartsWith(".TH BERTH\\-RUN 1 "));
    CHECK_THAT(
        page,
        Catch::Contains(
            "\n.TP\n\\fB\\-j\\fR, \\fB\\-\\-threads\\fR \\fIN\\fR\n"
            "threads, for replications and for writing beside them (default: one per CPU)\n"));
    CHECK_THAT(done(folder, {"manual-page"}), Catch::Contains("\n\\fBplan\\fR\n"));
    const Answer unknown = folder.berth({"manual-page", "rum"});
    CHECK(unknown.status == 2);
    CHECK_THAT(unknown.first_line(),
               Catch::StartsWith("berth manual-page: error: unknown command 'rum': expected "));
}
