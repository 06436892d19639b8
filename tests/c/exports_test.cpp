/// The shared library exports what berth.h declares, and nothing else.

#include <array>
#include <cstdio>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "cli/folder.hpp"

using namespace berth::tests;

TEST_CASE("exports: the library shows the calls of berth.h alone", "[c]") {
    std::set<std::string> declared;
    const std::string header = read_file(project_file("experiments/c/berth.h"));
    const std::regex call(R"(BERTH_API [^;(]*\b(berth_\w+)\()");
    for (std::sregex_iterator at(header.begin(), header.end(), call), end; at != end; ++at) {
        declared.insert((*at)[1]);
    }
    CHECK(declared.size() > 20);

    FILE* const out = ::popen("nm -D --defined-only " BERTH_LIBRARY, "r");
    REQUIRE(out != nullptr);
    std::set<std::string> shown;
    std::array<char, 512> line{};
    while (std::fgets(line.data(), line.size(), out) != nullptr) {
        const std::string text = line.data();
        const std::size_t name = text.rfind(' ') + 1;
        shown.insert(text.substr(name, text.find('\n') - name));
    }
    CHECK(::pclose(out) == 0);
    CHECK(shown == declared);
}
