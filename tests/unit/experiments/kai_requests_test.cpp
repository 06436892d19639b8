#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

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
