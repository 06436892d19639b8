#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::core::kube {

/// The domains to which the hard constraints of pods let one more pod: the values of each
/// constraint's label, under one number each. They are those that SpreadState::filter() lets pass,
/// and they follow the pods that come and leave.
///
/// Cost: making it looks at each node once for each constraint. Afterwards a change of a node costs
///       O(log n), or O(d) for d domains if the fewest pods of a domain are other than before.
class SpreadDomains {
public:
    /// A domain is in the set if it takes one more pod.
    using Set = boost::dynamic_bitset<>;

    /// All constraints of `pod.spread` are hard. The cluster must outlive the domains.
    SpreadDomains(const Pod& pod, Cluster& cluster);

    /// Counts the pods of a node anew.
    void look_at(std::size_t node);

    [[nodiscard]] const Set& open() const { return open_; }
    /// Whether each domain of a node is in a set.
    [[nodiscard]] bool has_all(const Set& set, std::size_t node) const;
    /// The nodes of a domain, as positions in the cluster.
    [[nodiscard]] const std::vector<std::size_t>& nodes_of(std::size_t domain) const {
        return nodes_[domain];
    }

private:
    /// The domains of one constraint.
    struct Domains {
        std::shared_ptr<const NodeLabel> label;
        std::size_t first = 0;  ///< The number of the first value.
        std::int64_t most = 0;  ///< A domain takes no more pods than this above the least.
        std::int64_t min_domains = 1;
        std::optional<PodQuery> query;     ///< Nothing if no pod counts.
        std::vector<bool> is_counted;      ///< By node.
        std::vector<std::int64_t> pods;    ///< By node, as they were counted last.
        std::vector<std::int64_t> counts;  ///< By value.
        /// How many of the values that count have so many pods, unless it is none.
        std::map<std::int64_t, std::int64_t> values_with;
        std::int64_t size = 0;  ///< So many values count.

        [[nodiscard]] std::int64_t least() const;
    };

    void count_nodes(Domains& domains, const SpreadConstraint& constraint, const Pod& pod);
    void open_or_close(const Domains& domains, std::uint32_t value, std::int64_t least);
    void open_or_close_all(const Domains& domains);
    [[nodiscard]] bool has_all_keys(std::size_t node) const;

    Cluster& cluster_;
    std::vector<Domains> constraints_;
    Set open_;
    std::vector<std::vector<std::size_t>> nodes_;  ///< Of each domain.
};

}  // namespace berth::core::kube
