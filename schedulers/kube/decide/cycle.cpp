#include "schedulers/kube/decide/cycle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace berth::core::kube {
namespace {

/// The position of a node, if it is there and the search is not limited to others.
std::optional<std::size_t> find_among(Among among,
                                      const Cluster& cluster,
                                      const std::string& name) {
    const std::optional<std::size_t> node = cluster.find(name);
    return node && (among == nullptr || std::ranges::binary_search(*among, *node)) ? node
                                                                                   : std::nullopt;
}

/// The positions of the nodes among which PreFilter leaves the choice.
std::vector<std::size_t> candidates(const PreFilter& prefilter,
                                    const Cluster& cluster,
                                    Among among) {
    if (!prefilter.nodes && among != nullptr) {
        return *among;
    }
    std::vector<std::size_t> positions;
    if (!prefilter.nodes) {
        positions.resize(cluster.nodes().size());
        std::iota(positions.begin(), positions.end(), std::size_t{0});
        return positions;
    }
    for (const std::string& name : *prefilter.nodes) {
        if (const std::optional<std::size_t> node = find_among(among, cluster, name)) {
            positions.push_back(*node);
        }
    }
    return positions;
}

}  // namespace

const Verdict& Diagnosis::of(const std::string& node) const {
    const auto found = verdicts.find(node);
    return found == verdicts.end() ? otherwise : found->second;
}

std::size_t nodes_to_find(std::size_t nodes, std::int64_t percentage) {
    constexpr std::size_t least = 100;
    if (nodes < least) {
        return nodes;
    }
    const auto count = static_cast<std::int64_t>(nodes);
    const std::int64_t share =
        percentage == 0 ? std::max<std::int64_t>(5, 50 - count / 125) : percentage;
    return std::max(least, static_cast<std::size_t>(count * share / 100));
}

Feasible find_feasible(const Pod& pod, Cluster& cluster, Among among) {
    Feasible found;
    found.prefilter = prefilter(pod, cluster);
    Diagnosis& diagnosis = found.diagnosis;
    diagnosis.plugins.insert(found.prefilter.plugins.begin(), found.prefilter.plugins.end());
    diagnosis.otherwise.code = Code::unresolvable;
    if (!found.prefilter.verdict.is_success()) {
        diagnosis.otherwise = found.prefilter.verdict;
        diagnosis.prefilter = fmt::format("{}", fmt::join(diagnosis.otherwise.reasons, ", "));
        if (const std::string_view plugin = found.prefilter.verdict.plugin; !plugin.empty()) {
            diagnosis.plugins.insert(plugin);
        }
        return found;
    }
    const auto passes = [&](std::size_t position) {
        const NodeState& node = cluster.nodes()[position];
        Verdict verdict = filter_with_nominated(pod, node, found.prefilter.state, cluster);
        if (verdict.is_success()) {
            return true;
        }
        if (verdict.code == Code::error) {
            throw CycleError(fmt::format(
                "running \"{}\" filter plugin: {}", verdict.plugin, verdict.reasons.front()));
        }
        diagnosis.plugins.insert(verdict.plugin);
        diagnosis.verdicts.insert_or_assign(node.node().name, std::move(verdict));
        return false;
    };
    if (const std::optional<std::size_t> nominated = find_among(among, cluster, pod.nominated_node);
        nominated && passes(*nominated)) {
        found.nodes = {*nominated};
        return found;
    }
    if (found.prefilter.nodes) {
        diagnosis.otherwise.reasons = {fmt::format("node(s) didn't satisfy plugin(s) [{}]",
                                                   fmt::join(found.prefilter.plugins, " "))};
    }
    const std::vector<std::size_t> order = candidates(found.prefilter, cluster, among);
    const std::size_t enough =
        nodes_to_find(order.size(), cluster.configuration().percentage_of_nodes_to_score);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t position = order[(cluster.next_start + i) % order.size()];
        if (!passes(position)) {
            continue;
        }
        if (found.nodes.size() == enough) {
            break;
        }
        found.nodes.push_back(position);
    }
    const std::size_t all = among != nullptr ? among->size() : cluster.nodes().size();
    cluster.next_start =
        (cluster.next_start + found.nodes.size() + diagnosis.verdicts.size()) % all;
    return found;
}

std::size_t choose(const std::vector<std::int64_t>& totals) {
    std::vector<std::size_t> heap(totals.size());
    std::iota(heap.begin(), heap.end(), std::size_t{0});
    const auto is_better = [&](std::size_t a, std::size_t b) {
        return totals[heap[a]] > totals[heap[b]];
    };
    for (std::size_t start = heap.size() / 2; start-- > 0;) {
        for (std::size_t parent = start; 2 * parent + 1 < heap.size();) {
            std::size_t child = 2 * parent + 1;
            if (child + 1 < heap.size() && is_better(child + 1, child)) {
                ++child;
            }
            if (!is_better(child, parent)) {
                break;
            }
            std::swap(heap[child], heap[parent]);
            parent = child;
        }
    }
    return heap.front();
}

std::size_t choose_node(const Pod& pod, Cluster& cluster, const Feasible& found) {
    return found.nodes.size() == 1 ? found.nodes.front()
                                   : found.nodes[choose(score(pod, cluster, found.nodes).total)];
}

std::string fit_error(std::size_t nodes, const Diagnosis& diagnosis, std::string_view afterwards) {
    std::string message = fmt::format("0/{} nodes are available:", nodes);
    if (!diagnosis.prefilter.empty()) {
        message += fmt::format(" {}.", diagnosis.prefilter);
    } else {
        std::map<std::string, std::size_t> counts;
        for (const auto& [node, verdict] : diagnosis.verdicts) {
            for (const std::string& reason : verdict.reasons) {
                ++counts[reason];
            }
        }
        if (const std::size_t others = nodes - diagnosis.verdicts.size(); others > 0) {
            for (const std::string& reason : diagnosis.otherwise.reasons) {
                counts[reason] += others;
            }
        }
        std::vector<std::string> parts;
        for (const auto& [reason, count] : counts) {
            parts.push_back(fmt::format("{} {}", count, reason));
        }
        std::ranges::sort(parts);
        if (!parts.empty()) {
            message += fmt::format(" {}.", fmt::join(parts, ", "));
        }
    }
    return afterwards.empty() ? message : fmt::format("{} {}", message, afterwards);
}

}  // namespace berth::core::kube
