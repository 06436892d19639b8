#include "core/group_allocator/group_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/group_allocator/group_accidents.hpp"
#include "core/support/assert.hpp"

namespace berth::core {

GroupSearch::GroupSearch(const GroupRules& rules,
                         const GroupTree& tree,
                         const GroupedRequest& request,
                         GroupStateMaker& maker,
                         GroupTryMemo& memo,
                         std::vector<GroupReason>& reasons)
    : rules_(rules), tree_(tree), request_(request), maker_(maker), memo_(memo), reasons_(reasons) {
    memo_.begin();
}

GroupTry GroupSearch::allocate(const GroupState& root,
                               std::string_view container,
                               bool init,
                               bool last) {
    BERTH_ASSERT(root.shape == &tree_.root_shape(), "the state is of this machine");
    prefix_ = container;
    init_ = init;
    GroupTry tried = allocate_group_at(request_.root(), root, 0, true, last);
    tried.found = tried.found && is_better(nullptr, tried);
    tried.after = tried.found ? tried.after : left_behind(tried);
    return tried;
}

/// The state of the location if it is not taken.
inline const GroupState* GroupSearch::left_behind(GroupTry& tried) {
    if (tried.left == nullptr) {
        const GroupState& before = *tried.before;
        const bool marked = tried.after->inner_marks() != before.inner_marks();
        tried.left = marked ? keep_marks(before, *tried.after, before.used, maker_) : &before;
    }
    return tried.left;
}

/// Allocates a part of the request to the best location of its group.
bool GroupSearch::allocate_group(const GroupedRequest::Part& part,
                                 GroupState& parent,
                                 std::uint32_t parent_location,
                                 bool explains,
                                 bool last,
                                 GroupChoice& choice) {
    const GroupShape::Subgroups* group = parent.shape->find_group(part.name);
    if (group == nullptr) {
        return false;
    }
    const std::span<const GroupState*> candidates =
        parent.children.subspan(group->first, group->count);
    const std::uint32_t location = tree_.location(parent_location).first_child + group->first;
    const bool explains_inside =
        explains && (group->count == 1 || !rules_.reasons_of_single_candidate);
    const bool leaves_marks = rules_.prefers_used && !last;
    GroupTry* best = nullptr;
    std::uint32_t best_child = 0;
    GroupTry* tried = nullptr;
    for (std::uint32_t i = 0; i < group->count; ++i) {
        if (tried == nullptr || tried->before != candidates[i]) {
            tried = try_at(part, *candidates[i], location + i, explains_inside, last);
        }
        std::uint32_t rejected = group->first + i;
        GroupTry* loser = tried;
        if (tried->found && is_better(best, *tried)) {
            loser = std::exchange(best, tried);
            rejected = std::exchange(best_child, rejected);
        }
        if (leaves_marks && loser != nullptr) {
            parent.set_child(rejected, left_behind(*loser));
        }
    }
    if (best == nullptr) {
        return false;
    }
    choice = {best_child, best->choices};
    parent.set_child(best_child, best->after);
    return true;
}

/// Tries to allocate a part of the request to one location.
GroupTry GroupSearch::allocate_group_at(const GroupedRequest::Part& part,
                                        const GroupState& before,
                                        std::uint32_t location,
                                        bool explains,
                                        bool last) {
    ++locations_tried_;
    GroupTry tried{.before = &before};
    tried.after = &before;
    const bool available = resource_available(part, before, explains);
    if (!available && part.part_count == 0) {
        return tried;
    }
    GroupState& state = *maker_.copy(before);
    const std::span<GroupChoice> choices = maker_.arena().span<GroupChoice>(part.part_count);
    tried.choices = choices.data();
    tried.after = &state;
    if (allocate_sub_groups(part, state, location, explains, last, choices) && available) {
        charge_bases(part, state);
        if (rules_.prefers_used) {
            state.mark_used();
        }
        find_score_and_update(part, tried, state, location, explains);
    }
    return tried;
}

/// Checks that the location has enough of its base resources.
inline bool GroupSearch::resource_available(const GroupedRequest::Part& part,
                                            const GroupState& state,
                                            bool explains) {
    bool all = true;
    for (const GroupedRequest::Base& base : request_.bases(part)) {
        const auto index = state.shape->find_resource(base.key);
        const bool available =
            index && is_available(base.demand, state.uses[*index], state.shape->resources[*index]);
        if (!available && explains) {
            explain_base(base, state, index);
        }
        all = all && available;
    }
    return all;
}

void GroupSearch::explain_base(const GroupedRequest::Base& base,
                               const GroupState& state,
                               std::optional<std::uint32_t> index) {
    const GroupShape::Resource missing;
    const GroupShape::Resource& resource = index ? state.shape->resources[*index] : missing;
    reasons_.push_back({fmt::format("{}/{}", prefix_, request_.name(base.demand)),
                        request_.amount(base.demand),
                        index ? charged(state.uses[*index], resource, init_).node : 0,
                        resource.allocatable});
}

inline void GroupSearch::charge_bases(const GroupedRequest::Part& part, GroupState& state) {
    for (const GroupedRequest::Base& base : request_.bases(part)) {
        const std::uint32_t index = *state.shape->find_resource(base.key);
        charge(state.uses[index],
               state.shape->resources[index],
               request_.amount(base.demand),
               init_,
               rules_.charges_init_stepwise);
    }
}

inline bool GroupSearch::is_available(std::uint32_t demand,
                                      const GroupUse& use,
                                      const GroupShape::Resource& resource) const {
    const GroupScore now = charged(use, resource, init_);
    const GroupScorer* own = request_.scorer(demand);
    const GroupScorer& decides = own != nullptr ? *own : *resource.scorer;
    const Amount amount = request_.amount(demand);
    const auto found = [&](const GroupScorer& scorer, Amount pod, Amount node, Amount asked) {
        return scorer.score(resource.allocatable, pod, node, asked, init_).found;
    };
    if (!found(decides, now.pod, now.node, amount)) {
        return false;
    }
    if (rules_.charges_init_stepwise || (use.charged == 0 && own == nullptr)) {
        return true;
    }
    const Amount total = resource.scorer->total(use.charged, amount);
    return found(*resource.scorer, use.pod, use.node, total);
}

/// Allocates the subgroups of the part, one after the other, among those of the location.
inline bool GroupSearch::allocate_sub_groups(const GroupedRequest::Part& part,
                                             GroupState& state,
                                             std::uint32_t location,
                                             bool explains,
                                             bool last,
                                             std::span<GroupChoice> choices) {
    bool all = true;
    const std::span<const GroupedRequest::Part> parts = request_.parts(part);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto mark = static_cast<std::ptrdiff_t>(reasons_.size());
        const bool found = allocate_group(
            parts[i], state, location, explains, last && i + 1 == parts.size(), choices[i]);
        if (found && explains) {
            reasons_.resize(static_cast<std::size_t>(mark));
        } else if (explains) {
            reasons_.insert(reasons_.begin() + mark,
                            {fmt::format("{}/{}", prefix_, parts[i].full_name), 0, 0, 0});
        }
        all = all && found;
    }
    return all;
}

