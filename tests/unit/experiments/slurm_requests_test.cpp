#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "experiments/program/support/json_fields.hpp"
#include "schedulers/slurm/requests/slurm.hpp"

using berth::experiments::answer_slurm_request;
using berth::experiments::Json;

namespace {

/// Two nodes of four cores, and a key of slurm.conf.
Json cluster_with(const std::string& parameters) {
    return {{"conf",
             "NodeName=n[1-2] CoresPerSocket=4 RealMemory=4000\n"
             "PartitionName=batch Nodes=ALL Default=YES\n"
             "DefMemPerCPU=1000\n"
             "SchedulerParameters=" +
                 parameters + "\n"}};
}

Json job(const std::string& name, int submit_s, int nodes, int tasks_per_node, int minutes) {
    return {{"name", name},
            {"submit_s", submit_s},
            {"nodes", nodes},
            {"tasks_per_node", tasks_per_node},
            {"time_limit_min", minutes},
            {"sleep_s", 20}};
}

Json with(Json object, const std::string& key, Json value) {
    object[key] = std::move(value);
    return object;
}

Json answer_to(const Json& request) {
    return Json::parse(answer_slurm_request(request.dump()));
}

/// `at by nodes` of each start of a job.
std::vector<std::string> starts_of(const Json& answer, const std::string& name) {
    std::vector<std::string> starts;
    for (const Json& start : answer.at("jobs").at(name).at("starts")) {
        starts.push_back(fmt::format("{} {} {}",
                                     start.at("at_s").get<double>(),
                                     start.at("by").get<std::string>(),
                                     start.at("nodes").get<std::string>()));
    }
    return starts;
}

std::string error_of(const Json& request) {
    return answer_to(request).value("error", "");
}

std::string refusal_of(const Json& cluster, const Json& asked) {
    const Json answer = answer_to({{"cluster", cluster}, {"jobs", Json::array({asked})}});
    return answer.at("jobs").at(asked.at("name").get<std::string>()).value("refused", "");
}

using Starts = std::vector<std::string>;

}  // namespace

TEST_CASE("slurm: a reservation for one core takes its whole node", "[experiments][slurm]") {
    // `wide` waits for both nodes until the limit of `runs`, 121.5 s. What would still run then may
    // not start on the free cores of n1 and n2; what ends before may.
    const Json answer = answer_to({{"cluster", cluster_with("bf_interval=5")},
                                   {"jobs",
                                    {job("runs", 1, 1, 2, 2),
                                     job("wide", 6, 2, 3, 1),
                                     job("long", 9, 1, 1, 5),
                                     job("short", 9, 1, 1, 1)}}});
    CHECK(starts_of(answer, "runs") == Starts{"1.5 main n1"});
    CHECK(starts_of(answer, "short") == Starts{"11.5 backfill n1"});
    CHECK(starts_of(answer, "wide") == Starts{"22.4 main n[1-2]"});
    CHECK(starts_of(answer, "long") == Starts{"22.4 main n2"});
}

TEST_CASE("slurm: bf_max_job_test also bounds the plan", "[experiments][slurm]") {
    const auto run = [](const char* parameters) {
        return answer_to({{"cluster", cluster_with(parameters)},
                          {"jobs",
                           {job("runs", 1, 1, 4, 3),
                            job("a", 2, 2, 4, 1),
                            job("b", 3, 2, 4, 1),
                            job("short", 4, 1, 1, 1)}}});
    };
    CHECK(starts_of(run("bf_interval=5"), "short") == Starts{"6.5 backfill n2"});
    // The reservation of `a` uses all room: the pass ends at `b`, and nobody tries `short`.
    CHECK(starts_of(run("bf_interval=5,bf_max_job_test=2"), "short") == Starts{"64.2 main n1"});
}

