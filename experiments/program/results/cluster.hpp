#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// A node of the tree above the cells; `parent` is an index into the level above.
struct Domain {
    std::string name;
    std::uint32_t parent = 0;
};

/// One rectangle in the picture of the cluster: a server, or all servers of a domain.
struct Cell {
    std::string name;
    /// Index into the last level of Cluster::domains; 0 if there is none.
    std::uint32_t parent = 0;
    std::uint32_t servers = 1;       ///< How many servers the cell stands for.
    std::vector<double> capacity;    ///< The amount of each resource, by resource.
    std::vector<double> background;  ///< The amount in use before the run, by resource.
};

/// The members of one group, or of all groups, on the cells at one instant.
struct ClusterView {
    struct Members {
        std::uint32_t cell = 0;
        std::uint32_t count = 0;
        /// What they take of each resource, by resource; empty if a demand is not known.
        std::vector<double> amount;
    };
    std::string label;
    double time_s = 0;
    std::vector<Members> members;  ///< Only cells with members, by ascending cell.
    std::vector<Members> others;   ///< All other pods that run at that instant, in the same form.
    std::uint64_t count = 0;       ///< The number of members on all cells.
};

/// A pod of replication 0 that was on a node, with its last start.
struct PodRow {
    std::uint32_t node = 0;   ///< Index into the rows of nodes.csv; in a Cluster, into its cells.
    std::uint32_t group = 0;  ///< Index into the groups' names; `no_group`: none.
    double start_s = 0;
    double finish_s = 0;       ///< Infinite if it still runs.
    std::uint32_t demand = 0;  ///< Index into the demands; 0 is the unknown demand.
    double submit_s = 0;
    std::uint32_t quota = 0;   ///< Index into PodNames::quotas.
    std::uint32_t stem = 0;    ///< The beginning of its name, as an index into PodNames::stems.
    std::uint32_t number = 0;  ///< The number at the end of its name; `no_number`: none.
    std::uint64_t gpus = 0;    ///< Bit i stands for GPU i of its server; 0 if no GPU is known.
};
inline constexpr std::uint32_t no_group = 0xFFFFFFFF;
inline constexpr std::uint32_t no_number = 0xFFFFFFFF;

/// What each kind of pod asks for, by demand and resource. The first demand is empty: not known.
using Demands = std::vector<std::vector<double>>;

/// The texts that pods refer to by index.
struct PodNames {
    std::vector<std::string> groups;
    std::vector<std::string> quotas{""};  ///< The first one stands for no quota.
    std::vector<std::string> stems;
};

/// The cluster of replication 0. Domains and cells are in tree order: the children of a domain are
/// consecutive.
struct Cluster {
    std::vector<std::string> levels;  ///< The levels above the cells, top-down; may be empty.
    std::string leaf;                 ///< The level of the cells.
    std::string member;               ///< The word for a member: `member` of a group, or `pod`.
    std::vector<std::string> resources;
    std::vector<std::vector<Domain>> domains;  ///< One vector for each level.
    std::vector<Cell> cells;
    std::vector<ClusterView> views;  ///< Empty if nothing was placed or recorded.
    std::size_t servers = 0;         ///< The number of servers, which aggregation does not change.
    std::vector<PodRow> pods;        ///< The pods, in the order of pods.csv.
    PodNames names;                  ///< The texts that the pods refer to.
    Demands demands;
    /// The last start or finish of a pod, or the end of the run if a pod runs until then.
    double last_s = 0;
};

/// A row of nodes.csv.
struct NodeRow {
    std::string name;
    std::vector<std::string> path;  ///< The names of the nodes above it, by level, top-down.
    std::vector<double> capacity;
    std::vector<double> background;
};

/// Builds the picture. With several groups, the first view has all of them. Then each group has a
/// view, by descending size and at most `views_max` of them, at the first instant at which most of
/// its members run. Without groups, the one view has all pods.
///
/// Cost: O(n log n) in nodes and in pods.
[[nodiscard]] Cluster build_cluster(std::vector<std::string> levels,
                                    std::string leaf,
                                    std::vector<std::string> resources,
                                    const std::vector<NodeRow>& nodes,
                                    std::vector<PodRow> pods,
                                    PodNames names,
                                    Demands demands,
                                    std::size_t views_max = 16);

/// The end of a picture over time: the last start or finish. If the last 0.2% of them take more
/// than 30% of that time, it is the end of all others.
[[nodiscard]] double busy_until(const Cluster& cluster);

/// All pods that run at an instant, as members of a view.
[[nodiscard]] ClusterView view_at(const Cluster& cluster, double time_s);

/// Joins cells until at most `cells_max` are left: into the domains of the lowest level,
/// repeatedly; in a cluster without levels, into blocks of consecutive cells.
void aggregate(Cluster& cluster, std::size_t cells_max);

/// Amounts of one resource in one domain of a level.
struct DomainUse {
    double capacity = 0;
    /// The amount in use before the run, plus what pods other than the view's members take.
    double background = 0;
    double group = 0;  ///< The amount of the view's members; 0 if their demand is not known.
    std::uint64_t members = 0;
};

/// Sums the cells over the domains of `level`; `view` may be null.
[[nodiscard]] std::vector<DomainUse> use_by_domain(const Cluster& cluster,
                                                   std::size_t level,
                                                   std::size_t resource,
                                                   const ClusterView* view);

/// The same amounts for the cells themselves.
[[nodiscard]] std::vector<DomainUse> use_by_cell(const Cluster& cluster,
                                                 std::size_t resource,
                                                 const ClusterView* view);

}  // namespace berth::report
