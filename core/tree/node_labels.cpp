#include "core/tree/node_labels.hpp"

#include <algorithm>

#include "core/tree/topology.hpp"

namespace berth::core {
namespace {

using Label = std::pair<std::string, std::string>;

/// A label that is not kept: most nodes have labels that others have, too.
struct LabelView {
    std::pair<std::string_view, std::string_view> label;

    static std::pair<std::string_view, std::string_view> view(const Label& label) { return label; }
    friend bool operator<(const Label& a, const LabelView& b) { return view(a) < b.label; }
    friend bool operator<(const LabelView& a, const Label& b) { return a.label < view(b); }
};

}  // namespace

void NodeLabels::add(const std::vector<std::pair<std::string_view, std::string_view>>& labels) {
    for (const auto& label : labels) {
        const auto known = numbers_.lower_bound(LabelView{label});
        if (known != numbers_.end() && !(LabelView{label} < known->first)) {
            of_node_.push_back(known->second);
            continue;
        }
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        numbers_.emplace_hint(known, Label(label.first, label.second), number);
        of_node_.push_back(number);
    }
    begin_.push_back(static_cast<std::uint32_t>(of_node_.size()));
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

std::vector<bool> NodeLabels::nodes_with(const std::string& key, const std::string& value) const {
    std::vector<bool> with(begin_.size() - 1);
    const auto number = numbers_.find(Label(key, value));
    for (std::size_t node = 0; number != numbers_.end() && node < with.size(); ++node) {
        const auto begin = of_node_.begin() + begin_[node];
        const auto end = of_node_.begin() + begin_[node + 1];
        with[node] = std::find(begin, end, number->second) != end;
    }
    return with;
}

bool knows_labels(const Topology& topology) {
    return !topology.labels().empty() ||
           std::ranges::any_of(topology.machine_types(),
                               [](const MachineType& type) { return !type.labels.empty(); });
}

std::vector<bool> servers_with(const Topology& topology, const Labels& labels) {
    std::vector<bool> all(topology.server_count(), true);
    for (const auto& [key, value] : labels) {
        const std::vector<bool> own = topology.labels().nodes_with(key, value);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const Labels& of_type = topology.machine_type(ServerId{i}).labels;
            const auto found = of_type.find(key);
            const bool has =
                (i < own.size() && own[i]) || (found != of_type.end() && found->second == value);
            all[i] = all[i] && has;
        }
    }
    return all;
}

}  // namespace berth::core
