/// Invalid calls to an asked scheduler, and its decisions other than starts.

#include <berth.h>

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

constexpr std::int64_t second = 1'000'000'000;

const std::string two_servers = R"(kind: Experiment
metadata: {name: asked}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4, nvidia.com/gpu: 2}}}
  types: {three: {cpu: 3}}
  scheduler: {profile: {queueSort: easy-backfill}}
)";

Handle asked(const std::string& experiment = two_servers) {
    Handle handle = opened(experiment);
    const int status = berth_ask(handle.get());
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    return handle;
}

berth_request three() {
    berth_request request{};
    request.type = "three";
    return request;
}

std::int64_t submit(const Handle& handle, const berth_request& request) {
    std::int64_t number = BERTH_NONE;
    const int status = berth_submit(handle.get(), &request, &number);
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    return number;
}

/// The decisions as texts such as `starts 0: 1@0`.
std::vector<std::string> decided(const Handle& handle, std::int64_t now) {
    const berth_decision* decisions = nullptr;
    std::size_t count = 0;
    const int status = berth_decide(handle.get(), now, &decisions, &count);
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
        const berth_decision& one = decisions[i];
        std::string text = (one.kind == BERTH_STARTS    ? "starts "
                            : one.kind == BERTH_EVICTED ? "evicted "
                                                        : "rejected ") +
                           std::to_string(one.job) + ":";
        for (std::size_t place = 0; place < one.place_count; ++place) {
            text += " " + std::to_string(one.places[place].members) + "@" +
                    std::to_string(one.places[place].server);
        }
        texts.push_back(text + one.reason);
    }
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("ask: jobs start, are interrupted, wait again, end and are withdrawn", "[c]") {
    const Handle handle = asked();
    CHECK(submit(handle, three()) == 0);
    CHECK(submit(handle, three()) == 1);
    CHECK(submit(handle, three()) == 2);
    CHECK(submit(handle, three()) == 3);
    CHECK(decided(handle, 0) == Texts{"starts 0: 1@0", "starts 1: 1@1"});
    CHECK(decided(handle, 0).empty());
    CHECK(decided(handle, 5 * second).empty());
    std::int64_t next = 0;
    REQUIRE(berth_next_turn(handle.get(), &next) == BERTH_OK);
    CHECK(next == BERTH_NONE);

    REQUIRE(berth_server_changed(handle.get(), 0, 0) == BERTH_OK);
    CHECK(decided(handle, 6 * second) == Texts{"evicted 0:"});
    REQUIRE(berth_ended(handle.get(), 2) == BERTH_OK);  // job 2 still waits, so this withdraws it
    REQUIRE(berth_ended(handle.get(), 1) == BERTH_OK);
    CHECK(decided(handle, 7 * second) == Texts{"starts 3: 1@1"});
    REQUIRE(berth_server_changed(handle.get(), 0, 1) == BERTH_OK);
    CHECK(decided(handle, 8 * second) == Texts{"starts 0: 1@0"});
}

TEST_CASE("ask: what is told late takes effect when it is told", "[c]") {
    const Handle handle = asked(
        replaced(two_servers, "{queueSort: easy-backfill}}", "{queueSort: fifo}, period: 10s}"));
    CHECK(decided(handle, 3 * second).empty());
    (void)submit(handle, three());
    CHECK(decided(handle, 4 * second).empty());
    std::int64_t next = 0;
    REQUIRE(berth_next_turn(handle.get(), &next) == BERTH_OK);
    CHECK(next == 10 * second);
    (void)submit(handle, three());
    const berth_decision* decisions = nullptr;
    std::size_t count = 0;
    REQUIRE(berth_decide(handle.get(), 25 * second, &decisions, &count) == BERTH_OK);
    REQUIRE(count == 1);  // the cycle at 10 s did not know of the second job
    CHECK(decisions[0].job == 0);
    CHECK(decisions[0].at == 10 * second);
    CHECK(decided(handle, 30 * second) == Texts{"starts 1: 1@1"});
}

TEST_CASE("ask: groups start as one, by their document or by their number", "[c]") {
    const Handle handle = asked();
    berth_request gang = three();
    gang.size = 2;
    CHECK(submit(handle, gang) == 0);
    CHECK(decided(handle, 0) == Texts{"starts 0: 1@0 1@1"});
    berth_request group{};
    group.group =
        "spec: {group: {name: g, size: 2, type: three}, constraints: [{level: server, affinity: "
        "spread, soft: false}]}";
    group.priority = 5;
    CHECK(submit(handle, group) == 1);
    CHECK(decided(handle, 1 * second).empty());
    REQUIRE(berth_ended(handle.get(), 0) == BERTH_OK);
    CHECK(decided(handle, 2 * second) == Texts{"starts 1: 1@0 1@1"});
}

