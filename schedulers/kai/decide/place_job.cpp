#include "schedulers/kai/decide/place_job.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

namespace berth::core::kai {
namespace {

/// The scores of nodes for one pod, of which those that have room are compared.
class NodeScores {
public:
    NodeScores(const Session& session, const NodeSet& nodes, const Pod& pod)
        : session_(session), pod_(pod), dimension_(pod.request[gpu] <= 0 ? cpu : gpu) {
        if (session.settings.spreads) {
            return;
        }
        least_ = std::numeric_limits<double>::infinity();
        for (const NodeIndex index : nodes) {
            const Node& node = session.nodes[index];
            if (node.allocatable[dimension_] != 0) {
                least_ = std::min(least_, node.free[dimension_]);
                most_ = std::max(most_, node.free[dimension_]);
            }
        }
    }

    /// The parts are added in KAI's order: room now, the kind of node, packing, topology.
    [[nodiscard]] double of(const Node& node, double topology_score) const {
        double score = fits_in(pod_.request, node.idle) ? 1000 : 0;
        score += dimension_ == cpu && node.allocatable[gpu] <= 0 ? 10 : 0;
        score += packing(node);
        return score + topology_score;
    }

private:
    [[nodiscard]] double packing(const Node& node) const {
        const double free = node.free[dimension_];
        const double all = node.allocatable[dimension_];
        if (session_.settings.spreads) {
            return all == 0 ? 0 : free / all;
        }
        if (all == 0 || most_ == 0) {
            return 0;
        }
        return least_ == most_ ? 9 : 9 * (1 - (free - least_) / (most_ - least_));
    }

    const Session& session_;
    const Pod& pod_;
    std::size_t dimension_;
    double least_ = 0;
    double most_ = 0;
};

class Placement {
public:
    Placement(Session& session, Statement& statement, Job& job, bool only_waits)
        : session_(session),
          statement_(statement),
          job_(job),
          only_waits_(only_waits),
          scores_(job.spec().groups.size()) {}

    bool place(const NodeSet& nodes) {
        const std::vector<PodIndex> pods = job_.pods_to_place(!only_waits_, session_.pods);
        const Amounts request = charged(session_.sum_of(pods));
        if (pods.empty() || session_.is_over_limit(job_.spec(), request) ||
            session_.is_over_quota(job_.spec(), request)) {
            return false;
        }
        return place_group(0, nodes, pods);
    }

private:
    using Pods = std::vector<PodIndex>;

    bool place_group(GroupIndex group, const NodeSet& nodes, const Pods& pods) {
        if (pods.empty()) {
            return true;
        }
        const std::optional<TopologyConstraint>& constraint = job_.group(group).topology;
        if (!constraint || constraint->topology.empty()) {
            return try_nodes(group, nodes, pods);
        }
        const std::vector<NodeSet> sets = node_sets(group, *constraint, nodes, pods);
        return std::ranges::any_of(sets,
                                   [&](const NodeSet& set) { return try_nodes(group, set, pods); });
    }

    std::vector<NodeSet> node_sets(GroupIndex group,
                                   const TopologyConstraint& constraint,
                                   const NodeSet& nodes,
                                   const Pods& pods) {
        const auto topology =
            std::ranges::find(session_.topologies, constraint.topology, &Topology::name);
        if (topology == session_.topologies.end()) {
            return {};
        }
        TogetherRequest request;
        for (const PodIndex pod : pods) {
            request.pods.push_back(session_.pods[pod].request);
        }
        for (const GroupIndex leaf : job_.leaves_below(group)) {
            if (std::ranges::none_of(
                    pods, [&](PodIndex pod) { return session_.pods[pod].leaf == leaf; })) {
                continue;
            }
            request.has_active |= job_.active_members(leaf, session_.pods) > 0;
            for (const PodIndex pod : job_.members(leaf).pods) {
                if (session_.pods[pod].is(active)) {
                    request.occupied.push_back(session_.pods[pod].node);
                }
            }
        }
        return topology->node_sets(constraint, request, nodes, session_.nodes, scores_[group]);
    }

