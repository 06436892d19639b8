#include "schedulers/kube/decide/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {
namespace {

constexpr std::int64_t most_points = 100;
using Points = std::optional<std::vector<std::int64_t>>;
using Nodes = std::vector<std::size_t>;

/// Scores in proportion to the greatest; the other way round if less is better.
std::vector<std::int64_t> in_proportion(std::vector<std::int64_t> raw, bool less_is_better) {
    const std::int64_t most = std::max<std::int64_t>(0, std::ranges::max(raw));
    for (std::int64_t& score : raw) {
        score = most == 0 ? 0 : most_points * score / most;
        score = less_is_better ? most_points - score : score;
    }
    return raw;
}

Points score_taints(const Pod& pod, Cluster& cluster, const Nodes& nodes) {
    std::vector<Toleration> tolerations;
    std::ranges::copy_if(pod.tolerations, std::back_inserter(tolerations), [](const auto& one) {
        return one.effect.empty() || one.effect == "PreferNoSchedule";
    });
    std::vector<std::int64_t> raw;
    for (const std::size_t node : nodes) {
        raw.push_back(
            std::ranges::count_if(cluster.nodes()[node].node().taints, [&](const Taint& taint) {
                return taint.effect == "PreferNoSchedule" &&
                       std::ranges::none_of(tolerations, [&](const Toleration& toleration) {
                           return tolerates(toleration, taint, TaintOf::node);
                       });
            }));
    }
    return in_proportion(std::move(raw), true);
}

bool counts(const PreferredNodeTerm& preferred) {
    return preferred.weight != 0 && !preferred.term.is_empty();
}

Points score_affinity_to_nodes(const Pod& pod, Cluster& cluster, const Nodes& nodes) {
    std::vector<PreferredNodeTerm> terms = cluster.configuration().added_preferred_nodes;
    if (!pod.preferred_nodes && terms.empty()) {
        return std::nullopt;
    }
    for (const PreferredNodeTerm& own : pod.preferred_nodes.value_or(terms)) {
        if (pod.preferred_nodes && counts(own) && !own.term.fault.empty()) {
            throw CycleError(
                fmt::format("running PreScore plugin \"NodeAffinity\": the pod's "
                            "preferred node affinity cannot be parsed: {}",
                            own.term.fault));
        }
    }
    if (pod.preferred_nodes) {
        terms.insert(terms.end(), pod.preferred_nodes->begin(), pod.preferred_nodes->end());
    }
    std::vector<std::int64_t> raw;
    for (const std::size_t position : nodes) {
        const Node& node = cluster.nodes()[position].node();
        std::int64_t sum = 0;
        for (const PreferredNodeTerm& preferred : terms) {
            if (counts(preferred) && matches(preferred.term, node.labels, node.name)) {
                sum += preferred.weight;
            }
        }
        raw.push_back(sum);
    }
    return in_proportion(std::move(raw), false);
}

/// What nodes have of the resources by which they are scored.
class ResourceShares {
public:
    struct Share {
        Quantity before = 0;    ///< In use without the pod.
        Quantity after = 0;     ///< In use with the pod.
        Quantity capacity = 0;  ///< 0: the resource does not count.
    };

    /// `as_requested`: amounts as filters count them. Otherwise containers that name no CPU or
    /// memory are assumed to use some, and requests of the pod as a whole do not count.
    ResourceShares(const Pod& pod, bool as_requested, SchedulerVersion version)
        : requests_(requests_of(pod,
                                {.otherwise = as_requested ? Quantities{} : assumed_requests(),
                                 .pod_level = as_requested,
                                 .with_status = true,
                                 .version = version})),
          as_requested_(as_requested) {}

    [[nodiscard]] Quantity request(const std::string& resource) const {
        const auto found = requests_.find(resource);
        return found == requests_.end() ? 0 : in_units(resource, found->second);
    }

