#include "core/group_allocator/best_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

/// The groups below the root: first the outer ones, then the inner ones.
constexpr std::array<std::string_view, 2> groups{"/gpugrp1/", "/gpugrp0/"};

/// The index of the last group of this level that a card is in: what `.*/gpugrp1/(.*?)/.*/cards`
/// captures.
std::optional<std::string_view> group_index(std::string_view name, std::string_view group) {
    constexpr auto none = std::string_view::npos;
    const std::size_t cards = name.rfind("/cards");
    if (cards == none) {
        return std::nullopt;
    }
    for (std::size_t at = name.rfind(group, cards); at != none && at < cards;
         at = at == 0 ? none : name.rfind(group, at - 1)) {
        const std::size_t begin = at + group.size();
        const std::size_t end = name.find('/', begin);
        if (end < cards) {
            return name.substr(begin, end - begin);
        }
    }
    return std::nullopt;
}

/// Adds the groups of this level that the names are in, and what is below them.
/// Returns: how many names are in such a group.
std::int64_t add_groups(GpuTree& tree,
                        const std::vector<std::string_view>& names,
                        std::size_t level) {
    std::map<std::string_view, std::vector<std::string_view>> members;
    std::int64_t count = 0;
    for (const std::string_view name : names) {
        if (const auto index = group_index(name, groups[level])) {
            members[*index].push_back(name);
            ++count;
        }
    }
    for (const auto& [index, inside] : members) {
        GpuTree child{static_cast<std::int64_t>(inside.size()), 0, {}};
        if (level + 1 < groups.size()) {
            add_groups(child, inside, level + 1);
            child.score = tree_score(child);
        }
        // A score that is not a number is not below any other.
        const auto at = std::ranges::find_if(tree.children, [&](const GpuTree& other) {
            return other.count < child.count ||
                   (other.count == child.count && other.score < child.score);
        });
        tree.children.insert(at, std::move(child));
    }
    return count;
}

double score_at(const GpuTree& tree, std::int64_t level, std::size_t siblings) {
    double score = static_cast<double>(tree.count * level) / static_cast<double>(siblings);
    for (const GpuTree& child : tree.children) {
        score += score_at(child, level + 1, tree.children.size());
    }
    return score;
}

}  // namespace

GpuTree gpu_tree(const GroupAmounts& node) {
    std::vector<std::string_view> names;
    names.reserve(node.size());
    for (const auto& [name, amount] : node) {
        names.push_back(name);
    }
    GpuTree tree;
    tree.count = add_groups(tree, names, 0);
    return tree;
}

double tree_score(const GpuTree& tree) {
    return score_at(tree, 0, tree.children.size());
}

bool same_shape(const GpuTree& a, const GpuTree& b) {
    return a.count == b.count && std::ranges::equal(a.children, b.children, same_shape);
}

std::string to_string(const GpuTree& tree) {
    if (tree.children.empty()) {
        return fmt::format("{}", tree.count);
    }
    std::vector<std::string> children;
    // Not to_string itself, since other headers have functions with that name too.
    std::ranges::transform(tree.children, std::back_inserter(children), [](const GpuTree& child) {
        return to_string(child);
    });
    return fmt::format("{}({})", tree.count, join(children, " "));
}

void GpuTreeCache::add(std::string_view name, const GroupAmounts& node) {
    if (node.empty()) {
        return;
    }
    BERTH_AUDIT(std::ranges::none_of(entries_,
                                     [&](const Entry& entry) {
                                         return std::ranges::find(entry.nodes, name) !=
                                                entry.nodes.end();
                                     }),
                "a node is added once");
    GpuTree tree = gpu_tree(node);
    const auto entry = std::ranges::find_if(
        entries_, [&](const Entry& other) { return same_shape(other.tree, tree); });
    if (entry != entries_.end()) {
        entry->nodes.emplace_back(name);
        return;
    }
    const double score = tree_score(tree);
    entries_.push_back({std::move(tree), score, {std::string(name)}});
}

const GpuTree* GpuTreeCache::best(std::int64_t count) const {
    const GpuTree* best = nullptr;
    double best_score = 0;
    for (const Entry& entry : entries_) {
        if (entry.tree.count >= count && entry.score > best_score) {
            best = &entry.tree;
            best_score = entry.score;
        }
    }
    return best;
}

GroupAmounts request_tree(const GpuTree& tree, std::int64_t count, const GroupAmounts& requests) {
    GroupAmounts out;
    for (const auto& [name, amount] : requests) {
        if (name.find("/gpu/") == std::string::npos) {
            out.emplace_hint(out.end(), name, amount);
        }
    }
    for (std::size_t outer = 0; outer < tree.children.size(); ++outer) {
        const std::vector<GpuTree>& inner = tree.children[outer].children;
        for (std::size_t i = 0; i < inner.size(); ++i) {
            const std::int64_t taken = std::min(count, inner[i].count);
            for (std::int64_t card = 0; card < taken; ++card) {
                out.insert_or_assign(fmt::format("{}{}{}{}{}/gpu/{}/cards",
                                                 group_prefix,
                                                 groups[0],
                                                 outer,
                                                 groups[1],
                                                 i,
                                                 card),
                                     1);
            }
            count -= taken;
        }
    }
    return out;
}

}  // namespace berth::core
