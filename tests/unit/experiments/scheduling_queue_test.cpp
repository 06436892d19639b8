#include "schedulers/kube/run/scheduling_queue.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "schedulers/kube/run/queueing_hints.hpp"

namespace berth::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

namespace kube = core::kube;

QueuedPod queued(std::uint64_t number, std::int64_t priority = 0) {
    QueuedPod pod;
    pod.number = number;
    pod.job = JobId{static_cast<std::uint32_t>(number)};
    pod.priority = priority;
    return pod;
}

/// The numbers of the pods that can be taken now, in this order.
std::string taken(SchedulingQueue& queue, SimTime now) {
    std::string numbers;
    while (const auto pod = queue.pop(now)) {
        numbers += (numbers.empty() ? "" : " ") + std::to_string(pod->number);
    }
    return numbers;
}

/// Takes the next pod, for which no node is feasible.
void fail_next(SchedulingQueue& queue, SimTime now) {
    queue.put_back(*queue.pop(now), {"NodeResourcesFit"}, now);
}

const auto helps_all = [](const QueuedPod& /*pod*/) { return true; };

TEST_CASE("scheduling queue: the highest priority is first, then who came first") {
    SchedulingQueue queue{std::chrono::seconds(1), std::chrono::seconds(10)};
    queue.add(queued(1), SimTime(0));
    queue.add(queued(2, 5), SimTime(0));
    queue.add(queued(3), SimTime(0));
    queue.add(queued(4, 5), SimTime(0));
    CHECK(taken(queue, SimTime(0)) == "2 4 1 3");
}

TEST_CASE("scheduling queue: a pod that failed waits for an event, then for its backoff") {
    SchedulingQueue queue{std::chrono::seconds(1), std::chrono::seconds(10)};
    queue.add(queued(1), SimTime(0));
    fail_next(queue, SimTime(0));
    CHECK_FALSE(queue.can_pop());

    // It backs off, and is taken early because nothing else is active; but once at an instant.
    queue.move_if(SimTime(0), helps_all);
    queue.add(queued(2), SimTime(0));
    CHECK(queue.pop(SimTime(0))->number == 2);
    fail_next(queue, SimTime(0));
    queue.move_if(SimTime(0), helps_all);
    CHECK_FALSE(queue.can_pop());
    CHECK(queue.next_tick(SimTime(0), false) == SimTime(seconds(3)));
    CHECK_FALSE(queue.tick(seconds(3)));
    CHECK(taken(queue, seconds(3)) == "1");
}

TEST_CASE("scheduling queue: backoff takes twice as long each time, up to ten seconds") {
    SchedulingQueue queue{std::chrono::seconds(1), std::chrono::seconds(10)};
    queue.add(queued(1), SimTime(0));
    SimTime now(0);
    for (const int expected : {1, 2, 4, 8, 10, 10}) {
        QueuedPod pod = *queue.pop(now);
        queue.put_back_after_error(std::move(pod), now);
        CHECK_FALSE(queue.can_pop());
        const auto over = queue.next_tick(now, false);
        CHECK(over == now + seconds(expected + 1));  // the second after its expiry
        now = *over;
        CHECK_FALSE(queue.tick(now));
    }
}

TEST_CASE("scheduling queue: after five minutes a pod is tried again at a whole half minute") {
    SchedulingQueue queue{std::chrono::seconds(1), std::chrono::seconds(10)};
    queue.add(queued(1), seconds(10));
    fail_next(queue, seconds(10));
    CHECK_FALSE(queue.next_tick(seconds(10), false));
    CHECK(queue.next_tick(seconds(10), true) == SimTime(seconds(330)));
    CHECK(queue.next_tick(seconds(400), true) == SimTime(seconds(420)));
    CHECK_FALSE(queue.tick(minutes(5)));
    CHECK(queue.tick(seconds(330)));
    CHECK(taken(queue, seconds(330)) == "1");
}

TEST_CASE("scheduling queue: the last pods of a job leave from every part") {
    SchedulingQueue queue{std::chrono::seconds(1), std::chrono::seconds(10)};
    for (std::uint64_t number = 1; number <= 3; ++number) {
        QueuedPod pod = queued(number);
        pod.job = JobId{7};
        queue.add(std::move(pod), SimTime(0));
    }
    fail_next(queue, SimTime(0));
    CHECK(queue.remove_last_of(JobId{7}) == 3);
    CHECK(queue.remove_last_of(JobId{7}) == 2);
    CHECK(queue.remove_last_of(JobId{7}) == 1);
    CHECK_FALSE(queue.remove_last_of(JobId{7}));
    CHECK(queue.size() == 0);
}