TEST_CASE("slurm: recorded passes drive a run", "[experiments][slurm]") {
    Json request{
        {"cluster", cluster_with("")},
        {"jobs",
         {with(job("first", 1, 2, 4, 1), "run_s", 7.5), with(job("next", 2, 1, 4, 1), "run_s", 3)}},
        {"cycles", {{"main", {3.25, 12}}, {"main_full", {40}}, {"backfill", {11}}}}};
    const Json answer = answer_to(request);
    CHECK(starts_of(answer, "first") == Starts{"3.25 main n[1-2]"});
    CHECK(starts_of(answer, "next") == Starts{"11 backfill n1"});
    // Without the pass of backfill, the next one of the main loop starts it.
    request["cycles"].erase("backfill");
    CHECK(starts_of(answer_to(request), "next") == Starts{"12 main n1"});
}

TEST_CASE("slurm: lengths that are not known follow from the passes", "[experiments][slurm]") {
    // The pass at 25.9 has no other cause than the end of `first`, which sleeps 20 s.
    const Json answer = answer_to({{"cluster", cluster_with("")},
                                   {"jobs", {job("first", 1, 2, 4, 1), job("next", 2, 2, 4, 1)}},
                                   {"cycles", {{"main", {3.25, 25.9}}, {"backfill", {24.1, 30}}}}});
    CHECK(starts_of(answer, "next") == Starts{"25.9 main n[1-2]"});
}

TEST_CASE("slurm: the controller's own clock", "[experiments][slurm]") {
    const Json slow = answer_to(
        {{"cluster", cluster_with("")}, {"jobs", {job("a", 1, 1, 1, 1), job("b", 2, 1, 1, 1)}}});
    CHECK(starts_of(slow, "a") == Starts{"1.5 main n1"});
    // batch_sched_delay is 3 s.
    CHECK(starts_of(slow, "b") == Starts{"4.5 main n1"});
    const Json quick = answer_to({{"cluster", cluster_with("batch_sched_delay=0")},
                                  {"jobs", {job("a", 1, 1, 1, 1), job("b", 2, 1, 1, 1)}}});
    CHECK(starts_of(quick, "b") == Starts{"2.5 main n1"});
}

TEST_CASE("slurm: a job ends at the check after its limit", "[experiments][slurm]") {
    // It starts at 1.5 s with a limit of 60 s. Limits are checked at 56.5 s and 86.5 s.
    const Json answer = answer_to(
        {{"cluster", cluster_with("")},
         {"jobs", {with(job("long", 1, 2, 4, 1), "sleep_s", 1000), job("next", 2, 2, 4, 1)}}});
    CHECK(starts_of(answer, "next") == Starts{"87.1 main n[1-2]"});
}

TEST_CASE("slurm: arrays keep their throttle, and dependencies wait", "[experiments][slurm]") {
    const Json answer = answer_to({{"cluster", cluster_with("")},
                                   {"jobs",
                                    {with(job("tasks", 1, 1, 1, 1), "array", "0-2%2"),
                                     with(job("after", 2, 1, 1, 1), "after", "tasks")}}});
    CHECK(starts_of(answer, "tasks") == Starts{"1.5 main n1", "1.5 main n1", "22.4 main n1"});
    CHECK(starts_of(answer, "after") == Starts{"43.3 main n1"});
}

TEST_CASE("slurm: a job evicts others, which come back after 121 s", "[experiments][slurm]") {
    Json cluster = cluster_with("bf_interval=5");
    cluster["conf"] = cluster["conf"].get<std::string>() +
                      "PartitionName=high Nodes=ALL PriorityTier=2\n"
                      "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n";
    const auto high = [](Json asked) { return with(std::move(asked), "partition", "high"); };
    const Json jobs{job("half", 1, 1, 2, 9),
                    high(job("other", 1, 1, 2, 9)),
                    job("full", 1, 1, 4, 9),
                    high(job("first", 8, 1, 4, 9))};
    // `half` goes first, which is not enough, then `full`. Then `full` goes first, and suffices.
    const Json answer = answer_to({{"cluster", cluster}, {"jobs", jobs}});
    CHECK(starts_of(answer, "half") == Starts{"1.5 main n1"});
    CHECK(starts_of(answer, "other") == Starts{"1.5 main n1"});
    CHECK(starts_of(answer, "first") == Starts{"9.1 main n2"});
    // Evicted at the pass of 8.5 s, it may start from 129.5 s on.
    CHECK(starts_of(answer, "full") == Starts{"1.5 main n2", "129.5 main n1"});
    // A partition that is not evicted from keeps its jobs.
    cluster["slurm_conf"] = {{"PreemptMode", "OFF"}};
    CHECK(starts_of(answer_to({{"cluster", cluster}, {"jobs", jobs}}), "full").size() == 1);
}

