#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "schedulers/slurm/decide/kept_offers.hpp"

namespace berth::core::slurm {

/// A node that a job gets, and how many of its CPUs count for the job.
struct ChosenNode {
    std::size_t node = 0;
    std::int64_t cpus = 0;
};

/// Which nodes a job gets of those that it may use, as select/cons_tres chooses them.
///
/// Source: docs/reference/slurm-decisions.md, "Nodes".
class NodeChoice {
public:
    /// Both must outlive it.
    NodeChoice(const std::vector<Node>& nodes, const Configuration& configuration)
        : nodes_(nodes),
          configuration_(configuration),
          offers_(nodes, configuration),
          has_near_cores_(std::ranges::any_of(nodes, &Node::has_near_cores)) {}

    /// Returns: the nodes in ascending order; nothing if the job does not fit.
    /// Cost: O(nodes), times the runs of adjacent nodes that the job needs.
    [[nodiscard]] std::optional<std::vector<ChosenNode>> choose(const Job& job,
                                                                const NodeSet& usable,
                                                                const FreeResources& free) const;
    /// The same with what nodes have for the job at hand.
    /// Cost: O(nodes that have something for the job), times the runs.
    [[nodiscard]] std::optional<std::vector<ChosenNode>> choose(const Job& job,
                                                                const NodeSet& usable,
                                                                const FreeResources& free,
                                                                const OffersByNode& offers) const;
    [[nodiscard]] const NodeOffers& offers() const { return offers_; }
    /// Whether GPUs of any node have cores near them.
    [[nodiscard]] bool has_near_cores() const { return has_near_cores_; }
    /// What the job takes on nodes that were chosen for it.
    [[nodiscard]] std::vector<Share> allocate(const Job& job,
                                              const std::vector<ChosenNode>& chosen,
                                              const FreeResources& free) const;

private:
    /// A node that the job can use.
    struct Offer {
        std::size_t node = 0;
        std::int64_t cpus = 0;
        std::int64_t weight = 0;
        std::int64_t gpus = 0;  ///< Free GPUs, for jobs that want GPUs in all.
    };
    using Offers = std::vector<Offer>;
    struct Search;

    [[nodiscard]] Offers offers_of(const Job& job,
                                   const NodeSet& usable,
                                   const FreeResources& free,
                                   bool near_only) const;
    [[nodiscard]] std::optional<std::vector<ChosenNode>> without_small_nodes(
        const Job& job, Offers offers, const FreeResources& free) const;
    [[nodiscard]] std::optional<std::vector<ChosenNode>> evaluate(const Job& job,
                                                                  const Offers& offers,
                                                                  const FreeResources& free) const;
    [[nodiscard]] std::optional<std::vector<ChosenNode>> least_loaded(
        const Job& job, Offers offers, const FreeResources& free) const;
    [[nodiscard]] std::optional<std::vector<ChosenNode>> best_runs(const Job& job,
                                                                   const Offers& offers) const;

    const std::vector<Node>& nodes_;
    const Configuration& configuration_;
    NodeOffers offers_;
    bool has_near_cores_;
};

}  // namespace berth::core::slurm
