#include "kueue_documents.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::tests {

namespace {

std::string of_kueue(const std::string& kind, const std::string& name, const std::string& spec) {
    return fmt::format(
        "{{apiVersion: kueue.x-k8s.io/v1beta2, kind: {}, metadata: {{name: {}}}, spec: {{{}}}}}",
        kind,
        name,
        spec);
}

std::string behind_comma(const std::string& more) {
    return more.empty() ? "" : ", " + more;
}

}  // namespace

std::string flavor(const std::string& name, const std::string& more) {
    return of_kueue("ResourceFlavor", name, more);
}

std::string flavor_with_topology(const std::string& name,
                                 const std::string& pool,
                                 const std::string& topology) {
    return flavor(name, fmt::format("nodeLabels: {{pool: {}}}, topologyName: {}", pool, topology));
}

std::string topology(const std::string& name, const std::vector<std::string>& labels) {
    std::string levels;
    for (const std::string& label : labels) {
        levels += fmt::format("{{nodeLabel: {}}}, ", label);
    }
    return of_kueue(
        "Topology", name, fmt::format("levels: [{}{{nodeLabel: kubernetes.io/hostname}}]", levels));
}

std::string cluster_queue(const std::string& name,
                          const std::vector<FlavorQuota>& quotas,
                          const std::string& more) {
    std::vector<std::string> flavors;
    for (const FlavorQuota& quota : quotas) {
        flavors.push_back(fmt::format("{{name: {}, resources: [{{name: cpu, nominalQuota: {}}}]}}",
                                      quota.flavor,
                                      quota.cpus));
    }
    return of_kueue(
        "ClusterQueue",
        name,
        fmt::format("namespaceSelector: {{}}, resourceGroups: [{{coveredResources: [cpu], "
                    "flavors: [{}]}}]{}",
                    fmt::join(flavors, ", "),
                    behind_comma(more)));
}

std::string cluster_queue(const std::string& name,
                          const std::string& cpus,
                          const std::string& more) {
    return cluster_queue(name, {FlavorQuota{"default", cpus}}, more);
}

std::string local_queue(const std::string& name,
                        const std::string& cluster_queue,
                        const std::string& more) {
    return of_kueue(
        "LocalQueue", name, fmt::format("clusterQueue: {}{}", cluster_queue, behind_comma(more)));
}

std::string configuration(const std::string& keys) {
    return fmt::format("{{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, {}}}",
                       keys);
}

std::string kueue_file(const KueueObjects& objects) {
    return fmt::format("{}\n", fmt::join(objects, "\n---\n"));
}

std::string kueue_list(const KueueObjects& objects, const std::string& indent) {
    std::string text;
    for (const std::string& object : objects) {
        text += fmt::format("{}- {}\n", indent, object);
    }
    return text;
}

std::string two_racks(int servers, int cpus) {
    return fmt::format(R"(  topology:
    spec:
      levels: [{{name: zone, count: 1}}, {{name: rack, count: 2}}, {{name: server, count: {}}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: {}}}}}}}
)",
                       servers,
                       cpus);
}

std::string KueueExperiment::text() const {
    const std::string machines = fmt::format(R"(  topology:
    spec:
      levels: [{{name: server, count: {}}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{{}}}}}}}
)",
                                             servers,
                                             capacity);
    return fmt::format(R"(apiVersion: berth/v1
kind: Experiment
metadata: {{name: admitted}}
spec:
{}{}  types: {{{}}}
  workload:
{}{}{}  scheduler:
    kueue: {}
)",
                       cluster.empty() ? machines : cluster,
                       more,
                       types,
                       workload,
                       pods.empty() ? "" : "    - pods:\n",
                       pods,
                       kueue);
}

void run_kueue(const Folder& folder) {
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
}

std::map<std::string, CsvRow> rows_by(const Folder& folder,
                                      const std::string& table,
                                      const std::string& column) {
    std::map<std::string, CsvRow> rows;
    for (CsvRow& row : csv_rows(folder.read("out/" + table))) {
        const std::string key = row.at(column);
        rows.emplace(key, std::move(row));
    }
    return rows;
}

std::map<std::string, CsvRow> jobs_of_run(const Folder& folder) {
    run_kueue(folder);
    return rows_by(folder, "jobs.csv", "job");
}

}  // namespace berth::tests
