#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schedulers/kai/requests/kai.hpp"

using berth::experiments::answer_kai_request;

namespace {

using json = nlohmann::json;

json kai_answer_to(const json& request) {
    return json::parse(answer_kai_request(request.dump()));
}

/// A queue that asks for GPUs alone.
json gpu_queue(const std::string& name, double quota, double weight, double request) {
    return {{"name", name},
            {"created", name.back()},
            {"gpu", {{"quota", quota}, {"limit", -1}, {"weight", weight}, {"request", request}}}};
}

json gpu_shares(double gpus, const std::vector<json>& queues) {
    return {{"kind", "shares"}, {"total", {{"gpu", gpus}}}, {"queues", queues}};
}

double fair_gpus(const json& answer, const std::string& queue) {
    return answer.at("fair").at(queue).at(2);
}

}  // namespace

TEST_CASE("kai: quotas are not scaled down, and the rest goes by weight", "[experiments][kai]") {
    // Both quotas together are more than the cluster has.
    const json over =
        kai_answer_to(gpu_shares(8, {gpu_queue("a", 6, 1, 6), gpu_queue("b", 6, 1, 8)}));
    CHECK(fair_gpus(over, "a") == 6);
    CHECK(fair_gpus(over, "b") == 6);
    // 10 GPUs by 1 to 2: 3.33 and 6.67; the greater fraction gets the unit that was rounded off.
    const json rest =
        kai_answer_to(gpu_shares(10, {gpu_queue("a", 0, 1, 10), gpu_queue("b", 0, 2, 10)}));
    CHECK(fair_gpus(rest, "a") == 3);
    CHECK(fair_gpus(rest, "b") == 7);
}

TEST_CASE("kai: children share what their parent gets", "[experiments][kai]") {
    json parent = gpu_queue("p", 4, 0, 8);
    json first = gpu_queue("a", 1, 1, 8);
    json second = gpu_queue("b", 1, 1, 1);
    first["parent"] = "p";
    second["parent"] = "p";
    const json answer = kai_answer_to(gpu_shares(8, {parent, first, second}));
    CHECK(fair_gpus(answer, "p") == 4);
    CHECK(fair_gpus(answer, "a") == 3);
    CHECK(fair_gpus(answer, "b") == 1);
}

TEST_CASE("kai: a queue gives back only what it has above its due", "[experiments][kai]") {
    const auto queue = [](const std::string& name, double fair, double allocated) {
        return json{
            {"name", name},
            {"cpu", {{"quota", -1}, {"limit", -1}, {"fair", -1}}},
            {"memory", {{"quota", -1}, {"limit", -1}, {"fair", -1}}},
            {"gpu", {{"quota", 2}, {"limit", -1}, {"fair", fair}, {"allocated", allocated}}}};
    };
    json request{{"kind", "rules"},
                 {"reclaimer", "a"},
                 {"requested", {0, 0, 2}},
                 {"queues", {queue("a", 4, 0), queue("b", 4, 8)}},
                 {"victims", {{"b", {{0, 0, 2}}}}}};
    CHECK(kai_answer_to(request) ==
          json{{"can_reclaim", true}, {"filter", {{"b", true}}}, {"reclaimable", true}});
    // b is within its quota.
    request["queues"][1] = queue("b", 4, 2);
    CHECK(kai_answer_to(request) ==
          json{{"can_reclaim", true}, {"filter", {{"b", true}}}, {"reclaimable", false}});
    // a would have more than its share.
    request["requested"] = {0, 0, 5};
    CHECK(kai_answer_to(request).at("can_reclaim") == false);
}

TEST_CASE("kai: a wrong request is refused with its place", "[experiments][kai][bad-input]") {
    const auto [queues, message] = GENERATE(table<std::string, std::string>({
        {R"([{"name": "a", "parent": "b"}])", "queues[0].parent is \"b\": expected one of queues"},
        {R"([{"name": "b", "parent": "a"}, {"name": "a", "parent": "b"}])",
         "queues[1].parent is \"b\": expected a queue that is not below this one"},
        {R"([{"name": "a"}, {"name": "a"}])",
         "queues[1].name is \"a\": expected a name that no other queue has"},
        {R"([{"name": "a", "cpu": {"weight": -1}}])",
         "queues[0].cpu.weight is -1: expected a number of at least 0"},
        {R"([{"name": "a", "gpu": {"limit": -0.5}}])",
         "queues[0].gpu.limit is -0.5: expected a number of at least 0, or -1, which means "
         "unlimited"},
        {R"([{"name": "a", "gpu": {"quota": 1e19}}])",
         "queues[0].gpu.quota is 1e+19: expected a number of at most 1e18"},
    }));
    CHECK(json::parse(answer_kai_request(R"({"kind": "shares", "queues": )" + queues + "}")) ==
          json{{"error", message}});
}

