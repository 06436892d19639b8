#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string experiment = R"(kind: Experiment
metadata: {name: recorded}
spec:
  topology:
    spec:
      levels: [{name: server, count: 4}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 4}}
  workload: [{pods: [{type: one, at: 0s, lifetime: 1h}]}]
  failures: {file: events, zero: 2026-03-01T00:00:00}
  until: 1d
)";

const std::string slurm =
    "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\r\n"
    "c||2026-03-01T00:00:00|Unknown||Cluster Registered TRES|\n"
    "c|server-0|2026-03-01T01:00:00|2026-03-01T02:30:00|DOWN*|Gone, \"again\" "
    "[x@2026-03-01T01:00:00]|\n"
    "\n"
    "c|server-1|2026-03-01T01:30:00|2026-03-01T05:00:00|DRAIN|kernel|\n"
    "c|server-2|2026-02-28T23:00:00|2026-03-01T00:20:00|DOWN|Xid 79|\n"
    "c|server-3|2026-02-27T23:00:00|2026-02-28T00:20:00|DOWN|over before|\n"
    "c|server-3|2026-03-01T03:00:00|Unknown|FAIL||\n";

const std::string kubernetes = R"({"kind": "List", "items": [
{"involvedObject": {"kind": "Node", "name": "server-1"}, "reason": "NodeReady",
 "firstTimestamp": "2026-03-01T00:30:00Z", "lastTimestamp": "2026-03-01T01:10:30Z", "count": 2},
{"involvedObject": {"kind": "Pod", "name": "server-1"}, "reason": "NodeNotReady",
 "lastTimestamp": "2026-03-01T01:00:00Z"},
{"involvedObject": {"kind": "Node", "name": "server-1"}, "reason": "NodeNotReady",
 "firstTimestamp": "2026-03-01T00:10:00Z", "lastTimestamp": "2026-03-01T01:00:00Z", "count": 2},
{"involvedObject": {"kind": "Node", "name": "server-2"}, "reason": "NodeNotSchedulable",
 "lastTimestamp": "2026-03-01T01:00:00Z"},
{"regarding": {"kind": "Node", "name": "server-2"}, "reason": "NodeNotReady",
 "eventTime": "2026-03-01T02:00:00.500000Z", "deprecatedLastTimestamp": null}
]})";

