#pragma once

#include <string>

#include "traces.hpp"

/// Objects that Kueue admits, as JSON, for tests of their reader.
namespace berth::tests {

inline std::string list_of(const std::string& items) {
    return "{\"apiVersion\": \"v1\", \"items\": [\n" + items + "\n], \"kind\": \"List\"}\n";
}

/// A Workload of 2 pods with 4 CPUs and a GPU each; `spec` and `status` are added to it.
inline std::string workload(const std::string& name,
                            const std::string& spec,
                            const std::string& status,
                            const std::string& metadata = "",
                            const std::string& version = "v1beta2") {
    return R"({"apiVersion": "kueue.x-k8s.io/)" + version +
           R"(", "kind": "Workload", "metadata": {"name": ")" + name +
           R"(", "namespace": "lab", "creationTimestamp": "2026-01-01T00:00:00Z")" + metadata +
           R"(}, "spec": {"queueName": "team")" + spec + R"(}, "status": {)" + status + "}}";
}

inline std::string pod_set(const std::string& more,
                           const std::string& cpu = "4",
                           const std::string& metadata = "") {
    return R"({"count": 2)" + more + R"(, "template": {"metadata": {)" + metadata +
           R"(}, "spec": {"containers": [{"resources": {"requests": {"cpu": ")" + cpu +
           R"("}, "limits": {"nvidia.com/gpu": 1}}}]}}})";
}

inline std::string pod_sets(const std::string& sets) {
    return R"(, "podSets": [)" + sets + "]";
}

inline std::string condition(const std::string& type,
                             const std::string& status,
                             const std::string& time,
                             const std::string& reason = "x") {
    return R"({"type": ")" + type + R"(", "status": ")" + status + R"(", "reason": ")" + reason +
           R"(", "lastTransitionTime": "2026-01-01T)" + time + "Z\"}";
}

inline std::string conditions(const std::string& all) {
    return R"("conditions": [)" + all + "]";
}

inline const std::string plain = pod_sets(pod_set(""));

inline std::string annotation(const std::string& name, const std::string& value) {
    return R"("annotations": {"kueue.x-k8s.io/)" + name + R"(": ")" + value + "\"}";
}

/// A Job or a Pod with a queue.
inline std::string object(const std::string& api,
                          const std::string& kind,
                          const std::string& name,
                          const std::string& metadata,
                          const std::string& rest,
                          const std::string& labels = "") {
    return R"({"apiVersion": ")" + api + R"(", "kind": ")" + kind + R"(", "metadata": {"name": ")" +
           name + R"(", "namespace": "lab", "labels": {"kueue.x-k8s.io/queue-name": "team")" +
           labels + R"(}, "creationTimestamp": "2026-01-01T00:00:00Z")" + metadata + "}, " + rest +
           "}";
}

inline std::string batch_job(const std::string& name,
                             const std::string& metadata,
                             const std::string& spec,
                             const std::string& status = "",
                             const std::string& labels = "") {
    return object("batch/v1",
                  "Job",
                  name,
                  metadata,
                  R"("spec": {"template": {"spec": {"containers": [{"resources": {"requests": )"
                  R"({"cpu": "500m"}}}]}})" +
                      spec + R"(}, "status": {)" + status + "}",
                  labels);
}

inline std::string queued_pod(const std::string& name,
                              const std::string& metadata,
                              const std::string& labels,
                              const std::string& cpu = "1",
                              const std::string& status = "") {
    return object("v1",
                  "Pod",
                  name,
                  metadata,
                  R"("spec": {"priority": 3, "containers": [{"resources": {"requests": {"cpu": ")" +
                      cpu + R"("}}}]}, "status": {)" + status + "}",
                  labels);
}

inline ReadTrace read_kueue(const std::string& items) {
    return read_trace("kueue", list_of(items));
}

inline std::string error_of(const std::string& items) {
    return read_kueue(items).error;
}

}  // namespace berth::tests