TEST_CASE("ask: who is refused is told why", "[c]") {
    const Handle handle =
        asked(replaced(two_servers, "{profile: {queueSort: easy-backfill}}", "{retry: never}"));
    for (int i = 0; i < 3; ++i) {
        (void)submit(handle, three());
    }
    const Texts texts = decided(handle, 0);
    REQUIRE(texts.size() == 3);
    CHECK(texts[2].starts_with("rejected 2:"));
    CHECK(texts[2].size() > std::string("rejected 2:").size());
    CHECK(berth_ended(handle.get(), 2) == BERTH_BAD_INPUT);
    CHECK(said(handle) == "job: error: job number 2 cannot end: it has ended already");
}

TEST_CASE("ask: what cannot be told is refused, and nothing has happened", "[c][bad-input]") {
    const Handle handle = asked();
    const auto refused = [&](int status, const std::string& message) {
        CHECK(status == BERTH_BAD_INPUT);
        CHECK(said(handle) == message);
    };
    refused(berth_ended(handle.get(), 0),
            "job: error: job number 0 cannot end: it was not submitted");
    refused(berth_ended(handle.get(), -1),
            "job: error: job number -1 cannot end: it was not submitted");
    (void)submit(handle, three());
    refused(berth_ended(handle.get(), 0),
            "job: error: job number 0 cannot end: it comes at the next turn: expected an end after "
            "that");
    CHECK(decided(handle, 5 * second).size() == 1);
    const berth_decision* decisions = nullptr;
    std::size_t count = 0;
    refused(berth_decide(handle.get(), 4 * second, &decisions, &count),
            "now: error: 4000000000 ns: expected a time from 5000000000 on, to which it has gone "
            "on");
    refused(berth_decide(handle.get(), INT64_MAX, &decisions, &count),
            "now: error: 9223372036854775807 ns: expected a time from 5000000000 on, to which it "
            "has gone on");
    REQUIRE(berth_ended(handle.get(), 0) == BERTH_OK);
    refused(berth_ended(handle.get(), 0),
            "job: error: job number 0 cannot end: it has ended already");
    refused(berth_server_changed(handle.get(), 2, 0),
            "server: error: 2: expected an index from 0 to 1");
    refused(berth_server_changed(handle.get(), -1, 0),
            "server: error: -1: expected an index from 0 to 1");
    refused(berth_server_changed(handle.get(), 1, 1),
            "server: error: server 'server-1' is there already: expected a change");
    REQUIRE(berth_server_changed(handle.get(), 1, 0) == BERTH_OK);
    refused(berth_server_changed(handle.get(), 1, 0),
            "server: error: server 'server-1' is away already: expected a change");
    CHECK(decided(handle, 6 * second).empty());
}

