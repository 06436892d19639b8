#pragma once

#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

namespace berth::tests {

// Objects of Kueue, each in one line in flow style. `more` is further text of the spec, such as
// `stopPolicy: Hold`.

[[nodiscard]] std::string flavor(const std::string& name = "default", const std::string& more = "");
/// A ResourceFlavor whose nodes have the label `pool`.
[[nodiscard]] std::string flavor_with_topology(const std::string& name,
                                               const std::string& pool,
                                               const std::string& topology);
/// `labels`: node labels from the top down; the level of servers is added.
[[nodiscard]] std::string topology(const std::string& name, const std::vector<std::string>& labels);

/// The CPUs of a flavor that a ClusterQueue has: its nominalQuota, followed by limits if there are
/// any, such as `2, borrowingLimit: 1`.
struct FlavorQuota {
    std::string flavor;
    std::string cpus;
};
[[nodiscard]] std::string cluster_queue(const std::string& name,
                                        const std::vector<FlavorQuota>& quotas,
                                        const std::string& more = "");
/// A ClusterQueue with quota only in the flavor `default`.
[[nodiscard]] std::string cluster_queue(const std::string& name,
                                        const std::string& cpus,
                                        const std::string& more = "");
[[nodiscard]] std::string local_queue(const std::string& name,
                                      const std::string& cluster_queue,
                                      const std::string& more = "");
/// Kueue's Configuration with these keys.
[[nodiscard]] std::string configuration(const std::string& keys);

using KueueObjects = std::vector<std::string>;

/// A file with these objects, each as a document of one line: the first in line 1, the next in line
/// 3.
[[nodiscard]] std::string kueue_file(const KueueObjects& objects);
/// The objects as items of a list, each in a line indented by `indent`.
[[nodiscard]] std::string kueue_list(const KueueObjects& objects, const std::string& indent);

/// The `topology` of an experiment: two racks with this many servers, each with this many CPUs.
[[nodiscard]] std::string two_racks(int servers, int cpus);

/// An experiment whose jobs Kueue admits.
struct KueueExperiment {
    int servers = 4;
    std::string capacity = "cpu: 8";  ///< Capacity of each server.
    std::string types = "one: {cpu: 1}";
    std::string pods = {};      ///< Items of a list of pods, each indented by eight spaces.
    std::string workload = {};  ///< Other sources of work, indented by four spaces.
    std::string kueue = "kueue.yaml";
    std::string more = {};     ///< Other lines of the spec, indented by two spaces.
    std::string cluster = {};  ///< A `topology` instead of the servers.

    [[nodiscard]] std::string text() const;
};

/// Runs run.yaml with checks of invariants into the folder `out`.
void run_kueue(const Folder& folder);
/// The rows of a table of that run, by their values in a column.
[[nodiscard]] std::map<std::string, CsvRow> rows_by(const Folder& folder,
                                                    const std::string& table,
                                                    const std::string& column);
/// Runs run.yaml, and returns the rows of jobs.csv by job.
[[nodiscard]] std::map<std::string, CsvRow> jobs_of_run(const Folder& folder);

}  // namespace berth::tests