    [[nodiscard]] Share share(const NodeState& node, const std::string& resource) const {
        const Quantity wanted = request(resource);
        if (wanted == 0 && is_scalar(resource)) {
            return {};
        }
        const Quantity capacity = node.allocatable().of(resource);
        const Quantity used = as_requested_          ? node.requested().of(resource)
                              : resource == "cpu"    ? node.non_zero().cpu
                              : resource == "memory" ? node.non_zero().memory
                                                     : node.requested().of(resource);
        return capacity == 0 ? Share{} : Share{used, used + wanted, capacity};
    }

private:
    Quantities requests_;
    bool as_requested_;
};

/// The height at `x` of a line through points, in whole numbers as kube-scheduler computes it.
std::int64_t on_broken_line(const std::vector<std::pair<std::int64_t, std::int64_t>>& shape,
                            std::int64_t x) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto& [utilization, score] = shape[i];
        if (x <= utilization) {
            if (i == 0) {
                return score;
            }
            const auto& [before, low] = shape[i - 1];
            return low + (score - low) * (x - before) / (utilization - before);
        }
    }
    return shape.empty() ? 0 : shape.back().second;
}

std::int64_t fit_points(const ResourceShares::Share& share, const Configuration& configuration) {
    const bool is_over = share.after > share.capacity;
    switch (configuration.strategy) {
        case ScoringStrategy::least_allocated:
            return is_over ? 0
                           : static_cast<std::int64_t>((share.capacity - share.after) *
                                                       most_points / share.capacity);
        case ScoringStrategy::most_allocated:
            return static_cast<std::int64_t>(std::min(share.after, share.capacity) * most_points /
                                             share.capacity);
        case ScoringStrategy::requested_to_capacity_ratio:
            break;
    }
    const std::int64_t utilization =
        is_over ? most_points
                : static_cast<std::int64_t>(share.after * most_points / share.capacity);
    return on_broken_line(configuration.shape, utilization);
}

Points score_fit(const Pod& pod, Cluster& cluster, const Nodes& nodes) {
    const Configuration& configuration = cluster.configuration();
    const bool by_ratio = configuration.strategy == ScoringStrategy::requested_to_capacity_ratio;
    const ResourceShares shares(pod, false, configuration.version);
    std::vector<std::int64_t> points;
    for (const std::size_t node : nodes) {
        std::int64_t sum = 0;
        std::int64_t weights = 0;
        for (const auto& [resource, weight] : configuration.fit_resources) {
            const ResourceShares::Share share = shares.share(cluster.nodes()[node], resource);
            if (share.capacity == 0) {
                continue;
            }
            const std::int64_t own = fit_points(share, configuration);
            if (by_ratio && own <= 0) {
                continue;
            }
            sum += own * weight;
            weights += weight;
        }
        if (weights == 0) {
            points.push_back(0);
        } else {
            points.push_back(
                by_ratio ? std::llround(static_cast<double>(sum) / static_cast<double>(weights))
                         : sum / weights);
        }
    }
    return points;
}

/// How alike the shares of resources in use are, from 0 to 100.
std::int64_t balance(const std::vector<double>& fractions) {
    double deviation = 0;
    if (fractions.size() == 2) {
        deviation = std::abs((fractions[0] - fractions[1]) / 2);
    } else if (fractions.size() > 2) {
        double sum = 0;
        for (const double fraction : fractions) {
            sum += fraction;
        }
        const auto count = static_cast<double>(fractions.size());
        const double mean = sum / count;
        double squares = 0;
        for (const double fraction : fractions) {
            squares = squares + (fraction - mean) * (fraction - mean);
        }
        deviation = std::sqrt(squares / count);
    }
    return static_cast<std::int64_t>((1 - deviation) * 100.0);
}

