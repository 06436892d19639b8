#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/slurm/decide/node_offers.hpp"

namespace berth::core::slurm {

/// CPUs that nodes have for a job.
struct OffersByNode {
    NodeSet nodes;                   ///< Those that have any.
    std::vector<std::int64_t> cpus;  ///< By node.

    void set(std::size_t node, std::int64_t count) {
        cpus[node] = count;
        nodes.set(node, count > 0);
    }
};

/// What nodes have for jobs of each shape, computed anew only for nodes that have changed since it
/// was last asked for.
///
/// Jobs of one shape ask for the same, so that each node has the same for all of them.
class KeptOffers {
public:
    explicit KeptOffers(std::size_t nodes) : nodes_(nodes) {}

    /// The number of a job's shape.
    [[nodiscard]] std::size_t shape_of(const Job& job) {
        std::vector<std::pair<std::string, std::int64_t>> gpus;
        for (const GpuRequest& request : job.gpus_per_node) {
            gpus.emplace_back(request.type, request.count);
        }
        return shapes_
            .try_emplace(Shape(job.tasks,
                               job.cpus_per_task,
                               job.tasks_per_node,
                               job.min_nodes,
                               job.max_nodes == 1,
                               job.exclusive,
                               job.allowed.get(),
                               job.memory_mib,
                               job.memory_per_cpu_mib,
                               std::move(gpus)),
                         shapes_.size())
            .first->second;
    }
    /// A node's free resources have changed. It may forget what `of` returned.
    void change(std::size_t node) {
        changed_.push_back(node);
        if (changed_.size() > 16 * nodes_ + 1024) {
            forget();
        }
    }
    /// What nodes have for a job of this shape, until `change` or `of` is called again.
    /// Cost: O(nodes that changed since it was last asked for that shape).
    [[nodiscard]] const OffersByNode& of(std::size_t shape,
                                         const Job& job,
                                         const NodeOffers& offers,
                                         const FreeResources& free) {
        constexpr std::size_t most_kept = 256;
        auto found = kept_.find(shape);
        if (found == kept_.end() && kept_.size() >= most_kept) {
            forget();
            found = kept_.end();
        }
        if (found == kept_.end()) {
            found = kept_.try_emplace(shape).first;
            found->second.offers = {NodeSet(nodes_), std::vector<std::int64_t>(nodes_)};
            for (std::size_t node = 0; node < nodes_; ++node) {
                found->second.offers.set(node, offers.cpus(job, node, free, false));
            }
        } else {
            for (std::size_t i = found->second.seen; i < changed_.size(); ++i) {
                const std::size_t node = changed_[i];
                found->second.offers.set(node, offers.cpus(job, node, free, false));
            }
        }
        found->second.seen = changed_.size();
        return found->second.offers;
    }

private:
    /// All of a job that NodeOffers::cpus looks at.
    using Shape = std::tuple<std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             std::int64_t,
                             bool,
                             bool,
                             const NodeSet*,
                             std::optional<std::int64_t>,
                             std::optional<std::int64_t>,
                             std::vector<std::pair<std::string, std::int64_t>>>;
    struct Kept {
        OffersByNode offers;
        std::size_t seen = 0;  ///< Of the changes.
    };
    void forget() {
        kept_.clear();
        changed_.clear();
    }

    std::size_t nodes_;
    std::map<Shape, std::size_t> shapes_;
    std::map<std::size_t, Kept> kept_;  ///< By shape.
    std::vector<std::size_t> changed_;
};

}  // namespace berth::core::slurm