namespace {

/// A cluster of one node with 4 GPUs, and two queues that deserve 2 each.
json small_cycle(const std::vector<json>& jobs) {
    const auto queue = [](const std::string& name, int created) {
        const json all{{"quota", -1}, {"limit", -1}, {"weight", 1}};
        return json{{"name", name},
                    {"created", created},
                    {"cpu", all},
                    {"memory", all},
                    {"gpu", {{"quota", 2}, {"limit", -1}, {"weight", 1}}}};
    };
    return {{"kind", "cycle"},
            {"actions", {"allocate", "reclaim"}},
            {"queues", {queue("a", 1), queue("b", 2)}},
            {"nodes", {{{"name", "n"}, {"gpus", 4}, {"labels", {{"rack", "r"}}}}}},
            {"topologies", {{{"name", "t"}, {"levels", {"rack"}}}}},
            {"jobs", jobs}};
}

json job_in(const std::string& queue, int running, int pending) {
    json tasks = json::array();
    for (int i = 0; i < running; ++i) {
        tasks.push_back({{"gpus", 1}, {"status", "Running"}, {"node", "n"}});
    }
    for (int i = 0; i < pending; ++i) {
        tasks.push_back({{"gpus", 1}, {"status", "Pending"}});
    }
    return {{"name", "job-" + queue}, {"queue", queue}, {"tasks", tasks}};
}

json gang(json job, int min) {
    job["root"] = {{"kind", "set"},
                   {"kids", {{{"kind", "pods"}, {"name", "default"}, {"min", min}}}}};
    return job;
}

}  // namespace

TEST_CASE("kai: a queue below its quota takes back from one above, and no more",
          "[experiments][kai]") {
    const json answer = kai_answer_to(small_cycle({job_in("a", 0, 2), job_in("b", 4, 0)}));
    // One pod a cycle, for the job needs one; it waits until the victim is gone.
    CHECK(answer.at("events") ==
          json::parse(R"([["evict", "job-b-3"], ["pipeline", "job-a-0", "n"]])"));
    CHECK(answer.at("pods").at("job-a-1") == json{"Pending", ""});
    // Both pods or none.
    const json both = kai_answer_to(small_cycle({gang(job_in("a", 0, 2), 2), job_in("b", 4, 0)}));
    CHECK(both.at("pods").at("job-b-2").at(0) == "Releasing");
    CHECK(both.at("allocated") == json::parse(R"({"a": [0, 0, 2], "b": [0, 0, 2]})"));
    // Three would be above the fair share.
    const json none = kai_answer_to(small_cycle({gang(job_in("a", 0, 3), 3), job_in("b", 4, 0)}));
    CHECK(none.at("events").empty());
}

TEST_CASE("kai: a gang is placed whole or not at all", "[experiments][kai]") {
    CHECK(kai_answer_to(small_cycle({gang(job_in("a", 0, 5), 5)})).at("events").empty());
    const json answer = kai_answer_to(small_cycle({gang(job_in("a", 0, 5), 3)}));
    CHECK(answer.at("events").size() == 4);  // three at once, then one by one
    CHECK(answer.at("idle").at("n").at(2) == 0);
}

TEST_CASE("kai: a wrong cycle is refused with its place", "[experiments][kai][bad-input]") {
    const auto [place, value, message] = GENERATE(table<std::string, std::string, std::string>({
        {"/jobs/0/queue", R"("c")", "jobs[0].queue is \"c\": expected one of queues"},
        {"/jobs/0/root/kids/0/min",
         "3",
         "jobs[0].root.kids[0].min is 3: expected a whole number from 0 to 2"},
        {"/jobs/0/root/min", "2", "jobs[0].root.min is 2: expected a whole number from 0 to 1"},
        {"/jobs/0/tasks/0/group",
         R"("x")",
         "jobs[0].tasks[0].group is \"x\": expected the name of one of the job's groups of pods"},
        {"/jobs/0/tasks/0/node", R"("m")", "jobs[0].tasks[0].node is \"m\": expected one of nodes"},
        {"/topologies/0/levels/0",
         R"("row")",
         "topologies[0].levels[0] is \"row\": expected a label that some node has"},
        {"/queues/1/gpu/weight",
         "-1",
         "queues[1].gpu.weight is -1: expected a number of at least 0"},
        {"/queues/1/parent",
         R"("b")",
         "queues[1].parent is \"b\": expected a queue that is not below this one"},
        {"/nodes/0/gpus", "0.5", "nodes[0].gpus is 0.5: expected a whole number from 0 to 1000000"},
        {"/actions/0",
         R"("bind")",
         "actions[0] is \"bind\": expected allocate or consolidation or reclaim or preempt or "
         "stalegangeviction"},
    }));
    json request = small_cycle({gang(job_in("a", 1, 1), 1)});
    REQUIRE(kai_answer_to(request).contains("events"));
    request[json::json_pointer(place)] = json::parse(value);
    CHECK(kai_answer_to(request) == json{{"error", message}});
}