TEST_CASE("slurm: a job is refused in the words of sbatch", "[experiments][slurm]") {
    Json cluster = cluster_with("");
    cluster["accounting"] = {"root||1||", "lab||1||", "lab|ann|1|normal|", "normal|0|||||"};
    const Json asked = job("j", 1, 1, 1, 10);
    const auto words = [&](const Json& changed) { return refusal_of(cluster, changed); };
    CHECK(words(asked).empty());
    CHECK(words(job("j", 1, 3, 1, 10)) ==
          "Batch job submission failed: Requested node configuration is not available");
    CHECK(words(with(asked, "partition", "gpu")) ==
          "Batch job submission failed: Invalid partition name specified");
    CHECK(words(with(asked, "qos", "high")) ==
          "Batch job submission failed: Invalid qos specification");
    CHECK(words(with(asked, "licenses", "matlab")) ==
          "Batch job submission failed: Invalid license specification");
    cluster["slurm_conf"] = {{"AccountingStorageEnforce", "associations"}};
    CHECK(words(with(with(asked, "account", "lab"), "user", "ann")).empty());
    CHECK(
        words(with(with(asked, "account", "lab"), "user", "bob")) ==
        "Batch job submission failed: Invalid account or account/partition combination specified");
    // A job beyond a limit of its partition waits for ever, or is refused.
    cluster["conf"] = "NodeName=n1\nPartitionName=batch Nodes=n1 Default=YES MaxTime=5\n";
    CHECK(words(asked).empty());
    cluster["slurm_conf"] = {{"EnforcePartLimits", "ALL"}};
    CHECK(words(asked) ==
          "Batch job submission failed: Requested time limit is invalid (missing or exceeds some "
          "limit)");
}

TEST_CASE("slurm: a wrong request is one line with its place", "[experiments][slurm][bad-input]") {
    const Json sound{{"cluster", cluster_with("")}, {"jobs", {job("j", 1, 1, 1, 10)}}};
    CHECK(error_of(sound).empty());
    const auto changed = [&](const char* pointer, Json value) {
        Json request = sound;
        request[Json::json_pointer(pointer)] = std::move(value);
        return error_of(request);
    };
    CHECK(changed("/slurm", "slurm 27.11.1") ==
          "slurm is \"slurm 27.11.1\": expected a version from 20.11 to 26.05, such as slurm "
          "22.05.8");
    CHECK(changed("/jobs/0/after", "k") ==
          "jobs[0].after is \"k\": expected the name of a job that is submitted before, and stands "
          "before it");
    CHECK(changed("/jobs/0/after", "j").starts_with("jobs[0].after is \"j\": "));
    CHECK(changed("/jobs/0/submit_s", -100) ==
          "jobs[0].submit_s is -100: expected no instant before 1970: clock_s_since_1970_at_0 says "
          "when 0 is");
    CHECK(changed("/jobs/0/time_limit_min", 0).starts_with("jobs[0].time_limit_min is 0: "));
    CHECK(changed("/jobs/0/gres", "tpu:1") ==
          "jobs[0].gres is \"tpu:1\": expected GPUs such as gpu:2 or gpu:a100:2: berth follows no "
          "other gres");
    for (const char* array : {"3-1", "x", "", "1,", "0-9:0", "1-2-3", "99999999999999999999"}) {
        CHECK(changed("/jobs/0/array", array) ==
              fmt::format("jobs[0].array is \"{}\": expected tasks such as 0-9, 1,3,5 or 0-15:4, "
                          "and behind them %N if only N may run",
                          array));
    }
    CHECK(changed("/jobs/0/array", "0-15:4,20%2").empty());
    CHECK(changed("/jobs/1", job("j", 2, 1, 1, 1)) ==
          "jobs[1].name is \"j\": expected a name that no job before has");
    CHECK(changed("/cluster/accounting", {"root||1||", "lab|ann|1||"}) ==
          "cluster.accounting[1]: field 1 is 'lab': expected an account that has a line of its own "
          "before");
    CHECK(changed("/cluster/accounting", {"root||1||", "root|ann|1|high|"}) ==
          "cluster.accounting[1]: field 4 is 'high': expected a QOS that has a line");
    CHECK(changed("/cluster/slurm_conf", {{"SchedulerType", "sched/wiki"}}) ==
          "cluster.slurm_conf: SchedulerType is 'sched/wiki': expected sched/backfill or "
          "sched/builtin");
}

