#include "experiments/program/support/sql_names.hpp"

#include <catch2/catch.hpp>

using namespace berth;

TEST_CASE("SQL names: letters, digits and underscores stay, and names stay apart",
          "[report][sql]") {
    CHECK(report::sql_column("nvidia.com/gpu_utilization") == "nvidia_com_gpu_utilization");
    CHECK(report::sql_column("cpu_stranded") == "cpu_stranded");
    CHECK(report::sql_columns({"a.b", "a/b", "a_b"}) ==
          std::vector<std::string>{"a_b", "a_b_2", "a_b_3"});
}

TEST_CASE("SQL names: what is repeated in a table is known from its header", "[report][sql]") {
    const std::vector<std::string> metrics{
        "cpu_utilization", "a.b/c_stranded", "quota/a.b/lost_s", "job_wait_s_p95[a.b]"};
    CHECK(report::quoted_columns(metrics) == std::vector<std::size_t>{1});
    // A column that already has the plain name is no repetition.
    CHECK(report::quoted_columns({"a_b", "a.b"}).empty());
    CHECK(report::repeated_for_sql({"seed", "a.b/c_stranded", "d", "a_b_c_stranded"}) ==
          std::vector<bool>{false, false, false, true});
    CHECK(report::repeated_for_sql({"a_b", "a.b"}) == std::vector<bool>{false, false});
}
