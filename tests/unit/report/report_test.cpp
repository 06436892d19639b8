#include "experiments/program/report/report.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/support/source.hpp"

using namespace berth;

namespace {

const std::filesystem::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-run";

std::string report_of(const std::vector<std::filesystem::path>& directories) {
    std::ostringstream out;
    report::write_report(directories, out);
    return out.str();
}

}  // namespace

TEST_CASE("report: the page is whole, and loads nothing", "[report]") {
    const std::string page = report_of({tiny});
    CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>"));
    CHECK_THAT(page, Catch::EndsWith("</html>\n"));
    CHECK_THAT(page, !Catch::Contains("<!--berth:"));
    for (const char* loads : {"<script src", "<link rel=\"stylesheet\"", "@import"}) {
        CHECK_THAT(page, !Catch::Contains(loads));
    }
    CHECK_THAT(page, Catch::Contains("Apache Software Foundation"));
    CHECK(page.size() < 2'000'000);
}

TEST_CASE("report: no text of a run can end the data block", "[report]") {
    const std::string page = report_of({tiny});
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(open) + open.size();
    const std::string block = page.substr(begin, page.find("</script>", begin) - begin);
    CHECK(block.find('<') == std::string::npos);
    const auto data = nlohmann::json::parse(block);
    CHECK(data["runs"][0]["claims"][1]["text"] ==
          "servers used by the ring </script><script>throw 1</script>");
}

TEST_CASE("report: the same runs give the same bytes", "[report]") {
    CHECK(report_of({tiny, tiny}) == report_of({tiny, tiny}));
}

TEST_CASE("report: a wrong directory writes nothing", "[report]") {
    std::ostringstream out;
    CHECK_THROWS_AS(report::write_report({tiny, "/nowhere"}, out), core::InputError);
    CHECK_THROWS_AS(report::write_report({}, out), core::InputError);
    CHECK(out.str().empty());
}