Points score_balance(const Pod& pod, Cluster& cluster, const Nodes& nodes) {
    const std::vector<std::string>& resources = cluster.configuration().balanced_resources;
    const ResourceShares shares(pod, true, cluster.configuration().version);
    if (std::ranges::all_of(resources,
                            [&](const auto& resource) { return shares.request(resource) == 0; })) {
        return std::nullopt;
    }
    const auto fraction = [](Quantity used, Quantity capacity) {
        return std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity));
    };
    std::vector<std::int64_t> points;
    for (const std::size_t node : nodes) {
        std::vector<double> before;
        std::vector<double> after;
        for (const std::string& resource : resources) {
            const ResourceShares::Share share = shares.share(cluster.nodes()[node], resource);
            if (share.capacity != 0) {
                before.push_back(fraction(share.before, share.capacity));
                after.push_back(fraction(share.after, share.capacity));
            }
        }
        points.push_back(50 + (50 + balance(after) - balance(before)) / 2);
    }
    return points;
}

/// The images of a pod by full name, with those of its volumes at the end.
std::vector<std::string> images_of(const Pod& pod) {
    std::vector<std::string> images;
    for (const auto* containers : {&pod.init_containers, &pod.containers}) {
        for (const Container& container : *containers) {
            images.push_back(container.image);
        }
    }
    images.insert(images.end(), pod.image_volumes.begin(), pod.image_volumes.end());
    for (std::string& image : images) {
        const std::size_t colon = image.rfind(':');
        const std::size_t slash = image.rfind('/');
        if (colon == std::string::npos || (slash != std::string::npos && colon < slash)) {
            image += ":latest";
        }
    }
    return images;
}

bool lists(const Node& node, const std::string& name) {
    return std::ranges::any_of(node.images, [&](const Image& image) {
        return std::ranges::find(image.names, name) != image.names.end();
    });
}

Points score_images(const Pod& pod, Cluster& cluster, const Nodes& nodes) {
    constexpr std::int64_t mebibyte = 1024 * 1024;
    constexpr std::int64_t least = 23 * mebibyte;
    const std::vector<std::string> images = images_of(pod);
    // Up to 1.36, images of volumes add to the sum and not to the most that is possible.
    const bool volumes_count = cluster.configuration().version >= SchedulerVersion::v1_37;
    const std::size_t counted = images.size() - (volumes_count ? 0 : pod.image_volumes.size());
    const std::int64_t most = 1000 * mebibyte * static_cast<std::int64_t>(counted);
    const auto all_nodes = static_cast<double>(cluster.nodes().size());
    std::vector<std::int64_t> points;
    for (const std::size_t node : nodes) {
        std::int64_t sum = 0;
        for (const std::string& image : images) {
            if (lists(cluster.nodes()[node].node(), image)) {
                const ImageState& state = cluster.images().at(image);
                sum += static_cast<std::int64_t>(static_cast<double>(state.size) *
                                                 (static_cast<double>(state.nodes) / all_nodes));
            }
        }
        sum = sum < least ? least : std::min(sum, most);
        points.push_back(most_points * (sum - least) / (most - least));
    }
    return points;
}

}  // namespace

Scores score(const Pod& pod, Cluster& cluster, const std::vector<std::size_t>& nodes) {
    constexpr std::array plugins{&score_taints,
                                 &score_affinity_to_nodes,
                                 &score_fit,
                                 &spread_scores,
                                 &affinity_scores,
                                 &score_balance,
                                 &score_images};
    static_assert(plugins.size() == score_plugin_names.size());
    Scores scores;
    scores.total.assign(nodes.size(), 0);
    for (std::size_t plugin = 0; plugin < plugins.size(); ++plugin) {
        scores.by_plugin[plugin] = plugins[plugin](pod, cluster, nodes);
        if (!scores.by_plugin[plugin]) {
            continue;
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            scores.total[i] +=
                (*scores.by_plugin[plugin])[i] * cluster.configuration().weights[plugin];
        }
    }
    return scores;
}

}  // namespace berth::core::kube
