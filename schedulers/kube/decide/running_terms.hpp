#pragma once

#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "schedulers/kube/decide/objects.hpp"

namespace berth::core::kube {

/// The terms that running pods have about other pods. Terms that are equal count as one, since pods
/// of one kind have the same.
class RunningTerms {
public:
    struct Entry {
        const PodTerm* term;
        /// For each node with pods that have the term, the sum of the weights that they give it,
        /// unless it is 0.
        boost::container::flat_map<std::size_t, std::int64_t> weights;
    };

    /// Adds the term of a pod on a node; with the opposite weight, the pod leaves.
    void add(const PodTerm& term, std::size_t node, std::int64_t weight);

    /// A term stays at its place in the list.
    [[nodiscard]] const std::vector<Entry>& all() const { return entries_; }

private:
    std::map<PodTerm, std::size_t> index_;
    std::vector<Entry> entries_;
};

}  // namespace berth::core::kube