TEST_CASE("slurm: what would have no effect, or another one, is refused",
          "[experiments][slurm][bad-input]") {
    const Json sound{{"cluster", cluster_with("")}, {"jobs", {job("j", 1, 1, 1, 10)}}};
    const auto changed = [&](const char* pointer, Json value) {
        Json request = sound;
        request[Json::json_pointer(pointer)] = std::move(value);
        return error_of(request);
    };
    CHECK(changed("/cluster/nodes", Json::array())
              .ends_with("expected nothing beside conf, which has them"));
    CHECK(changed("/cluster/slurm_conf", {{"NodeName", "n9"}})
              .ends_with("expected nodes and partitions in conf, or beside slurm_conf"));
    CHECK(changed("/cycles", {{"mian", Json::array()}})
              .ends_with("unknown key: expected main, main_full or backfill (did you mean "
                         "'main'?)"));
    CHECK(changed("/jobs/0/gpus", "t4:1")
              .ends_with("expected a number of GPUs of any type: gres has those of one type, on "
                         "each node"));
    CHECK(changed("/jobs/0/sleep_s", -1).starts_with("jobs[0].sleep_s is -1: "));
    CHECK(changed("/jobs/0/run_s", -1).starts_with("jobs[0].run_s is -1: "));
    CHECK(error_of({{"cluster", cluster_with("")},
                    {"jobs", {with(with(job("j", 1, 1, 1, 10), "array", "0-1"), "run_s", 5)}}})
              .ends_with("expected sleep_s of an array, or task_run_s, which has them by task"));
    const auto conf_says = [&](const std::string& key) {
        return error_of(
            {{"cluster", {{"conf", "NodeName=n1\nPartitionName=b Nodes=all Default=yes\n" + key}}},
             {"jobs", Json::array()}});
    };
    CHECK(conf_says("PreemptMode=requeue\n").empty());
    CHECK(conf_says("OverTimeLimit=UNLIMITED\n").empty());
    CHECK(conf_says("PreemptMode=SUSPEND\n") ==
          "slurm.conf:3: PreemptMode is 'SUSPEND': expected REQUEUE, CANCEL or OFF: berth suspends "
          "no job");
    CHECK(conf_says("SelectTypeParameters=CR_Cores\n") ==
          "slurm.conf:3: SelectTypeParameters is 'CR_Cores': expected a list such as "
          "CR_Core_Memory,CR_LLN");
}

TEST_CASE("slurm: a job that never starts has a reason", "[experiments][slurm]") {
    const Json answer = answer_to(
        {{"cluster",
          {{"conf",
            "NodeName=n1 RealMemory=1000\nPartitionName=b Nodes=ALL Default=YES MaxTime=5\n"
            "PartitionName=c Nodes=ALL Default=YES\n"}}},
         {"jobs",
          {with(job("held", 1, 1, 1, 1), "priority", 0),
           with(job("long", 2, 1, 1, 10), "partition", "b"),
           job("runs", 3, 1, 1, 10)}}});
    CHECK(answer.at("jobs").at("held").at("reason") == "JobHeldUser");
    CHECK(answer.at("jobs").at("long").at("reason") == "PartitionTimeLimit");
    CHECK(starts_of(answer, "runs").size() == 1);  // the last default partition counts
}

