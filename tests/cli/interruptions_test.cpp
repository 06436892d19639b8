// What an interruption cost a job, computed by hand.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

/// A job that works 10 s, writes for 2 s and restarts for 5 s. Its rack fails at 30 s, which is
/// noticed at 36 s; it goes on in the other one, until that server is taken away at 60 s.
const std::string twice = R"(kind: Experiment
metadata: {name: twice}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 4, checkpoint: {every: 10s, takes: 2s, restart: 5s}}}
  workload:
    - pods: [{name: job, type: one, lifetime: 60s}]
  failures:
    events: [{at: 60s, node: server-1, event: fail}]
    csv: "time_s,component,event,cause\n30,rack-0,fail,power\n40,rack-0,repair,power\n"
    detection: 6s
)";

}  // namespace

TEST_CASE("why: what failed, how long a job hung, when it was as far again", "[cli][why]") {
    const Folder folder;
    folder.write("twice.yaml", twice);
    (void)done(folder, {"run", "twice.yaml", "-q", "-o", "out", "--check-invariants"});
    // 26 s of work are done by 30 s, and 20 s of them written. 5 s after 36 s the first of the
    // other 6 is done again. By 60 s there are 37 s of work, of which 30 s are written.
    CHECK_THAT(done(folder, {"why", "out", "job"}),
               Catch::EndsWith(
                   "  0 s: started on server-0\n"
                   "  36 s: evicted (node_failed: rack-0, cause power) after 36 s, hung for the "
                   "last 6 s, 6 s of work lost\n"
                   "  36 s: started on server-1\n"
                   "  47 s: had done as much again as at 36 s\n"
                   "  60 s: evicted (node_failed: server-1, an event of the experiment) after 24 "
                   "s, 7 s of work lost\n"
                   "  60 s: started on cluster/rack-0/server-0\n"
                   "  72 s: had done as much again as at 60 s\n"
                   "  101 s: finished\n"));
    const Json evictions =
        Json::parse(done(folder, {"why", "out", "job", "--json"})).at("evictions");
    REQUIRE(evictions.size() == 2);
    CHECK(evictions[0].at("hung_s") == 6);
    CHECK(evictions[0].at("failure") == Json({{"component", "rack-0"}, {"cause", "power"}}));
    CHECK(evictions[0].at("recovered_s") == 47);
    CHECK(evictions[1].at("hung_s") == 0);
    CHECK(evictions[1].at("failure") == Json({{"component", "server-1"}, {"cause", ""}}));
}
