#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/rare.hpp"

using berth::core::Rare;

TEST_CASE("rare: what is rare is as std::optional, in the room of a pointer", "[core]") {
    using Values = std::vector<int>;
    CHECK(sizeof(Rare<Values>) == sizeof(void*));
    Rare<Values> none;
    CHECK(!none);
    CHECK(std::optional<Values>(none) == std::nullopt);
    CHECK(!Rare<Values>(std::optional<Values>()));

    Rare<Values> some = Values{1, 2};
    REQUIRE(some.has_value());
    Rare<Values> copy = some;
    copy->push_back(3);
    CHECK(*some == Values{1, 2});  // a copy is independent
    CHECK(*copy == Values{1, 2, 3});
    some = copy;
    CHECK(*some == Values{1, 2, 3});
    some = std::optional(Values{4});
    CHECK(std::optional<Values>(some) == Values{4});

    const Rare<Values> moved = std::move(some);
    CHECK(*moved == Values{4});
    copy = none;
    CHECK(!copy);
    none = Values{};
    none.reset();
    CHECK(!none.has_value());
}
