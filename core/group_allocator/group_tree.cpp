#include "core/group_allocator/group_tree.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/group_allocator/group_key.hpp"
#include "core/support/assert.hpp"

namespace berth::core {

/// A location while keys are still being added to it.
struct GroupTree::Draft {
    struct Base {
        std::string full_name;
        Amount allocatable = 0;
        const GroupScorer* scorer = nullptr;
    };
    using ByName = std::function<bool(const std::string&, const std::string&)>;
    std::string name;
    ByName less;
    std::map<std::string, Base> resources;  ///< The base resources, by key.
    std::map<std::string, std::map<std::string, Draft, ByName>, ByName> groups{less};

    void add(std::string_view relative, std::string_view key, Base base) {
        const auto split = split_group_key(relative);
        if (!split) {
            resources.emplace(key, std::move(base));
            return;
        }
        auto& group = groups.try_emplace(std::string(split->name), less).first->second;
        std::string child = name + "/" + std::string(split->name) + "/" + std::string(split->index);
        group.try_emplace(std::string(split->index), Draft{std::move(child), less, {}})
            .first->second.add(split->rest, split->rest, std::move(base));
    }
};

namespace {

/// A term of a location's sum before the terms are put in order.
struct NamedTerm {
    std::string name;  ///< The beginning of its full names.
    GroupShape::Term term;
};

}  // namespace

GroupTree::GroupTree(const GroupAmounts& allocatable,
                     const GroupScorers& scorers,
                     GroupOrder order) {
    const Draft::ByName less = [order](const std::string& a, const std::string& b) {
        return compare_names(a, b, order) < 0;
    };
    Draft root{std::string(group_prefix), less, {}};
    for (const auto& [name, amount] : allocatable) {
        if (is_group_resource(name)) {
            const auto scorer = scorers.find(name);
            root.add(below_group_prefix(name),
                     name,
                     {name,
                      amount,
                      scorer == scorers.end() ? &default_group_scorer(name) : scorer->second});
        }
    }
    locations_.emplace_back();
    std::vector<std::uint32_t> path;
    add_location(root, 0, path);
    BERTH_ASSERT(path.empty() && paths_.size() == resource_names_.size(),
                 "every resource has its path from the root");
    BERTH_ASSERT(resource_by_name_.size() == resource_names_.size(),
                 "every resource has a name of its own");
}

void GroupTree::add_location(const Draft& draft,
                             std::uint32_t location,
                             std::vector<std::uint32_t>& path) {
    GroupShape shape;
    std::vector<NamedTerm> terms;
    const auto first_resource = static_cast<std::uint32_t>(resource_names_.size());
    for (const auto& [key, base] : draft.resources) {
        const auto index = static_cast<std::uint32_t>(shape.resources.size());
        shape.resources.push_back({key, base.allocatable, base.scorer});
        terms.push_back({base.full_name, {false, index}});
        resource_by_name_.emplace(base.full_name, resource_names_.size());
        resource_names_.push_back(base.full_name);
        paths_.push_back({path, index});
    }
    std::vector<const Draft*> children;
    for (const auto& [name, group] : draft.groups) {
        shape.groups.push_back({name,
                                static_cast<std::uint32_t>(children.size()),
                                static_cast<std::uint32_t>(group.size())});
        for (const auto& [index, child] : group) {
            terms.push_back(
                {child.name + "/", {true, static_cast<std::uint32_t>(children.size())}});
            children.push_back(&child);
        }
    }
    const auto first_child = static_cast<std::uint32_t>(locations_.size());
    locations_.resize(locations_.size() + children.size());
    shape.resource_count = static_cast<std::uint32_t>(shape.resources.size());
    resources_.resize(resource_names_.size());
    for (std::uint32_t child = 0; child < children.size(); ++child) {
        path.push_back(child);
        add_location(*children[child], first_child + child, path);
        path.pop_back();
        shape.children.push_back(locations_[first_child + child].shape);
        shape.resource_count += shape.children.back()->resource_count;
    }
    std::ranges::sort(terms, {}, &NamedTerm::name);
    std::ranges::transform(terms, std::back_inserter(shape.order), &NamedTerm::term);
    locations_[location] = {share(std::move(shape)), first_child, first_resource, draft.name};
    const GroupShape& shared = *locations_[location].shape;
    for (std::uint32_t i = 0; i < shared.resources.size(); ++i) {
        resources_[first_resource + i] = &shared.resources[i];
    }
}

const GroupShape* GroupTree::share(GroupShape shape) {
    const auto same = [&](const GroupShape& known) {
        return known.resources == shape.resources && known.groups == shape.groups &&
               known.children == shape.children && known.order == shape.order;
    };
    const auto known = std::ranges::find_if(shapes_, same);
    if (known != shapes_.end()) {
        return &*known;
    }
    shape.id = static_cast<std::uint32_t>(shapes_.size());
    shapes_.push_back(std::move(shape));
    return &shapes_.back();
}

std::optional<std::uint32_t> GroupTree::find_resource(std::string_view name) const {
    const auto found = resource_by_name_.find(name);
    if (found == resource_by_name_.end()) {
        return std::nullopt;
    }
    return found->second;
}

const GroupShape::Resource& GroupTree::resource(std::uint32_t resource) const {
    BERTH_AUDIT(resource < resources_.size(), "a resource is one of the machine's");
    return *resources_[resource];
}

}  // namespace berth::core
