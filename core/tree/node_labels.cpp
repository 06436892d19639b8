#include "core/tree/node_labels.hpp"

#include <algorithm>

#include "core/tree/topology.hpp"

namespace berth::core {
namespace {

using Label = std::pair<std::string, std::string>;

/// A label that is only looked up and not stored, since most labels of a node occur on other nodes
/// too.
struct LabelView {
    std::pair<std::string_view, std::string_view> label;

    static std::pair<std::string_view, std::string_view> view(const Label& label) { return label; }
    friend bool operator<(const Label& a, const LabelView& b) { return view(a) < b.label; }
    friend bool operator<(const LabelView& a, const Label& b) { return a.label < view(b); }
};

}  // namespace

std::vector<std::size_t> NodeLabels::add(
    const std::vector<std::pair<std::string_view, std::string_view>>& labels) {
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& label = labels[i];
        const auto known = numbers_.lower_bound(LabelView{label});
        if (known != numbers_.end() && !(LabelView{label} < known->first)) {
            of_node_.push_back(known->second);
            continue;
        }
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        numbers_.emplace_hint(known, Label(label.first, label.second), number);
        of_node_.push_back(number);
        fresh.push_back(i);
    }
    begin_.push_back(static_cast<std::uint32_t>(of_node_.size()));
    return fresh;
}

NodeLabels NodeLabels::picked(const std::vector<std::uint32_t>& nodes) const {
    NodeLabels picked;
    picked.numbers_ = numbers_;
    for (const std::uint32_t node : nodes) {
        for (std::uint32_t i = begin_[node]; i < begin_[node + 1]; ++i) {
            picked.of_node_.push_back(of_node_[i]);
        }
        picked.begin_.push_back(static_cast<std::uint32_t>(picked.of_node_.size()));
    }
    return picked;
}

std::vector<Labels> NodeLabels::by_node() const {
    std::vector<const Label*> labels(numbers_.size());
    for (const auto& [label, number] : numbers_) {
        labels[number] = &label;
    }
    std::vector<Labels> nodes(begin_.size() - 1);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        for (std::uint32_t i = begin_[node]; i < begin_[node + 1]; ++i) {
            nodes[node].insert(*labels[of_node_[i]]);
        }
    }
    return nodes;
}

bool NodeLabels::has_key_with(std::string_view beginning) const {
    const auto first = numbers_.lower_bound(Label(beginning, ""));
    return first != numbers_.end() && first->first.first.starts_with(beginning);
}

std::vector<bool> NodeLabels::nodes_where(
    const std::string& key, const std::function<bool(const std::string& value)>& holds) const {
    std::vector<bool> held(numbers_.size());
    bool any = false;
    for (auto at = numbers_.lower_bound(Label(key, "")); at != numbers_.end(); ++at) {
        if (at->first.first != key) {
            break;
        }
        held[at->second] = holds(at->first.second);
        any = any || held[at->second];
    }
    std::vector<bool> nodes(begin_.size() - 1);
    for (std::size_t node = 0; any && node < nodes.size(); ++node) {
        nodes[node] = std::any_of(of_node_.begin() + begin_[node],
                                  of_node_.begin() + begin_[node + 1],
                                  [&](std::uint32_t number) { return held[number]; });
    }
    return nodes;
}

bool knows_labels(const Topology& topology) {
    return !topology.labels().empty() ||
           std::ranges::any_of(topology.machine_types(),
                               [](const MachineType& type) { return !type.labels.empty(); });
}

std::vector<bool> servers_where(const Topology& topology,
                                const std::string& key,
                                const std::function<bool(const std::string& value)>& holds) {
    std::vector<bool> servers = topology.labels().nodes_where(key, holds);
    servers.resize(topology.server_count());
    for (std::uint32_t i = 0; i < servers.size(); ++i) {
        const Labels& of_type = topology.machine_type(ServerId{i}).labels;
        const auto found = of_type.find(key);
        servers[i] = servers[i] || (found != of_type.end() && holds(found->second));
    }
    return servers;
}

std::vector<bool> servers_with(const Topology& topology, const Labels& labels) {
    std::vector<bool> all(topology.server_count(), true);
    for (const auto& [key, value] : labels) {
        const std::vector<bool> with =
            servers_where(topology, key, [&](const std::string& has) { return has == value; });
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = all[i] && with[i];
        }
    }
    return all;
}

}  // namespace berth::core
