#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// A node of the tree above the cells; `parent` indexes the level before it.
struct Domain {
    std::string name;
    std::uint32_t parent = 0;
};

/// What the cluster's picture draws as one rectangle: a server, or all servers of a domain.
struct Cell {
    std::string name;
    std::uint32_t parent = 0;        ///< Into the last of Cluster::domains; 0 when there is none.
    std::uint32_t servers = 1;       ///< How many servers it stands for.
    std::vector<double> capacity;    ///< By resource.
    std::vector<double> background;  ///< By resource.
};

/// The members of one group, or of all, on the cells at one instant.
struct ClusterView {
    struct Members {
        std::uint32_t cell = 0;
        std::uint32_t count = 0;
        std::vector<double> amount;  ///< By resource; empty when a demand is not known.
    };
    std::string label;
    double time_s = 0;
    std::vector<Members> members;  ///< By ascending cell, only cells that hold some.
    std::vector<Members> others;   ///< In the same way, all other pods that run at that instant.
    std::uint64_t count = 0;       ///< All members.
};

/// A pod of replication 0 that was on a node, by its last start.
struct PodRow {
    std::uint32_t node = 0;   ///< Into the rows of nodes.csv; in a Cluster, into its cells.
    std::uint32_t group = 0;  ///< Into the groups' names; `no_group` for none.
    double start_s = 0;
    double finish_s = 0;       ///< Infinite when it still runs.
    std::uint32_t demand = 0;  ///< Into the demands; 0 is the one that is not known.
    double submit_s = 0;
    std::uint32_t quota = 0;   ///< Into PodNames::quotas.
    std::uint32_t stem = 0;    ///< Its name: into PodNames::stems,
    std::uint32_t number = 0;  ///< and the number behind that; `no_number` for none.
    std::uint64_t gpus = 0;    ///< Bit i is GPU i of its server; none when no GPU is known.
};
inline constexpr std::uint32_t no_group = 0xFFFFFFFF;
inline constexpr std::uint32_t no_number = 0xFFFFFFFF;

/// What one pod asks for, by resource; the first of all demands is empty: not known.
using Demands = std::vector<std::vector<double>>;

/// The texts that pods point to.
struct PodNames {
    std::vector<std::string> groups;
    std::vector<std::string> quotas{""};  ///< The first is none.
    std::vector<std::string> stems;
};

/// The cluster of replication 0. Domains and cells stand in tree order: the children of a domain
/// follow each other.
struct Cluster {
    std::vector<std::string> levels;  ///< Above the cells, top-down; may be empty.
    std::string leaf;                 ///< The cells' level.
    std::string member;               ///< What a member is: `member` of a group, or `pod`.
    std::vector<std::string> resources;
    std::vector<std::vector<Domain>> domains;  ///< By level.
    std::vector<Cell> cells;
    std::vector<ClusterView> views;  ///< Empty when nothing was placed or recorded.
    std::size_t servers = 0;         ///< Before aggregation.
    std::vector<PodRow> pods;        ///< As pods.csv has them.
    PodNames names;                  ///< Of the pods.
    Demands demands;
    /// The last start or finish of a pod; the end of the run where a pod runs until then.
    double last_s = 0;
};

/// A row of nodes.csv.
struct NodeRow {
    std::string name;
    std::vector<std::string> path;  ///< Names by level, top-down.
    std::vector<double> capacity;
    std::vector<double> background;
};

/// Builds the picture. The views are: all groups when there are several, then the groups by
/// descending size (at most `views_max`), each at the first instant at which most of its members
/// run. Without any group, all pods together make the one view.
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

/// Until when a picture over time should go: the last start or finish; where the last 0.2% of them
/// take more than 30% of that time, the end of all others.
[[nodiscard]] double busy_until(const Cluster& cluster);

/// All pods that run at an instant, as the members of a view.
[[nodiscard]] ClusterView view_at(const Cluster& cluster, double time_s);

/// Joins cells until at most `cells_max` are left: to the domains of the lowest level, again and
/// again; a cluster without levels, to blocks of consecutive cells.
void aggregate(Cluster& cluster, std::size_t cells_max);

/// Amounts of one domain of a level, of one resource.
struct DomainUse {
    double capacity = 0;
    double background = 0;  ///< With what other pods take beside the view's members.
    double group = 0;       ///< Of the view's members; 0 when their demand is not known.
    std::uint64_t members = 0;
};

/// Sums the cells over the domains of `level`; `view` may be null.
[[nodiscard]] std::vector<DomainUse> use_by_domain(const Cluster& cluster,
                                                   std::size_t level,
                                                   std::size_t resource,
                                                   const ClusterView* view);

/// The same for the cells themselves.
[[nodiscard]] std::vector<DomainUse> use_by_cell(const Cluster& cluster,
                                                 std::size_t resource,
                                                 const ClusterView* view);

}  // namespace berth::report
