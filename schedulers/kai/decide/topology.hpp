#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kai/decide/job.hpp"
#include "schedulers/kai/decide/nodes.hpp"

namespace berth::core::kai {

struct TopologySpec {
    std::string name;
    std::vector<std::string> levels;  ///< Keys of labels, from the top.
};

/// What is to be placed together.
struct TogetherRequest {
    std::vector<Vector> pods;
    /// Where other pods of the group are already: only domains with one of them are asked, if a
    /// level is required. Empty if there are none.
    NodeSet occupied;
    bool has_active = false;
};

/// The domains of a topology: a node belongs to it only if it has the labels of all levels.
///
/// Source: KAI v0.17.0, its plugin for topologies.
class Topology {
public:
    Topology(const TopologySpec& spec, const std::vector<NodeSpec>& nodes);

    [[nodiscard]] const std::string& name() const { return spec_.name; }

    /// The sets of nodes to try, in order: domains that may have room, the deepest first; none if
    /// there is none or if the levels are wrong.
    ///
    /// `scores`: set if a level is preferred, by node: how good its domain is; -1 without one.
    /// Order:    siblings are tried from the fullest on, and scored from the emptiest on, as in
    ///           KAI.
    [[nodiscard]] std::vector<NodeSet> node_sets(const TopologyConstraint& constraint,
                                                 const TogetherRequest& request,
                                                 const NodeSet& among,
                                                 const std::vector<Node>& nodes,
                                                 std::optional<std::vector<double>>& scores);

private:
    static constexpr std::int64_t not_counted = -1;

    struct Domain {
        std::string id;
        std::size_t level = 0;  ///< 0 is the root.
        std::vector<std::size_t> children;
        NodeSet nodes;
        std::int64_t pods = not_counted;  ///< How many of the largest pods have room.
        Vector free{};
        bool may_be_tried = false;
    };

    void add_node(NodeIndex node, const NodeSpec& spec);
    [[nodiscard]] std::size_t find_level(const std::string& level) const;
    [[nodiscard]] std::size_t common_domain(const NodeSet& valid, std::size_t preferred) const;
    const Vector& sum_free(std::size_t domain, const std::vector<Node>& nodes);
    std::int64_t count_pods(std::size_t domain,
                            const Vector& largest,
                            std::int64_t count,
                            const std::vector<Node>& nodes);
    void measure(std::size_t start, const TogetherRequest& request, const std::vector<Node>& nodes);
    [[nodiscard]] double fullness(const Domain& domain) const;
    [[nodiscard]] bool may_fit(const Domain& domain) const;
    void sort_below(std::size_t domain, std::size_t until);
    void score(std::size_t start, std::size_t preferred, std::vector<double>& scores) const;
    void allow_below(std::size_t domain);
    bool allow(std::size_t required, std::size_t preferred, const TogetherRequest& request);
    [[nodiscard]] std::vector<NodeSet> sets_of(std::size_t lowest,
                                               std::size_t highest,
                                               const std::vector<bool>& valid) const;

    TopologySpec spec_;
    std::vector<Domain> domains_;  ///< The first one is the root.
    /// By level and node: its domain.
    std::vector<std::vector<std::size_t>> domain_of_;
    std::vector<std::vector<std::string>> value_of_;
    std::vector<bool> belongs_;
    Vector total_{};  ///< Of the present request.
    std::int64_t pod_count_ = 0;
};

}  // namespace berth::core::kai
