#include <catch2/catch.hpp>
#include <vector>

#include "core/support/csv_record.hpp"
#include "workloads/trace/loose_texts.hpp"

using berth::core::CsvColumns;
using berth::workloads::LooseTexts;
using Places = std::vector<std::size_t>;

TEST_CASE("loose texts: what a text takes moves all that stands behind it", "[workloads][sacct]") {
    // The columns of the header: read, text, read, text, read.
    const LooseTexts texts({1, 3}, {0, 2, 4, CsvColumns::absent});
    CHECK(texts.ways(0) == std::vector<Places>{{0, 2, 4, CsvColumns::absent}});
    CHECK(texts.ways(2) == std::vector<Places>{{0, 2, 6, CsvColumns::absent},
                                               {0, 3, 6, CsvColumns::absent},
                                               {0, 4, 6, CsvColumns::absent}});
}

TEST_CASE("loose texts: a cut between texts that moves nothing is no other way",
          "[workloads][sacct]") {
    // Places 1, 2 and 4 are texts; the column of place 3 is not read.
    const LooseTexts texts({1, 2, 4}, {0, 5});
    CHECK(texts.ways(3) == std::vector<Places>{{0, 8}});
}

TEST_CASE("loose texts: too many ways are none", "[workloads][sacct]") {
    const LooseTexts two({0, 2}, {1, 3});
    CHECK(two.ways(999).size() == 1000);
    CHECK(two.ways(1000).empty());
    const LooseTexts six({0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11});
    CHECK(six.ways(100'000).empty());
    CHECK(LooseTexts({}, {0, 1}).ways(1).empty());
}
