#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traces.hpp"

using namespace std::chrono_literals;
using berth::core::GpuRequest;
using berth::tests::read_lenient;
using berth::tests::read_trace;
using berth::workloads::TraceStatus;
using Catch::Matchers::Contains;

namespace {

const std::string pods = R"({"apiVersion": "v1", "items": [
  {"kind": "Pod", "metadata": {"name": "a", "namespace": "team",
                               "creationTimestamp": "2026-01-01T00:00:00Z"},
   "spec": {"priority": 100,
     "initContainers": [{"resources": {"requests": {"cpu": "4"}}}],
     "containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Gi"},
                                   "limits": {"nvidia.com/gpu": "2"}}},
                    {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}, {}]},
   "status": {"phase": "Succeeded", "startTime": "2026-01-01T00:00:05Z",
     "containerStatuses": [{"state": {"terminated": {"finishedAt": "2026-01-01T00:01:05Z"}}},
                           {"state": {"terminated": {"finishedAt": "2026-01-01T00:02:05Z"}}}]}},
  {"kind": "Node", "metadata": {"name": "n"}},
  {"metadata": {"name": "b", "namespace": "team", "creationTimestamp": "2026-01-01T00:00:09Z",
     "annotations": {"alibabacloud.com/gpu-milli": "300", "alibabacloud.com/gpu-count": "1",
                     "alibabacloud.com/gpu-card-model": "M1|M2"}},
   "spec": {"containers": []}, "status": {"phase": "Running", "startTime": "2026-01-01T00:00:10Z",
     "containerStatuses": [{"state": {"running": {}}}]}}
], "kind": "List", "metadata": {"items": [1]}}
)";

}  // namespace

TEST_CASE("kubernetes: the items of a list are pods", "[workloads][kubernetes]") {
    const auto trace = read_trace("kubernetes", pods);
    REQUIRE(trace.error.empty());
    REQUIRE(trace.jobs.size() == 2);
    const auto& first = trace.jobs[0];
    CHECK(first.name == "a");
    CHECK(first.queue == "team");
    CHECK(first.priority == 100);
    CHECK(first.cpu_milli == 4000);  // the init container wants more than the others together
    CHECK(first.memory_bytes == 2LL << 30);
    CHECK(first.gpus == GpuRequest{1000, 2, {}});
    CHECK(first.submit == 0s);
    CHECK(first.start == 5s);
    CHECK(first.duration() == 120s);
    CHECK(first.status == TraceStatus::completed);
    const auto& second = trace.jobs[1];
    CHECK(second.gpus == GpuRequest{300, 1, {"M1", "M2"}});
    CHECK(second.submit == 9s);
    CHECK_FALSE(second.finish);
    CHECK(second.status == TraceStatus::running);
    CHECK(trace.lines == std::vector<std::uint64_t>{2, 13});
}

TEST_CASE("kubernetes: sidecars, overhead and the pod's own requests", "[workloads][kubernetes]") {
    const auto job = [](const std::string& spec) {
        const auto trace =
            read_trace("kubernetes", R"({"metadata": {"name": "a"}, "spec": {)" + spec + "}}");
        REQUIRE(trace.error.empty());
        return trace.jobs.front();
    };
    const std::string containers =
        R"("containers": [{"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}])";
    const std::string sidecar =
        R"("initContainers": [
             {"restartPolicy": "Always", "resources": {"limits": {"cpu": "500m"}}},
             {"resources": {"requests": {"cpu": "800m"}}}])";
    CHECK(job(containers + "," + sidecar).cpu_milli == 1500);
    CHECK(job(sidecar).cpu_milli == 1300);  // while the second init container runs
    CHECK(job(containers + R"(, "overhead": {"cpu": "250m", "memory": "1Mi"})").cpu_milli == 1250);
    const auto whole = job(containers + R"(, "resources": {"requests": {"cpu": "3"}})");
    CHECK(whole.cpu_milli == 3000);
    CHECK(whole.memory_bytes == 1LL << 30);
}

