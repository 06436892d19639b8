#include <catch2/catch.hpp>

#include "core/support/source.hpp"

namespace core = berth::core;

namespace {

core::SourceSpan at(std::string text, int line, int column, int length) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "a.yaml";
    source->text = std::move(text);
    return {source, line, column, length};
}

}  // namespace

TEST_CASE("errors: the place is shown with its line and a caret", "[core][errors]") {
    CHECK(core::render(at("a: 1\nlevel: shelf\n", 2, 8, 5), "error", "unknown level") ==
          "a.yaml:2:8: error: unknown level\n  level: shelf\n         ^~~~~");
    CHECK(core::render(at("\tb", 1, 2, 9), "warning", "odd") ==
          "a.yaml:1:2: warning: odd\n  \tb\n  \t^");
    CHECK(core::render(at("", 0, 0, 0), "error", "empty") == "a.yaml: error: empty");
}

TEST_CASE("errors: a name that quotes a long option is shortened", "[core][errors]") {
    auto source = std::make_shared<core::SourceText>();
    source->name = "--set spec.name=" + std::string(100'000, 'x');
    const std::string text = core::render({source, 1, 1, 1}, "error", "too long");
    CHECK(text.size() < 5000);
    CHECK_THAT(text, Catch::StartsWith("--set spec.name=xxx") && Catch::Contains(" [...] xxx"));
    CHECK_THAT(text, Catch::EndsWith(":1:1: error: too long"));
}

TEST_CASE("errors: twenty are shown, the others counted", "[core][errors]") {
    core::Diagnostics diagnostics;
    CHECK_NOTHROW(diagnostics.throw_if_failed());
    for (int i = 0; i < 23; ++i) {
        diagnostics.error(at("x", 0, 0, 0), "wrong");
    }
    try {
        diagnostics.throw_if_failed();
        FAIL("there were errors");
    } catch (const core::InputError& error) {
        const std::string text = error.what();
        CHECK(std::count(text.begin(), text.end(), '\n') == 20);
        CHECK_THAT(text, Catch::EndsWith("and 3 more"));
    }
}

TEST_CASE("errors: the nearest known word is proposed, a far one is not", "[core][errors]") {
    const std::vector<std::string> known{"rack", "room", "server"};
    CHECK(core::nearest("rakc", known) == "rack");
    CHECK(core::nearest("rac", known) == "rack");
    CHECK(core::nearest("servers", known) == "server");
    CHECK(core::nearest("zone", known).empty());
}

TEST_CASE("errors: what is short for several words proposes up to three of them",
          "[core][errors]") {
    const std::vector<std::string> known{
        "easy-backfill", "fcfs", "late-backfill", "new-backfill", "old-backfill"};
    CHECK(core::suggestion("backfill", known) ==
          " (did you mean 'easy-backfill', 'late-backfill' or 'new-backfill'?)");
    CHECK(core::suggestion("easy", known) == " (did you mean 'easy-backfill'?)");
    CHECK(core::suggestion("easy-backfil", known) == " (did you mean 'easy-backfill'?)");
    CHECK(core::suggestion("nothing", known).empty());
    CHECK(core::nearest("backfill", known) == "easy-backfill");
}