/// The message of `berth run` about the events, or failures.csv without its header.
std::string told(const std::string& events, const std::string& document = experiment) {
    const Folder folder;
    folder.write("events", events);
    folder.write("recorded.yaml", document);
    const Answer answer = folder.berth({"run", "recorded.yaml", "-q", "-o", "out"});
    if (answer.status != 0) {
        return answer.err.substr(0, answer.err.find('\n'));
    }
    const std::string table = folder.read("out/failures.csv");
    return table.substr(table.find('\n') + 1);
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("node events: what Slurm says is down has failed", "[cli]") {
    // Nodes that were out when the run begins are out from then on; drains are not failures.
    CHECK(told(slurm) ==
          "0,0,server-2,server,Xid 79,1200,0\n"
          "0,3600,server-0,server,\"Gone, \"\"again\"\"\",9000,0\n"
          "0,10800,server-3,server,recorded,,0\n");
}

TEST_CASE("node events: neither their order nor what overlaps changes what was out", "[cli]") {
    const std::string header = "NodeName|TimeStart|TimeEnd|State|Reason\n";
    const std::string first = "server-0|2026-03-01T00:10:00|2026-03-01T00:20:00|DOWN|a\n";
    const std::string next = "server-0|2026-03-01T00:20:00|2026-03-01T00:40:00|FAIL|b\n";
    const std::string within = "server-0|2026-03-01T00:15:00|2026-03-01T00:16:00|DOWN|c\n";
    const std::string one = "0,600,server-0,server,a,2400,1\n";
    CHECK(told(header + first + next) == one);
    CHECK(told(header + within + next + first) == one);
    CHECK(told(changed(header + first, "T00:20:00", "T00:09:00")) ==
          "events:2:30: error: '2026-03-01T00:09:00': expected no time before TimeStart");
}

TEST_CASE("node events: who saves power or is looked after has not failed", "[cli]") {
    for (const auto& [state, failed] : {std::pair("DOWN*", true),
                                        std::pair("DOWN+DRAIN", true),
                                        std::pair("FAILING*", true),
                                        std::pair("IDLE+POWERED_DOWN", false),
                                        std::pair("POWERING_DOWN", false),
                                        std::pair("DOWN+MAINT", false),
                                        std::pair("REBOOT*+DOWN", false),
                                        std::pair("DRAINED*", false)}) {
        CAPTURE(state);
        const std::string row =
            std::string("server-0|2026-03-01T00:10:00|Unknown|") + state + "|\n";
        const std::string answer = told("NodeName|TimeStart|TimeEnd|State|Reason\n" + row);
        CHECK((answer.find("found no failure") == std::string::npos) == failed);
    }
}

TEST_CASE("node events: what Kubernetes says is not ready has failed", "[cli]") {
    CHECK(told(kubernetes) ==
          "0,600,server-1,server,NodeNotReady,1800,0\n"
          "0,3600,server-1,server,NodeNotReady,4230,0\n"
          "0,7200.5,server-2,server,NodeNotReady,,0\n");
}

TEST_CASE("node events: what is wrong is told where it stands", "[cli][bad-input]") {
    const std::string date = ": expected a date and time such as 2026-01-31T23:59:59";
    CHECK(told(changed(slurm, "2026-03-01T02:30:00", "noon")) ==
          "events:3:32: error: 'noon'" + date);
    CHECK(told(changed(slurm, "NodeName", "NodeNames")).find("events:1:") == 0);
    CHECK(told(changed(slurm, "server-0", "server-9")) ==
          "events:3:3: error: unknown component 'server-9': expected a node of the "
          "topology");
    CHECK(told(kubernetes, changed(experiment, "2026-03-01T00:00:00", "today")) ==
          "recorded.yaml:11:34: error: 'today'" + date);
    CHECK(
        told(kubernetes, changed(experiment, ", zero: 2026-03-01T00:00:00", "")) ==
        "events:1:1: error: times are dates here: expected zero beside file, the date and time at "
        "which the run begins, such as zero: 2026-01-31T00:00:00");
    CHECK(told("time_s,component,event\n1,server-0,fail\n") ==
          "recorded.yaml:11:34: error: zero cannot be used with a file whose times are seconds: "
          "expected it only where they are dates");
    CHECK(told(changed(kubernetes,
                       "\"server-2\"}, \"reason\": \"NodeNotReady",
                       "\"server-9\"}, \"reason\": \"NodeNotReady")) ==
          "events:10:40: error: unknown component 'server-9': expected a node of the topology");
    CHECK(told("apiVersion: v1\nitems: []\n")
              .find("events:1:1: error: no column 'time_s', and no events of nodes: expected a "
                    "table") == 0);
    CHECK(told(slurm, changed(experiment, "file: events, ", ""))
              .find("zero without file: expected file beside it") != std::string::npos);
    CHECK(told(slurm, changed(experiment, "zero: 2026-03-01T00:00:00", "zero: [1]")) ==
          "recorded.yaml:11:34: error: expected a date and time such as 2026-01-31T23:59:59");
    CHECK(told("\n" + kubernetes) == told(kubernetes));
    CHECK(told("{}") ==
          "events:1:1: error: found no failure: expected an event of a Node whose reason is "
          "NodeNotReady");
    CHECK(told(changed(kubernetes, "\"lastTimestamp\": \"2026-03-01T01:10:30Z\", ", ""))
              .find("events:2:1: error: an event without lastTimestamp: expected one") == 0);
}