    bool try_nodes(GroupIndex group, const NodeSet& nodes, const Pods& pods) {
        const std::size_t before = statement_.checkpoint();
        const bool is_placed = job_.group(group).is_leaf ? place_pods(group, nodes, pods)
                                                         : place_members(group, nodes, pods);
        if (!is_placed) {
            statement_.roll_back(before);
        }
        return is_placed;
    }

    bool place_members(GroupIndex group, const NodeSet& nodes, const Pods& pods) {
        const std::vector<GroupIndex> members = job_.ordered_members(group, session_.pods);
        return std::ranges::all_of(members, [&](GroupIndex member) {
            const std::vector<GroupIndex> leaves = job_.leaves_below(member);
            Pods own;
            std::ranges::copy_if(pods, std::back_inserter(own), [&](PodIndex pod) {
                return std::ranges::find(leaves, session_.pods[pod].leaf) != leaves.end();
            });
            return place_group(member, nodes, own);
        });
    }

    bool place_pods(GroupIndex leaf, const NodeSet& nodes, const Pods& pods) {
        const std::vector<double>* topology_scores = nullptr;
        for (GroupIndex at = leaf; at != no_group && topology_scores == nullptr;
             at = job_.group(at).parent) {
            topology_scores = scores_[at] ? &*scores_[at] : nullptr;
        }
        return std::ranges::all_of(
            pods, [&](PodIndex pod) { return place_pod(pod, nodes, topology_scores); });
    }

    bool place_pod(PodIndex pod, const NodeSet& nodes, const std::vector<double>* topology_scores) {
        const Amounts request = charged(session_.pods[pod].request);
        if (session_.is_over_limit(job_.spec(), request) ||
            session_.is_over_quota(job_.spec(), request)) {
            return false;
        }
        NodeSet roomy = nodes_with_room(pod, nodes, topology_scores);
        if (roomy.empty()) {
            return false;
        }
        const NodeScores scores(session_, nodes, session_.pods[pod]);
        while (!roomy.empty()) {
            const NodeIndex best = best_node(roomy, topology_scores, scores);
            if (!only_waits_ && fits_in(session_.pods[pod].request, session_.nodes[best].idle)) {
                statement_.allocate(pod, best);
                return true;
            }
            if (statement_.pipeline(pod, best, !only_waits_)) {
                return true;
            }
            std::erase(roomy, best);
        }
        return false;
    }

    /// The nodes that have room, now or later, in a domain that counts.
    [[nodiscard]] NodeSet nodes_with_room(PodIndex pod,
                                          const NodeSet& nodes,
                                          const std::vector<double>* topology_scores) const {
        NodeSet roomy;
        const Vector& request = session_.pods[pod].request;
        for (const NodeIndex node : nodes) {
            if (fits_in(request, session_.nodes[node].free) &&
                (topology_scores == nullptr || (*topology_scores)[node] >= 0)) {
                roomy.push_back(node);
            }
        }
        return roomy;
    }

    /// The best node, the first one of equal ones.
    [[nodiscard]] NodeIndex best_node(const NodeSet& roomy,
                                      const std::vector<double>* topology_scores,
                                      const NodeScores& scores) const {
        NodeIndex best = no_node;
        double best_score = 0;
        for (const NodeIndex node : roomy) {
            const double score = scores.of(
                session_.nodes[node], topology_scores != nullptr ? (*topology_scores)[node] : 0);
            if (best == no_node || score > best_score) {
                best = node;
                best_score = score;
            }
        }
        return best;
    }

    Session& session_;
    Statement& statement_;
    Job& job_;
    bool only_waits_;
    /// By group: the scores of nodes by its topology.
    std::vector<std::optional<std::vector<double>>> scores_;
};

}  // namespace

bool place_job(
    Session& session, Statement& statement, const NodeSet& nodes, Job& job, bool only_waits) {
    return Placement(session, statement, job, only_waits).place(nodes);
}

}  // namespace berth::core::kai
