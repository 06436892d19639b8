#include "schedulers/kube/decide/node_scores.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <iterator>

namespace berth::core::kube {
namespace {

constexpr std::int64_t most_points = 100;
constexpr std::int64_t mebibyte = 1024 * 1024;

bool counts(const PreferredNodeTerm& preferred) {
    return preferred.weight != 0 && !preferred.term.is_empty();
}

/// The preferred terms of a pod and of the configuration that count.
std::vector<PreferredNodeTerm> preferences_of(const Pod& pod, const Configuration& configuration) {
    std::vector<PreferredNodeTerm> terms;
    std::ranges::copy_if(configuration.added_preferred_nodes, std::back_inserter(terms), &counts);
    if (pod.preferred_nodes) {
        std::ranges::copy_if(*pod.preferred_nodes, std::back_inserter(terms), &counts);
    }
    return terms;
}

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

using Fractions = boost::container::small_vector<double, 4>;

/// How alike the shares of resources in use are, from 0 to 100.
std::int64_t balance_of(const Fractions& fractions) {
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

/// Up to 1.36, images of volumes add to the bytes that a node has, and not to the most.
std::int64_t most_image_bytes(const Pod& pod, SchedulerVersion version) {
    const std::size_t volumes =
        version >= SchedulerVersion::v1_37 ? pod.image_volumes.size() : std::size_t{0};
    return 1000 * mebibyte *
           static_cast<std::int64_t>(pod.init_containers.size() + pod.containers.size() + volumes);
}

bool lists(const Node& node, const std::string& name) {
    return std::ranges::any_of(node.images, [&](const Image& image) {
        return std::ranges::find(image.names, name) != image.names.end();
    });
}

std::vector<std::string> names_of(const std::vector<WeightedResource>& resources) {
    std::vector<std::string> names;
    std::ranges::transform(resources, std::back_inserter(names), &WeightedResource::name);
    return names;
}

}  // namespace

ResourceShares::ResourceShares(const Pod& pod,
                               const std::vector<std::string>& names,
                               bool as_requested,
                               SchedulerVersion version)
    : as_requested_(as_requested) {
    const Quantities requests =
        requests_of(pod,
                    {.otherwise = as_requested ? Quantities{} : assumed_requests(),
                     .pod_level = as_requested,
                     .with_status = true,
                     .version = version});
    for (const std::string& name : names) {
        const auto found = requests.find(name);
        resources_.push_back(
            {name, found == requests.end() ? 0 : in_units(name, found->second), is_scalar(name)});
    }
}

ResourceShares::Share ResourceShares::share(const NodeState& node, const Resource& resource) const {
    if (resource.wanted == 0 && resource.is_scalar) {
        return {};
    }
    const Quantity capacity = node.allocatable().of(resource.name);
    const Quantity used = as_requested_               ? node.requested().of(resource.name)
                          : resource.name == "cpu"    ? node.non_zero().cpu
                          : resource.name == "memory" ? node.non_zero().memory
                                                      : node.requested().of(resource.name);
    return capacity == 0 ? Share{} : Share{used, used + resource.wanted, capacity};
}

NodeScores::NodeScores(const Pod& pod, const Cluster& cluster)
    : cluster_(cluster),
      has_preferences_(pod.preferred_nodes ||
                       !cluster.configuration().added_preferred_nodes.empty()),
      preferences_(preferences_of(pod, cluster.configuration())),
      fit_(pod,
           names_of(cluster.configuration().fit_resources),
           false,
           cluster.configuration().version),
      balance_(
          pod, cluster.configuration().balanced_resources, true, cluster.configuration().version),
      images_(images_of(pod)),
      most_image_bytes_(most_image_bytes(pod, cluster.configuration().version)) {
    std::ranges::copy_if(pod.tolerations, std::back_inserter(tolerations_), [](const auto& one) {
        return one.effect.empty() || one.effect == "PreferNoSchedule";
    });
}

std::int64_t NodeScores::taints(const NodeState& node) const {
    return std::ranges::count_if(node.node().taints, [&](const Taint& taint) {
        return taint.effect == "PreferNoSchedule" &&
               std::ranges::none_of(tolerations_, [&](const Toleration& toleration) {
                   return tolerates(toleration, taint, TaintOf::node);
               });
    });
}

std::int64_t NodeScores::preference(const NodeState& node) const {
    std::int64_t sum = 0;
    for (const PreferredNodeTerm& preferred : preferences_) {
        if (matches(preferred.term, node.node().labels, node.node().name)) {
            sum += preferred.weight;
        }
    }
    return sum;
}

std::int64_t NodeScores::fit(const NodeState& node) const {
    const Configuration& configuration = cluster_.configuration();
    const bool by_ratio = configuration.strategy == ScoringStrategy::requested_to_capacity_ratio;
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for (std::size_t i = 0; i < fit_.resources().size(); ++i) {
        const ResourceShares::Share share = fit_.share(node, fit_.resources()[i]);
        if (share.capacity == 0) {
            continue;
        }
        const std::int64_t own = fit_points(share, configuration);
        if (by_ratio && own <= 0) {
            continue;
        }
        sum += own * configuration.fit_resources[i].weight;
        weights += configuration.fit_resources[i].weight;
    }
    if (weights == 0) {
        return 0;
    }
    return by_ratio ? std::llround(static_cast<double>(sum) / static_cast<double>(weights))
                    : sum / weights;
}

bool NodeScores::has_balance() const {
    return std::ranges::any_of(balance_.resources(),
                               [](const auto& resource) { return resource.wanted != 0; });
}

std::int64_t NodeScores::balance(const NodeState& node) const {
    const auto fraction = [](Quantity used, Quantity capacity) {
        return std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity));
    };
    Fractions before;
    Fractions after;
    for (const ResourceShares::Resource& resource : balance_.resources()) {
        const ResourceShares::Share share = balance_.share(node, resource);
        if (share.capacity != 0) {
            before.push_back(fraction(share.before, share.capacity));
            after.push_back(fraction(share.after, share.capacity));
        }
    }
    return 50 + (50 + balance_of(after) - balance_of(before)) / 2;
}

std::int64_t NodeScores::images(const NodeState& node) const {
    constexpr std::int64_t least = 23 * mebibyte;
    const auto all_nodes = static_cast<double>(cluster_.nodes().size());
    std::int64_t sum = 0;
    for (const std::string& image : images_) {
        if (lists(node.node(), image)) {
            const ImageState& state = cluster_.images().at(image);
            sum += static_cast<std::int64_t>(static_cast<double>(state.size) *
                                             (static_cast<double>(state.nodes) / all_nodes));
        }
    }
    sum = sum < least ? least : std::min(sum, most_image_bytes_);
    return most_points * (sum - least) / (most_image_bytes_ - least);
}

std::int64_t points_for_many(std::int64_t number, std::int64_t most) {
    return most <= 0 ? 0 : most_points * number / most;
}

std::int64_t points_for_few(std::int64_t number, std::int64_t most) {
    return most_points - points_for_many(number, most);
}

std::string fault_of_preferences(const Pod& pod) {
    if (pod.preferred_nodes) {
        for (const PreferredNodeTerm& own : *pod.preferred_nodes) {
            if (counts(own) && !own.term.fault.empty()) {
                return own.term.fault;
            }
        }
    }
    return "";
}

}  // namespace berth::core::kube