TEST_CASE("kubernetes: a pod a line, or a list of them", "[workloads][kubernetes]") {
    const std::string pod = "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}}";
    CHECK(read_trace("kubernetes", pod + "\n" + pod + "\r\n").jobs.size() == 2);
    CHECK(read_trace("kubernetes", "[" + pod + "," + pod + "]").jobs.size() == 2);
}

TEST_CASE("kubernetes: what is wrong with a pod is said where it stands",
          "[workloads][kubernetes]") {
    const auto error_of = [](const std::string& inside) {
        return read_trace("kubernetes",
                          "{\"items\": [\n{\"metadata\": {\"name\": \"a\"" + inside + "}]}")
            .error;
    };
    CHECK_THAT(error_of("}, \"status\": {\"phase\": \"Gone\"}"),
               Contains("t:2:49: error: unknown phase 'Gone': expected Pending"));
    CHECK_THAT(error_of(", \"creationTimestamp\": \"soon\"}"), Contains("no date 'soon'"));
    CHECK_THAT(error_of("}, \"spec\": {\"containers\": [{\"resources\": {\"requests\": {\"cpu\": "
                        "\"-1\"}}}]}"),
               Contains("cpu: no quantity '-1'"));
    CHECK_THAT(error_of("}, \"spec\": {\"containers\": 7}"), Contains("no list"));
    CHECK_THAT(error_of("}, \"spec\": {\"priority\": 1.5}"), Contains("no priority"));
    CHECK_THAT(error_of(", \"annotations\": {\"alibabacloud.com/gpu-milli\": \"300\", "
                        "\"alibabacloud.com/gpu-count\": \"2\"}}"),
               Contains("a share of several devices"));
    CHECK_THAT(error_of("}, \"status\": {\"startTime\": \"2026-01-01T00:00:05Z\", "
                        "\"containerStatuses\": [{\"state\": {\"terminated\": {\"finishedAt\": "
                        "\"2026-01-01T00:00:04Z\"}}}]}"),
               Contains("ends before it starts"));
    CHECK_THAT(read_trace("kubernetes", "").error, Contains("t:1:1: error: empty: expected pods"));
    CHECK_THAT(read_trace("kubernetes", pods.substr(0, pods.size() / 2)).error,
               Contains("ends within an element"));
    const auto lenient = read_lenient("kubernetes", pods.substr(0, pods.size() - 80));
    CHECK(lenient.jobs.size() == 1);
    CHECK(lenient.skipped.count == 1);
}

TEST_CASE("kubernetes: amounts are rounded up, and what is not counted is said",
          "[workloads][kubernetes]") {
    const auto one = [](const std::string& requests) {
        return R"({"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [
            {"resources": {"requests": {)" +
               requests + "}}}]}}\n";
    };
    const auto trace =
        read_trace("kubernetes",
                   one(R"("cpu": "0.0001", "memory": "1288490188800m", "amd.com/gpu": "1")") +
                       one(R"("amd.com/gpu": "1", "hugepages-2Mi": "2Mi")"));
    REQUIRE(trace.error.empty());
    CHECK(trace.jobs[0].cpu_milli == 1);
    CHECK(trace.jobs[0].memory_bytes == 1288490189);
    CHECK(trace.notes ==
          std::vector<std::string>{
              "2 jobs ask for amd.com/gpu, which is not counted: of a trace, a run knows cpu, "
              "memory and nvidia.com/gpu",
              "1 jobs ask for hugepages-2Mi, which is not counted: of a trace, a run knows cpu, "
              "memory and nvidia.com/gpu"});
    CHECK_THAT(read_trace("kubernetes", one(R"("nvidia.com/gpu": "500m")")).error,
               Contains("nvidia.com/gpu: no quantity '500m'"));
}
