#include "schedulers/slurm/decide/node_choice.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <tuple>

namespace berth::core::slurm {

/// What a job still needs while nodes are taken for it, and the nodes taken.
struct NodeChoice::Search {
    const Job& job;
    const std::vector<Node>& nodes;
    std::int64_t cpus;
    std::int64_t node_count;
    std::int64_t room;
    std::int64_t gpus;
    std::vector<ChosenNode> taken = {};

    Search(const Job& of, const std::vector<Node>& all)
        : job(of),
          nodes(all),
          cpus(of.cpus()),
          node_count(of.min_nodes),
          room(std::min(of.max_nodes, std::max(of.tasks, of.min_nodes))),
          gpus(of.gpus) {}

    [[nodiscard]] bool is_done() const { return cpus <= 0 && node_count <= 0 && gpus <= 0; }
    /// Takes a node, with all of its free CPUs except one for each node that is still to come.
    void take(const Offer& offer) {
        std::int64_t given = offer.cpus;
        if (!job.exclusive) {
            const std::int64_t kept =
                std::max<std::int64_t>(0, node_count - 1) * nodes[offer.node].threads_per_core;
            given = given <= cpus - kept ? given : std::max(cpus - kept, job.cpus_of_node());
        }
        taken.push_back({offer.node, given});
        cpus -= given;
        gpus -= offer.gpus;
        --node_count;
        --room;
    }
    /// The nodes taken, if they are enough.
    [[nodiscard]] std::optional<std::vector<ChosenNode>> result() {
        if (!is_done()) {
            return std::nullopt;
        }
        std::ranges::sort(taken, {}, &ChosenNode::node);
        return std::move(taken);
    }
};

NodeChoice::Offers NodeChoice::offers_of(const Job& job,
                                         const NodeSet& usable,
                                         const FreeResources& free,
                                         bool near_only) const {
    Offers offers;
    for_each(usable, [&](std::size_t node) {
        if (const std::int64_t cpus = offers_.cpus(job, node, free, near_only); cpus > 0) {
            const std::int64_t gpus = job.gpus > 0 ? std::popcount(free.gpus(node)) : 0;
            offers.push_back({node, cpus, nodes_[node].weight, gpus});
        }
    });
    return offers;
}

std::optional<std::vector<ChosenNode>> NodeChoice::choose(const Job& job,
                                                          const NodeSet& usable,
                                                          const FreeResources& free) const {
    if (job.wants_gpus() && has_near_cores_) {
        if (auto chosen = without_small_nodes(job, offers_of(job, usable, free, true), free)) {
            return chosen;
        }
    }
    return without_small_nodes(job, offers_of(job, usable, free, false), free);
}

std::optional<std::vector<ChosenNode>> NodeChoice::choose(const Job& job,
                                                          const NodeSet& usable,
                                                          const FreeResources& free,
                                                          const OffersByNode& known) const {
    const NodeSet nodes = known.nodes & usable;
    Offers offers;
    std::int64_t sum = 0;
    for_each(nodes, [&](std::size_t node) {
        const std::int64_t gpus = job.gpus > 0 ? std::popcount(free.gpus(node)) : 0;
        offers.push_back({node, known.cpus[node], nodes_[node].weight, gpus});
        sum += known.cpus[node];
    });
    // Cores near GPUs are some of the cores: where all are too few, these are as well.
    if (sum < job.cpus() || std::ssize(offers) < job.min_nodes) {
        return std::nullopt;
    }
    if (job.wants_gpus() && has_near_cores_) {
        return choose(job, usable, free);
    }
    return without_small_nodes(job, std::move(offers), free);
}

std::optional<std::vector<ChosenNode>> NodeChoice::without_small_nodes(
    const Job& job, Offers offers, const FreeResources& free) const {
    std::int64_t cpus = 0;
    std::int64_t most = 0;
    for (const Offer& offer : offers) {
        cpus += offer.cpus;
        most = std::max(most, offer.cpus);
    }
    if (cpus < job.cpus() || std::ssize(offers) < job.min_nodes) {
        return std::nullopt;
    }
    auto chosen = evaluate(job, offers, free);
    for (std::int64_t size = 1; size < most && !chosen; ++size) {
        // The nodes with the fewest CPUs are left out, as long as enough nodes remain.
        auto spare = std::ssize(offers) - job.min_nodes;
        const auto left_out = std::erase_if(
            offers, [&](const Offer& offer) { return offer.cpus <= size && spare-- > 0; });
        if (left_out > 0 || size == 1) {
            chosen = evaluate(job, offers, free);
        }
    }
    return chosen;
}

std::optional<std::vector<ChosenNode>> NodeChoice::evaluate(const Job& job,
                                                            const Offers& offers,
                                                            const FreeResources& free) const {
    if (std::ssize(offers) < job.min_nodes) {
        return std::nullopt;
    }
    return configuration_.least_loaded ? least_loaded(job, offers, free) : best_runs(job, offers);
}

std::optional<std::vector<ChosenNode>> NodeChoice::least_loaded(const Job& job,
                                                                Offers offers,
                                                                const FreeResources& free) const {
    const auto load = [&](const Offer& offer) {
        const std::int64_t share =
            free.core_count(offer.node) * 1'000'000'000 / nodes_[offer.node].cores();
        return std::tuple(offer.weight, -share, offer.node);
    };
    std::ranges::sort(offers, {}, load);
    Search search(job, nodes_);
    for (const Offer& offer : offers) {
        if (search.is_done() || search.room <= 0) {
            break;
        }
        search.take(offer);
    }
    return search.result();
}

std::optional<std::vector<ChosenNode>> NodeChoice::best_runs(const Job& job,
                                                             const Offers& offers) const {
    struct Run {
        std::span<const Offer> offers;
        std::int64_t cpus = 0;
        std::int64_t gpus = 0;
    };
    // A run is of adjacent nodes with the same weight, and the same free GPUs if the job wants
    // GPUs in all: of these, nodes with more come first.
    const auto rank = [](const Offer& offer) { return std::pair(offer.weight, -offer.gpus); };
    std::vector<Run> runs;
    for (const Offer& offer : offers) {
        const bool adjacent = !runs.empty() && runs.back().offers.back().node + 1 == offer.node &&
                              rank(runs.back().offers.back()) == rank(offer);
        if (!adjacent) {
            runs.push_back({{&offer, 0}});
        }
        Run& run = runs.back();
        run.offers = {run.offers.data(), run.offers.size() + 1};
        run.cpus += offer.cpus;
        run.gpus += offer.gpus;
    }
    Search search(job, nodes_);
    while (!runs.empty() && search.room > 0) {
        const auto is_enough = [&](const Run& run) {
            return run.cpus >= search.cpus && std::ssize(run.offers) >= search.node_count &&
                   run.gpus >= search.gpus;
        };
        std::size_t best = 0;
        bool best_is_enough = is_enough(runs[0]);
        for (std::size_t i = 1; i < runs.size(); ++i) {
            const auto mine = rank(runs[i].offers[0]);
            const auto other = rank(runs[best].offers[0]);
            const bool enough = is_enough(runs[i]);
            const bool fits_better = enough ? !best_is_enough || runs[i].cpus < runs[best].cpus
                                            : runs[i].cpus > runs[best].cpus;
            if (mine < other || (mine == other && fits_better)) {
                best = i;
                best_is_enough = enough;
            }
        }
        std::span<const Offer> from = runs[best].offers;
        if (search.node_count <= 1) {
            const Offer* single = nullptr;
            for (const Offer& offer : from) {
                if (offer.cpus >= search.cpus && offer.gpus >= search.gpus &&
                    (single == nullptr || offer.cpus < single->cpus)) {
                    single = &offer;
                }
            }
            if (single != nullptr) {
                from = {single, 1};
            }
        }
        for (const Offer& offer : from) {
            if (search.room <= 0 || search.is_done()) {
                break;
            }
            search.take(offer);
        }
        if (search.is_done()) {
            break;
        }
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return search.result();
}

std::vector<Share> NodeChoice::allocate(const Job& job,
                                        const std::vector<ChosenNode>& chosen,
                                        const FreeResources& free) const {
    std::vector<Share> shares;
    std::int64_t gpus = job.gpus;
    for (const ChosenNode& node : chosen) {
        shares.push_back(offers_.share(job, node.node, node.cpus, gpus, free));
        gpus -= std::popcount(shares.back().gpus);
    }
    return shares;
}

}  // namespace berth::core::slurm
