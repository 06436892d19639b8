#include "core/tree/level_of_label.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace berth;

TEST_CASE("level of a label: by its name, by what is given, or none", "[core][tree]") {
    core::TopologyBuilder builder{core::ResourceSchema()};
    builder.add_machine_type({"any", core::Amounts(0), {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "rack-0");
    builder.begin_level("server");
    builder.add_server(0, "server-0", 0);
    const core::Topology tree = builder.build();
    const auto level = [&](const std::string& label,
                           const std::map<std::string, std::string>& given = {}) {
        const auto found = core::level_of_label(label, tree, given);
        return found ? tree.level_name(*found) : "none";
    };
    CHECK(level("cloud.example.com/topology-rack") == "rack");
    CHECK(level("example.com/rack") == "rack");
    CHECK(level("rack") == "rack");
    CHECK(level("topology-rack") == "rack");
    CHECK(level("kubernetes.io/hostname") == "server");
    CHECK(level("example.com/switch") == "none");
    CHECK(level("example.com/topology-topology-rack") == "none");
    CHECK(level("") == "none");
    CHECK(level("example.com/switch", {{"example.com/switch", "rack"}}) == "rack");
    CHECK(level("rack", {{"rack", "server"}}) == "server");  // a given mapping goes before the name
    CHECK(level("rack", {{"rack", "row"}}) == "none");
}
