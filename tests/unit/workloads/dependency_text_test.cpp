// The jobs that a job comes after, as Slurm writes them.

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "workloads/trace/dependency_text.hpp"

using namespace berth;
using workloads::TraceDependency;
using On = sim::Dependency::On;

TEST_CASE("dependencies: of Slurm, and names alone", "[workloads][dependencies]") {
    struct Row {
        std::string text;
        std::vector<TraceDependency> after;
        bool whole = true;
    };
    const std::chrono::minutes ten(10);
    const Row row =
        GENERATE_COPY(Row{"", {}},
                      Row{"(null)", {}},
                      Row{"12", {{"12", On::success, {}}}},
                      Row{" a, b c ,", {{"a", On::success, {}}, {"b c", On::success, {}}}},
                      Row{"afterok:12:13", {{"12", On::success, {}}, {"13", On::success, {}}}},
                      Row{"afterany:12_*(unfulfilled),after:14+10(unfulfilled)",
                          {{"12", On::end, {}}, {"14", On::start, ten}}},
                      Row{"after:12_3", {{"12_3", On::start, {}}}},
                      Row{"after:12+x", {{"12+x", On::start, {}}}},
                      Row{"afterok:12?afterok:13", {}, false},
                      Row{"singleton(unfulfilled)", {}, false},
                      Row{"aftercorr:12,afterany:13", {{"13", On::end, {}}}, false},
                      Row{"afternotok:12", {}, false},
                      Row{"train:0", {{"train:0", On::success, {}}}});
    CAPTURE(row.text);
    const workloads::DependencyText read = workloads::parse_dependencies(row.text);
    CHECK(read.after == row.after);
    CHECK(read.whole == row.whole);
}