TEST_CASE("slurm: the default QOS of an association limits jobs", "[experiments][slurm]") {
    const auto answer_for = [](const char* association, const char* qos, const char* enforce) {
        Json asked = with(with(job("j", 1, 1, 2, 1), "user", "ann"), "account", "lab");
        if (*qos != '\0') {
            asked["qos"] = qos;
        }
        return answer_to({{"cluster",
                           {{"conf", cluster_with("")["conf"].get<std::string>() + enforce},
                            {"accounting",
                             {"small|0||cluster|cpu=1||",
                              "wide|0||cluster|license/x=1||",
                              "root||1||",
                              "lab||1|small|small",
                              association}}}},
                          {"jobs", {asked}}});
    };
    // Two CPUs are above the limit of the account's default, and not of the user's.
    CHECK(answer_for("lab|ann|1||", "", "").at("jobs").at("j").at("reason") == "QOSResourceLimit");
    const Json wide = answer_for("lab|ann|1|wide|wide", "", "");
    CHECK(starts_of(wide, "j").size() == 1);
    CHECK(wide.at("not_followed") == Json({"cluster.accounting[1]: a limit of license/x"}));
    CHECK(answer_for("lab|ann|1||", "wide", "AccountingStorageEnforce=qos\n")
              .at("jobs")
              .at("j")
              .at("refused") == "Batch job submission failed: Invalid qos specification");
}

TEST_CASE("slurm: numbers keep within those of Slurm, and no run waits for ever",
          "[experiments][slurm][bad-input]") {
    const auto answer_with = [](const std::string& conf) {
        return answer_to(
            {{"cluster", {{"conf", "NodeName=n1\nPartitionName=b Nodes=ALL Default=YES\n" + conf}}},
             {"jobs", {job("j", 1, 1, 1, 10), job("wide", 1, 2, 1, 10)}}});
    };
    CHECK(answer_with("PriorityCalcPeriod=200000000000000\n").at("error") ==
          "slurm.conf:3: PriorityCalcPeriod is '200000000000000': expected minutes, H:M:S, "
          "D-H:M:S or UNLIMITED");
    CHECK(answer_with("SchedulerParameters=bf_interval=10801\n").at("error") ==
          "slurm.conf:3: bf_interval is '10801': expected a whole number from 1 to 10800");
    CHECK(answer_with("SchedulerParameters=sched_interval=4294967295\n").contains("jobs"));
    CHECK(answer_with("OverTimeLimit=4294967295\n").contains("jobs"));
}

TEST_CASE("slurm: what is not followed is said by name", "[experiments][slurm]") {
    const Json answer = answer_to(
        {{"cluster", cluster_with("bf_busy_nodes,bf_interval=5")}, {"jobs", Json::array()}});
    CHECK(answer.at("not_followed") ==
          Json({"slurm.conf:4: SchedulerParameters bf_busy_nodes: backfill would prefer nodes in "
                "use"}));
}

TEST_CASE("slurm: keys of partitions and nodes that are not followed are said",
          "[experiments][slurm]") {
    const auto answer_with = [](const std::string& node, const std::string& partition) {
        return answer_to({{"cluster",
                           {{"conf",
                             "NodeName=n1 " + node + "\nPartitionName=b Nodes=ALL Default=YES " +
                                 partition + "\n"}}},
                          {"jobs", Json::array()}});
    };
    CHECK(answer_with("", "MaxCPUsPerNode=2 GraceTime=60").at("not_followed") ==
          Json({"slurm.conf:2: MaxCPUsPerNode: a key of a partition",
                "slurm.conf:2: GraceTime: a key of a partition"}));
    CHECK(
        answer_with("State=DOWN", "").at("error") ==
        "slurm.conf:1: State is 'DOWN': expected UNKNOWN, IDLE, CLOUD or FUTURE: leave out a node "
        "that takes no jobs");
}
