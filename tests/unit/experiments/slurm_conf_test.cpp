#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "experiments/program/support/json_fields.hpp"
#include "schedulers/slurm/requests/host_list.hpp"
#include "schedulers/slurm/requests/slurm.hpp"

using berth::experiments::answer_slurm_request;
using berth::experiments::host_list;
using berth::experiments::Json;

namespace {

const std::string partition = "PartitionName=batch Nodes=ALL Default=YES\n";

Json answer_to(const std::string& conf, const std::string& gres, const Json& jobs) {
    const Json request{{"cluster", {{"conf", conf}, {"gres", gres}}}, {"jobs", jobs}};
    return Json::parse(answer_slurm_request(request.dump()));
}

std::string error_of(const std::string& conf, const std::string& gres = "") {
    return answer_to(conf, gres, Json::array()).value("error", "");
}

/// Where the first of some jobs starts, with its GPUs.
std::string place_of(const std::string& conf, const std::string& gres, Json asked) {
    asked["name"] = "j";
    asked["submit_s"] = 1;
    asked["sleep_s"] = 5;
    asked["time_limit_min"] = 1;
    const Json answer = answer_to(conf, gres, Json::array({asked}));
    CHECK(answer.value("error", "") == "");
    const Json& job = answer.at("jobs").at("j");
    const Json& starts = job.at("starts");
    return starts.empty() ? job.value("refused", "waits")
                          : fmt::format("{} {}",
                                        starts[0].at("nodes").get<std::string>(),
                                        starts[0].at("gpus").dump());
}

}  // namespace

TEST_CASE("slurm: host lists", "[experiments][slurm]") {
    CHECK(host_list({"n1", "n2", "n3", "n7", "m"}) == "n[1-3,7],m");
}

TEST_CASE("slurm: a host list that is none is refused", "[experiments][slurm]") {
    const std::string many(100'000, '[');
    for (const std::string& names : {std::string("n[1-"), many}) {
        const Json answer =
            answer_to("NodeName=" + names + " CPUs=1\n" + partition, "", Json::array());
        CHECK_THAT(answer.at("error").get<std::string>(),
                   Catch::Contains("expected a host list of at most a million names"));
    }
}

TEST_CASE("slurm: slurm.conf has defaults, comments and long lines", "[experiments][slurm]") {
    const std::string conf =
        "# nodes\n"
        "NODENAME=DEFAULT Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 \\\n"
        "   RealMemory=8000\n"
        "nodename=n1 Weight=9 Comment=\"a # b\"\n"
        "NodeName=n2 CPUs=4\n"
        "NodeName=n3 State=FUTURE\n" +
        partition + "SelectTypeParameters=CR_Core\n";
    // n2 is lighter, and has only its cores as CPUs.
    CHECK(place_of(conf, "", {{"nodes", 1}, {"ntasks", 4}}) == "n2 {}");
    CHECK(place_of(conf, "", {{"nodes", 1}, {"ntasks", 5}}) == "n1 {}");
    CHECK(place_of(conf, "", {{"nodes", 2}}) == "n[1-2] {}");
    CHECK(place_of(conf, "", {{"nodes", 3}}) ==
          "Batch job submission failed: Requested node configuration is not available");
}

TEST_CASE("slurm: the GPUs of a node are the lines of gres.conf", "[experiments][slurm]") {
    const std::string conf =
        "NodeName=n[1-2] Sockets=2 CoresPerSocket=4 RealMemory=8000 Gres=gpu:t4:1,gpu:a100:2\n"
        "GresTypes=gpu\nDefMemPerCPU=10\n" +
        partition;
    const std::string gres =
        "NodeName=n[1-2] Name=gpu Type=t4 File=/dev/nvidia0 Cores=0-3\n"
        "NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[1-2] Cores=4-7\n";
    CHECK(place_of(conf, gres, {{"nodes", 1}, {"gres", "gpu:a100:1"}}) == R"(n1 {"n1":[1]})");
    CHECK(place_of(conf, gres, {{"nodes", 2}, {"gres", "gpu:t4"}}) ==
          R"(n[1-2] {"n1":[0],"n2":[0]})");
    CHECK(place_of(conf, "", {{"nodes", 1}, {"gres", "gpu:3"}}) == R"(n1 {"n1":[0,1,2]})");
}

TEST_CASE("slurm: files that contradict are refused with their line",
          "[experiments][slurm][bad-input]") {
    const std::string node = "NodeName=n[1-2] CoresPerSocket=4 Gres=gpu:2\n";
    CHECK(error_of(node + partition).empty());
    CHECK(
        error_of(node + "Include /etc/slurm/nodes.conf\n") ==
        "slurm.conf:2: Include is '/etc/slurm/nodes.conf': expected the lines of that file in its "
        "place: only this text is here");
    CHECK(error_of(node + "\nNodeName=n2\n") ==
          "slurm.conf:3: NodeName is 'n2': expected each node once: n2 has a line before");
    CHECK(error_of("NodeName=n[1-3\n") ==
          "slurm.conf:1: NodeName is 'n[1-3': expected a host list of at most a million names, "
          "such as n[1-3,7]");
    CHECK(error_of(node + "PartitionName=p Nodes=n[1-3]\n") ==
          "slurm.conf:2: Nodes is 'n[1-3]': expected nodes of the cluster: it has no n3");
    CHECK(error_of(node + partition + partition) ==
          "slurm.conf:3: PartitionName is 'batch': expected a name that no partition before has");
    CHECK(error_of("NodeName=n1 CPUs=6 Sockets=2 CoresPerSocket=4\n") ==
          "slurm.conf:1: CPUs is '6': expected 8, as Sockets, CoresPerSocket and ThreadsPerCore "
          "make it");
    CHECK(error_of(node, "NodeName=n1 Name=gpu File=/dev/nvidia[0-3]\n") ==
          "slurm.conf:1: Gres is 'gpu:2': expected the 4 of node n1 in gres.conf");
    CHECK(error_of(node, "NodeName=n9 Name=gpu File=/dev/nvidia0\n") ==
          "gres.conf:1: NodeName is 'n9': expected nodes of slurm.conf: it has no n9");
    CHECK(error_of(node, "NodeName=n1 Name=gpu Count=2 Cores=0-9\n") ==
          "gres.conf:1: Cores is '0-9': expected cores of a node of 4, such as 0-7");
    CHECK(error_of(node + "SchedulerParameters\n") ==
          "slurm.conf:2: 'SchedulerParameters': expected KEY=VALUE");
    CHECK(error_of("PartitionName=p\n") == "cluster.conf has no node: expected at least one");
    CHECK(error_of(node + "DefMemPerCPU=\"1000\n") ==
          "slurm.conf:2: a quote does not end: expected \"");
}