kube::Pod pod_of(const char* app) {
    kube::Pod pod;
    pod.name = app;
    pod.name_space = "default";
    pod.labels = {{"app", app}};
    return pod;
}

kube::PodTerm term_about(const char* app) {
    kube::PodTerm term;
    term.topology_key = "zone";
    term.pods = kube::LabelSelector({{"app", core::LabelExpression::Operator::in, {app}}});
    term.namespaces = {"default"};
    return term;
}

TEST_CASE("queueing hints: each plugin says which events may help a pod that it rejected") {
    const kube::Cluster cluster{kube::ClusterObjects{}};
    kube::Node node;
    node.name = "n";
    node.labels = {{"zone", "a"}};
    node.allocatable = {{"pods", core::Quantity{110'000'000'000}}};
    kube::Pod waiting = pod_of("web");
    const kube::Pod other = pod_of("db");
    const auto helps = [&](ClusterEvent::Kind kind, const char* plugin, const kube::Pod* pod) {
        return may_help({kind, pod, pod == nullptr ? &node : nullptr}, waiting, {plugin}, cluster);
    };
    using Kind = ClusterEvent::Kind;

    SECTION("NodeResourcesFit: a pod that leaves, or a node on which it would fit alone") {
        CHECK(helps(Kind::pod_deleted, "NodeResourcesFit", &other));
        CHECK_FALSE(helps(Kind::pod_added, "NodeResourcesFit", &other));
        CHECK(helps(Kind::node_added, "NodeResourcesFit", nullptr));
        waiting.containers.push_back({.name = "",
                                      .image = "",
                                      .requests = {{"cpu", core::Quantity{1'000'000'000}}},
                                      .ports = {},
                                      .is_sidecar = false});
        CHECK_FALSE(helps(Kind::node_added, "NodeResourcesFit", nullptr));
    }
    SECTION("NodeAffinity and TaintToleration: a node that matches") {
        CHECK(helps(Kind::node_added, "NodeAffinity", nullptr));
        waiting.node_selector = core::Labels{{"zone", "b"}};
        CHECK_FALSE(helps(Kind::node_added, "NodeAffinity", nullptr));
        CHECK(helps(Kind::node_added, "TaintToleration", nullptr));
        node.taints = {{"gpu", "", "NoSchedule"}};
        CHECK_FALSE(helps(Kind::node_added, "TaintToleration", nullptr));
        CHECK_FALSE(helps(Kind::pod_deleted, "TaintToleration", &other));
    }
    SECTION("PodTopologySpread: a pod that a hard constraint counts, or a node with all keys") {
        kube::SpreadConstraint constraint;
        constraint.topology_key = "zone";
        constraint.pods = term_about("db").pods;
        waiting.spread = {constraint};
        CHECK(helps(Kind::pod_added, "PodTopologySpread", &other));
        CHECK(helps(Kind::pod_deleted, "PodTopologySpread", &other));
        CHECK(helps(Kind::node_deleted, "PodTopologySpread", nullptr));
        node.labels.clear();
        CHECK_FALSE(helps(Kind::node_added, "PodTopologySpread", nullptr));
        waiting.spread.front().is_hard = false;
        CHECK_FALSE(helps(Kind::pod_added, "PodTopologySpread", &other));
    }
    SECTION("InterPodAffinity: a pod that affinity wants, or that anti-affinity does not want") {
        waiting.required_affinity = {term_about("db")};
        CHECK(helps(Kind::pod_added, "InterPodAffinity", &other));
        CHECK_FALSE(helps(Kind::pod_deleted, "InterPodAffinity", &other));
        waiting.required_affinity.clear();
        waiting.required_anti_affinity = {term_about("db")};
        CHECK(helps(Kind::pod_deleted, "InterPodAffinity", &other));
        CHECK_FALSE(helps(Kind::pod_added, "InterPodAffinity", &other));
    }
}

}  // namespace
}  // namespace berth::sim
