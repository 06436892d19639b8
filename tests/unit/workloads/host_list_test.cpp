// Host lists of Slurm.

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "workloads/trace/host_list.hpp"

using berth::workloads::expand_host_list;
using Names = std::vector<std::string>;

TEST_CASE("host lists: brackets stand for numbers", "[workloads][slurm]") {
    CHECK(expand_host_list("") == Names{});
    CHECK(expand_host_list("n1") == Names{"n1"});
    CHECK(expand_host_list("n[1-3,7],login") == Names{"n1", "n2", "n3", "n7", "login"});
    CHECK(expand_host_list("n[08-10]-ib") == Names{"n08-ib", "n09-ib", "n10-ib"});
    CHECK(expand_host_list("r[1-2]n[1,3]") == Names{"r1n1", "r1n3", "r2n1", "r2n3"});
    CHECK(expand_host_list("n[0-999999]")->size() == 1'000'000);
    for (const char* wrong : {"n[1-",
                              "n[3-1]",
                              "n[]",
                              "n[a-b]",
                              ",n1",
                              "n1,,n2",
                              "n[1-9999999]",
                              "a[1-2000]b[1-2000]"}) {
        CAPTURE(wrong);
        CHECK_FALSE(expand_host_list(wrong).has_value());
    }
}