TEST_CASE("ask: a request's mistakes name the field", "[c][bad-input]") {
    const Handle handle = asked();
    const auto refused = [&](const berth_request& request, const std::string& message) {
        std::int64_t number = BERTH_NONE;
        CHECK(berth_submit(handle.get(), &request, &number) == BERTH_BAD_INPUT);
        CHECK(said(handle) == message);
        CHECK(number == BERTH_NONE);
    };
    berth_request request{};
    refused(request, "type: error: neither type, demand nor group is given: expected one of them");
    const std::vector<std::int64_t> demand{1000, 1500};
    request.demand = demand.data();
    refused(request,
            "demand: error: 1500m of nvidia.com/gpu: expected a part of one GPU, or whole ones");
    const std::vector<std::int64_t> negative{-1, 0};
    request.demand = negative.data();
    refused(request, "demand: error: -1 of cpu: expected an amount from 0 to 922337203685");
    request.type = "three";
    refused(request, "type: error: given beside demand: expected one of them");
    request = three();
    request.type = "four";
    refused(request, "type: error: unknown type 'four': expected three");
    request = three();
    request.size = -1;
    refused(request, "size: error: -1: expected a number from 0 to 10000000");
    request = three();
    request.min_available = 2;
    refused(request, "min_available: error: 2: expected a number from 0 to 1");
    request = three();
    request.priority = INT64_C(5'000'000'000);
    refused(request,
            "priority: error: 5000000000: expected a number from -2147483648 to 2147483647");
    request = three();
    request.estimate = -1;
    refused(request, "estimate: error: -1: expected a number from 0 to 9223372036854775806");
    request = three();
    request.user = "R\xe9";
    refused(request, "user: error: 'R\\xe9' is not UTF-8: expected a text in UTF-8");
    request = three();
    request.name = "\xff";
    refused(request, "name: error: '\\xff' is not UTF-8: expected a text in UTF-8");
    request = three();
    request.group = "spec: {group: {name: g, size: 2, type: three}}";
    refused(request,
            "type: error: cannot be given with group, whose document says what members ask for: "
            "expected neither type nor demand");
    request.type = nullptr;
    request.group = "spec: {group: {name: g, size: none, type: three}}";
    refused(request, "group:1:31: error: found 'none': expected a whole number from 1 to 10000000");
    CHECK(submit(handle, three()) == 0);  // refused jobs do not get a number
}

TEST_CASE("ask: quotas hold for jobs that are submitted", "[c]") {
    const std::string with_quotas = two_servers + R"(  quotas:
    - objects:
        - kind: ElasticQuota
          metadata: {name: red}
          spec: {min: {cpu: 3}, max: {cpu: 3}}
)";
    const Handle handle = asked(with_quotas);
    berth_request request = three();
    request.quota = "red";
    (void)submit(handle, request);
    (void)submit(handle, request);
    CHECK(decided(handle, 0) == Texts{"starts 0: 1@0"});
    REQUIRE(berth_ended(handle.get(), 0) == BERTH_OK);
    CHECK(decided(handle, second) == Texts{"starts 1: 1@0"});
    request.quota = "blue";
    std::int64_t number = BERTH_NONE;
    CHECK(berth_submit(handle.get(), &request, &number) == BERTH_BAD_INPUT);
    CHECK(said(handle).starts_with("quota: error: unknown quota 'blue'"));
}

TEST_CASE("ask: an experiment that has things happen by itself is refused", "[c][bad-input]") {
    const auto said_of = [](const std::string& more) {
        const Handle handle = opened(two_servers + more);
        CHECK(berth_ask(handle.get()) == BERTH_BAD_INPUT);
        return said(handle);
    };
    CHECK(said_of("  until: 1d\n") ==
          "e.yaml:11:10: error: until cannot be used where the scheduler is asked (berth_ask), "
          "since the caller says what happens: expected an experiment without it");
    CHECK(said_of("  workload: [{pods: [{name: a, type: three}]}]\n") ==
          "e.yaml:11:13: error: a workload that brings jobs cannot be used where the scheduler is "
          "asked (berth_ask), since the caller submits the jobs: expected background alone");
    const Handle caller = opened(two_pods);
    CHECK(berth_ask(caller.get()) == BERTH_BAD_INPUT);
    CHECK(said(caller) ==
          "e.yaml:10:23: error: only berth's own schedulers can be asked (berth_ask), and this is "
          "none of them: expected scheduler: {profile: ...}");
    std::string by_kube = two_servers;
    by_kube.replace(by_kube.find("{profile:"), std::string::npos, "{kube: {}}\n");
    const Handle kube = opened(by_kube);
    CHECK(berth_ask(kube.get()) == BERTH_BAD_INPUT);
    CHECK(
        said(kube).ends_with("only berth's own schedulers can be asked (berth_ask), and this is "
                             "none of them: expected scheduler: {profile: ...}"));
    const Handle background = opened(two_servers + "  workload: [{background: {load: 1}}]\n");
    REQUIRE(berth_ask(background.get()) == BERTH_OK);
    (void)submit(background, three());
    CHECK(decided(background, 0).empty());
}

TEST_CASE("ask: calls have their place", "[c][bad-input]") {
    const Handle handle = opened(two_servers);
    std::int64_t at = 0;
    CHECK(berth_next_turn(handle.get(), &at) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "no scheduler to ask: expected berth_ask before");
    REQUIRE(berth_ask(handle.get()) == BERTH_OK);
    CHECK(berth_ask(handle.get()) == BERTH_OUT_OF_TURN);
    CHECK(berth_begin(handle.get(), nullptr) == BERTH_OUT_OF_TURN);
    CHECK(berth_run(handle.get(), nullptr, 1) == BERTH_OUT_OF_TURN);
    CHECK(berth_submit(handle.get(), nullptr, &at) == BERTH_BAD_INPUT);
    CHECK(berth_next_turn(handle.get(), nullptr) == BERTH_BAD_INPUT);
    CHECK(decided(handle, 0).empty());
}