/// Scores the location with everything that the part charges to it.
inline void GroupSearch::find_score_and_update(const GroupedRequest::Part& part,
                                               GroupTry& tried,
                                               GroupState& state,
                                               std::uint32_t location,
                                               bool explains) {
    const PlacedPart placed{&part, tried.choices};
    tried.after = &state;
    if (rules_.charges_init_stepwise && init_ && part.demand_count > 1) {
        tried.after = charge_summed(request_, {&placed, 1}, *tried.before, state, maker_);
    } else {
        seal(state, init_);
    }
    if (rules_.updates_unrequested && tried.after->unsettled) {
        tried.after = settle(*tried.after, init_, maker_);
    }
    tried.found = tried.after->all_found;
    tried.score = score_sum(*tried.after);
    if (rules_.mean_score) {
        tried.score /= tried.after->shape->resource_count;
    }
    if (!tried.found && explains) {
        explain_shortage(*tried.before, *tried.after, location, {&placed, 1});
    }
}

void GroupSearch::explain_shortage(const GroupState& before,
                                   const GroupState& after,
                                   std::uint32_t location,
                                   std::span<const PlacedPart> placed) {
    const GroupTree::Location& here = tree_.location(location);
    for (std::uint32_t i = 0; i < after.uses.size(); ++i) {
        const GroupShape::Resource& resource = after.shape->resources[i];
        if (!after.uses[i].found) {
            reasons_.push_back({tree_.resource_name(here.first_resource + i),
                                demanded(request_, placed, resource),
                                charged(before.uses[i], resource, init_).node,
                                resource.allocatable});
        }
    }
    for (std::uint32_t i = 0; i < after.children.size(); ++i) {
        if (!after.children[i]->all_found) {
            explain_shortage(*before.children[i],
                             *after.children[i],
                             here.first_child + i,
                             placed_inside(request_, placed, i));
        }
    }
}

std::vector<PlacedPart> placed_inside(const GroupedRequest& request,
                                      std::span<const PlacedPart> placed,
                                      std::uint32_t child) {
    std::vector<PlacedPart> inside;
    for (const PlacedPart& outer : placed) {
        const std::span<const GroupedRequest::Part> parts = request.parts(*outer.part);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (outer.choices[i].child == child) {
                inside.push_back({&parts[i], outer.choices[i].inner});
            }
        }
    }
    return inside;
}

Amount demanded(const GroupedRequest& request,
                std::span<const PlacedPart> placed,
                const GroupShape::Resource& resource) {
    Amount total = 0;
    for (const PlacedPart& part : placed) {
        for (const GroupedRequest::Base& base : request.bases(*part.part)) {
            if (base.key == resource.key) {
                total = resource.scorer->total(total, request.amount(base.demand));
            }
        }
    }
    return total;
}

std::vector<std::uint32_t> GroupSearch::resources(const GroupTry& found) const {
    BERTH_ASSERT(found.found, "resources serve what found a place");
    std::vector<std::uint32_t> resources(request_.demand_count());
    collect(request_.root(), found.choices, 0, resources);
    return resources;
}

void GroupSearch::collect(const GroupedRequest::Part& part,
                          const GroupChoice* choices,
                          std::uint32_t location,
                          std::vector<std::uint32_t>& resources) const {
    const GroupTree::Location& here = tree_.location(location);
    for (const GroupedRequest::Base& base : request_.bases(part)) {
        const auto resource = here.shape->find_resource(base.key);
        BERTH_ASSERT(resource, "a part went to a location that has what it asks for");
        resources[base.demand] = here.first_resource + *resource;
    }
    const std::span<const GroupedRequest::Part> parts = request_.parts(part);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const GroupChoice& choice = choices[i];
        collect(parts[i], choice.inner, here.first_child + choice.child, resources);
    }
}

}  // namespace berth::core
