#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("a wrong topology is refused where it is wrong", "[cli][bad-input]") {
    const std::string command = GENERATE("topology", "validate");
    check_mistakes(
        command,
        sound_topology,
        {{"negative count",
          "server, count: 2",
          "server, count: -2",
          "5:29: error: found '-2': expected a whole number from 1 to 2147483648"},
         {"fractional count",
          "server, count: 2",
          "server, count: 2.5",
          "5:29: error: found '2.5': expected a whole number from 1 to 2147483648"},
         {"zero count",
          "rack, count: 2",
          "rack, count: 0",
          "4:27: error: found '0': expected a whole number from 1 to 2147483648"},
         {"negative capacity",
          "cpu: 4",
          "cpu: -4",
          "9:29: error: found '-4': expected no negative amount"},
         {"an amount that overflows",
          "8Gi",
          "16Ei",
          "9:40: error: found '16Ei': expected at most 9223372036854775807 bytes"},
         {"a level twice",
          "name: server",
          "name: rack",
          "5:14: error: level 'rack' occurs twice: expected distinct names"},
         {"a key twice",
          "    - {type: small}\n",
          "    - {type: small}\n  machines: []\n",
          "8:3: error: the key 'machines' occurs twice: expected each key once"},
         {"a machine type twice",
          "small: {cap",
          "small: {}\n    small: {cap",
          "10:5: error: the key 'small' occurs twice: expected each key once"},
         {"an unknown key",
          "machineTypes",
          "machineType",
          "3:3: error: a Topology's spec has no 'machineTypes': expected one"},
         {"an unknown key of a level",
          "rack, count",
          "rack, cuont",
          "4:7: error: a level has no 'count': expected one"},
         {"an unknown machine type",
          "type: small",
          "type: smal",
          "7:14: error: unknown machine type 'smal': expected one of machineTypes (did you mean "
          "'small'?)"},
         {"malformed YAML",
          "{name: rack, count: 2}",
          "{name: rack, count: 2",
          "7:5: error: the '{' of line 4, column 7 is still open here: expected a ',' or its '}' "
          "before this"}});
}

TEST_CASE("a wrong tree is refused where it is wrong", "[cli][bad-input]") {
    check_mistakes(
        "topology",
        sound_tree,
        {{"a cycle",
          "r0, parent: c",
          "r0, parent: s0",
          "8:7: error: a cycle: 's0' under 'r0' under 's0': expected every branch to begin at one "
          "root"},
         {"a node twice",
          "name: s1",
          "name: s0",
          "11:14: error: two nodes are called 's0': expected distinct names, or an id each"},
         {"an unknown parent",
          "r1, parent: c",
          "r1, parent: x",
          "10:26: error: unknown parent 'x': expected the name of a node"}});
}

TEST_CASE("a cluster whose amounts overflow together is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("big.yaml", replaced(sound_topology, "cpu: 4", "cpu: 9000000000000000"));
    const Answer answer = folder.berth({GENERATE("topology", "validate"), "big.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.first_line(),
               Catch::EndsWith("error: the cpu of all servers together overflows: expected at most "
                               "4611686018427387903 milli-CPU"));
}

TEST_CASE("a cluster whose amounts overflow together is refused by its file's name",
          "[cli][bad-input]") {
    const Folder folder;
    folder.write("big.yaml", replaced(sound_topology, "cpu: 4", "cpu: 9000000000000000"));
    CHECK_THAT(folder.berth({GENERATE("topology", "validate"), "big.yaml"}).first_line(),
               Catch::StartsWith("big.yaml:"));
}

TEST_CASE("a run whose cluster overflows leaves not even an empty folder", "[cli][bad-input]") {
    const Folder folder;
    folder.write("big.yaml", replaced(sound_experiment, "cpu: 16", "cpu: 9000000000000000"));
    const Answer answer = folder.berth({"run", "big.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(), Catch::StartsWith("big.yaml:"));
    CHECK(folder.listing() == std::vector<std::string>{"big.yaml"});
}
