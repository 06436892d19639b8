#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/domain_counts.hpp"

namespace berth::core::kube {

/// The domains to which other pods let one more pod of a class. They are the values of the label of
/// each hard constraint on how the pod spreads, of each term of its required anti-affinity, and, if
/// it has_terms(), of each term by which running pods keep it away. Each has a number.
/// A domain is open if SpreadState::filter() and AffinityState::filter() let it pass. Domains
/// follow the pods that come and leave.
///
/// Cost: making it looks at each node once for each constraint and term. Afterwards a change of a
///       node costs O(log n), or O(d) for d domains if the fewest pods of a domain are other than
///       before.
class OpenDomains {
public:
    /// A domain is in the set if it takes one more pod.
    using Set = boost::dynamic_bitset<>;

    /// The cluster must outlive the domains.
    OpenDomains(const Pod& pod, Cluster& cluster);

    /// Whether running pods have a term that keeps the pod away and that was not there before. If
    /// so, the domains must be made anew.
    [[nodiscard]] bool lacks_term(const Pod& pod) { return next_term(pod).has_value(); }

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
    /// The domains of one constraint or term.
    struct Domains {
        Domains(DomainCounts those, std::size_t first_number)
            : counts(std::move(those)), first(first_number) {}

        DomainCounts counts;
        std::size_t first;         ///< The number of the first value.
        bool needs_label = false;  ///< It closes nodes without the label.
        std::int64_t most = 0;     ///< A domain takes no more pods than this above the least.
        /// The least is 0 if fewer domains count, as it is for all terms.
        std::int64_t min_domains = std::numeric_limits<std::int64_t>::max();
        /// How many of the values that count have so many pods, unless it is none.
        std::map<std::int64_t, std::int64_t> values_with;
        std::int64_t size = 0;  ///< So many values count.

        [[nodiscard]] std::int64_t least() const;
    };

    Domains& add(std::shared_ptr<const NodeLabel> label,
                 DomainCounts::Pods pods,
                 std::vector<bool> counts_node);
    void add_constraints(const Pod& pod);
    void add_terms(const Pod& pod);
    std::optional<std::size_t> next_term(const Pod& pod);
    void count_values(Domains& domains);
    void open_or_close(const Domains& domains, std::uint32_t value, std::int64_t least);
    void open_or_close_all(const Domains& domains);

    Cluster* cluster_;
    std::vector<Domains> constraints_;
    std::size_t terms_tried_ = 0;  ///< So many terms of running pods were tried.
    Set open_;
    std::vector<std::vector<std::size_t>> nodes_;  ///< The nodes of each domain.
};

}  // namespace berth::core::kube
