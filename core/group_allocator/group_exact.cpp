#include "core/group_allocator/group_exact.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/group_allocator/group_charging.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

using Part = GroupedRequest::Part;

/// A location where an innermost group may go.
struct Place {
    std::uint32_t location = 0;
    const GroupState* state = nullptr;
};

/// The innermost groups that are asked for, if each is alone in its outer groups.
std::optional<std::vector<std::vector<const Part*>>> chains(const GroupedRequest& request) {
    std::vector<std::vector<const Part*>> out;
    if (request.root().base_count > 0) {
        return std::nullopt;
    }
    for (const Part& outer : request.parts(request.root())) {
        std::vector<const Part*>& chain = out.emplace_back(1, &outer);
        while (chain.back()->part_count == 1 && chain.back()->base_count == 0) {
            chain.push_back(&request.parts(*chain.back()).front());
        }
        if (chain.back()->part_count > 0) {
            return std::nullopt;
        }
    }
    return out;
}

void add_places(const GroupTree& tree,
                const Place& from,
                std::span<const Part* const> chain,
                std::vector<Place>& out) {
    if (chain.empty()) {
        out.push_back(from);
        return;
    }
    const GroupShape::Subgroups* group = from.state->shape->find_group(chain.front()->name);
    for (std::uint32_t i = 0; group != nullptr && i < group->count; ++i) {
        const std::uint32_t child = group->first + i;
        add_places(tree,
                   {tree.location(from.location).first_child + child, from.state->children[child]},
                   chain.subspan(1),
                   out);
    }
}

using Graph = boost::adjacency_list<boost::vecS,
                                    boost::vecS,
                                    boost::undirectedS,
                                    boost::no_property,
                                    boost::property<boost::edge_weight_t, double>>;

struct TooManyStates {};

/// Scores that are closer than this are equal, since sums of fractions differ in their last bits.
constexpr double score_grain = 1e-9;

/// Where the subgroups of a part went, as a chain from the last back to the first.
struct Step {
    const Step* before = nullptr;
    std::uint32_t child = 0;
    const Step* inner = nullptr;  ///< The last step inside that child.
};

/// The state of a location after part of a request, and how it came about.
struct Outcome {
    const GroupState* state = nullptr;
    const Step* last = nullptr;
};

/// The states that requests can lead to. Two states that differ only in which of equal siblings is
/// which count as one, unless names matter: they do to a mapping that a container brings.
class Reachable {
public:
    Reachable(GroupStateMaker& maker, bool names_matter)
        : maker_(maker), names_matter_(names_matter) {}

    /// All states of a location after it has served the requests of a part.
    const std::vector<Outcome>& after(const GroupedRequest& request,
                                      const GroupedRequest::Part& part,
                                      const GroupState& state,
                                      bool init) {
        const std::pair key{part.kind, state.id};
        if (const auto known = known_.find(key); known != known_.end()) {
            return known->second;
        }
        std::vector<Outcome> outcomes;
        if (GroupState* charged = charge_part(request, part, state, init, maker_)) {
            outcomes.push_back({seal(*charged, init), nullptr});
        }
        for (const GroupedRequest::Part& inner : request.parts(part)) {
            outcomes = one_more(request, inner, outcomes, init);
        }
        return known_.emplace(key, std::move(outcomes)).first->second;
    }

    /// The kinds of parts are those of one request.
    void begin_request() { known_.clear(); }

    /// A number that is the same for states that are alike.
    std::uint32_t canonical(const GroupState& state) {
        if (const auto known = canonical_.find(state.id); known != canonical_.end()) {
            return known->second;
        }
        std::vector<Amount> key{state.shape->id};
        for (const GroupUse& use : state.uses) {
            key.insert(key.end(), {use.pod, use.node, use.charged});
        }
        for (const GroupShape::Subgroups& group : state.shape->groups) {
            const std::size_t begin = key.size();
            for (const GroupState* child : state.children.subspan(group.first, group.count)) {
                key.push_back(canonical(*child));
            }
            if (!names_matter_) {
                std::sort(key.begin() + static_cast<std::ptrdiff_t>(begin), key.end());
            }
        }
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        const std::uint32_t same = numbers_.try_emplace(std::move(key), number).first->second;
        canonical_.emplace(state.id, same);
        return same;
    }

private:
    std::vector<Outcome> one_more(const GroupedRequest& request,
                                  const GroupedRequest::Part& part,
                                  const std::vector<Outcome>& before,
                                  bool init) {
        std::vector<Outcome> out;
        std::map<std::uint32_t, bool> seen;
        for (const Outcome& outcome : before) {
            const GroupState& state = *outcome.state;
            const GroupShape::Subgroups* group = state.shape->find_group(part.name);
            std::vector<std::uint32_t> tried;
            for (std::uint32_t i = 0; group != nullptr && i < group->count; ++i) {
                const std::uint32_t child = group->first + i;
                const std::uint32_t kind = canonical(*state.children[child]);
                if (!names_matter_ && std::ranges::find(tried, kind) != tried.end()) {
                    continue;
                }
                tried.push_back(kind);
                for (const Outcome& inner : after(request, part, *state.children[child], init)) {
                    GroupState* next = maker_.copy(state);
                    next->children[child] = inner.state;
                    if (seen.try_emplace(canonical(*seal(*next, init)), true).second) {
                        auto* step = new (maker_.arena().allocate<Step>(1))
                            Step{outcome.last, child, inner.last};
                        out.push_back({next, step});
                    }
                    if (++made_ > exact_states_max) {
                        throw TooManyStates{};
                    }
                }
            }
        }
        return out;
    }

    GroupStateMaker& maker_;
    bool names_matter_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Outcome>> known_;
    std::unordered_map<std::uint32_t, std::uint32_t> canonical_;
    std::map<std::vector<Amount>, std::uint32_t> numbers_;
    std::size_t made_ = 0;
};

/// The state of a machine after some containers.
struct Reached {
    const GroupState* state = nullptr;
    double score = 0;
    std::vector<std::vector<std::uint32_t>> allocate_from;
};

/// How concentrated the use of a machine is.
double packing(const GroupState& state) {
    const double fullness =
        state.shape->resource_count > 0 ? score_sum(state) / state.shape->resource_count : 0;
    double sum = fullness * fullness;
    for (const GroupState* child : state.children) {
        sum += packing(*child);
    }
    return sum;
}

class ExactSearch {
public:
    ExactSearch(const GroupTree& tree, const GroupRules& rules, const GroupPod& pod)
        : tree_(tree),
          rules_(rules),
          pod_(pod),
          reachable_(maker_, std::ranges::any_of(pod, [](const GroupContainer& container) {
                         return container.allocate_from.has_value();
                     })) {}

    /// The best way to serve all containers, or nothing.
    std::optional<Reached> search(const GroupState& state) {
        std::vector<Reached> reached{{&state, 0, {}}};
        for (const GroupContainer& container : pod_) {
            reached = container.allocate_from ? with_given(reached, container)
                                              : with_found(reached, container);
        }
        std::optional<Reached> best;
        double best_packing = 0;
        for (Reached& one : reached) {
            one.score = rules_.scores_last_running ? one.score : score_sum(*one.state);
            const double packed = packing(*one.state);
            const bool equal = best && one.score >= best->score - score_grain;
            if (!best || one.score > best->score + score_grain ||
                (equal && packed > best_packing + score_grain)) {
                best_packing = packed;
                best = std::move(one);
            }
        }
        return best;
    }

private:
    double score_of(const GroupState& state) const {
        return rules_.mean_score ? score_sum(state) / tree_.resource_count() : score_sum(state);
    }

    /// Adds a state in which a container is served, if it is new or scores better than before.
    void add(std::map<std::uint32_t, std::size_t>& seen,
             std::vector<Reached>& out,
             const GroupContainer& container,
             const Reached& before,
             const GroupState& state,
             std::vector<std::uint32_t> resources) {
        if (!state.all_found && !container.demands.empty()) {
            return;
        }
        Reached next{commit(state, container.init, maker_), before.score, before.allocate_from};
        if (!container.init) {
            next.score = container.demands.empty() ? 0 : score_of(*next.state);
        }
        next.allocate_from.push_back(std::move(resources));
        const auto [place, fresh] = seen.try_emplace(reachable_.canonical(*next.state), out.size());
        if (fresh) {
            out.push_back(std::move(next));
        } else if (next.score > out[place->second].score + score_grain) {
            out[place->second] = std::move(next);
        }
    }

    std::vector<Reached> with_found(const std::vector<Reached>& before,
                                    const GroupContainer& container) {
        std::map<std::uint32_t, std::size_t> seen;
        std::vector<Reached> out;
        request_.partition(container.demands, container.scorers, rules_.order);
        reachable_.begin_request();
        for (const Reached& reached : before) {
            if (container.demands.empty()) {
                add(seen, out, container, reached, *reached.state, {});
                continue;
            }
            for (const Outcome& outcome :
                 reachable_.after(request_, request_.root(), *reached.state, container.init)) {
                std::vector<std::uint32_t> resources(container.demands.size());
                collect(request_.root(), outcome.last, 0, resources);
                add(seen, out, container, reached, *outcome.state, std::move(resources));
            }
        }
        return out;
    }

    std::vector<Reached> with_given(const std::vector<Reached>& before,
                                    const GroupContainer& container) {
        std::map<std::uint32_t, std::size_t> seen;
        std::vector<Reached> out;
        std::vector<std::uint32_t> resources;
        std::map<std::uint32_t, Amount> totals;
        BERTH_ASSERT(container.allocate_from->size() == container.demands.size(),
                     "a mapping that is given says of each demand what serves it");
        for (std::size_t i = 0; i < container.demands.size(); ++i) {
            const auto& given = (*container.allocate_from)[i];
            if (!given) {
                return out;
            }
            const Amount amount = container.demands[i].second;
            const auto [total, first] = totals.try_emplace(*given, amount);
            const GroupScorer& scorer = *tree_.resource(*given).scorer;
            total->second = first ? amount : scorer.total(total->second, amount);
            resources.push_back(*given);
        }
        for (const Reached& reached : before) {
            const GroupState* state = reached.state;
            for (auto next = totals.begin(); state != nullptr && next != totals.end(); ++next) {
                state = charge_at(
                    *state, tree_.path(next->first), next->second, container.init, maker_);
            }
            if (state != nullptr) {
                add(seen, out, container, reached, *state, resources);
            }
        }
        return out;
    }

    void collect(const GroupedRequest::Part& part,
                 const Step* last,
                 std::uint32_t location,
                 std::vector<std::uint32_t>& resources) const {
        const GroupTree::Location& here = tree_.location(location);
        for (const GroupedRequest::Base& base : request_.bases(part)) {
            const auto resource = here.shape->find_resource(base.key);
            BERTH_ASSERT(resource, "a part went to a location that has what it asks for");
            resources[base.demand] = here.first_resource + *resource;
        }
        const auto parts = request_.parts(part);
        for (std::size_t i = parts.size(); i-- > 0; last = last->before) {
            BERTH_ASSERT(last != nullptr, "every subgroup of a part took a step");
            collect(parts[i], last->inner, here.first_child + last->child, resources);
        }
        BERTH_ASSERT(last == nullptr, "no step is left when every subgroup has one");
    }

    const GroupTree& tree_;
    const GroupRules& rules_;
    const GroupPod& pod_;
    GroupStateMaker maker_{std::uint32_t{1} << 31};
    GroupedRequest request_;
    Reachable reachable_;
};

/// The pod's container as an assignment problem, if it has only one.
std::optional<std::vector<std::uint32_t>> as_assignment(const GroupTree& tree,
                                                        const GroupState& state,
                                                        const GroupPod& pod,
                                                        const GroupRules& rules) {
    if (pod.size() != 1 || pod.front().allocate_from) {
        return std::nullopt;
    }
    GroupedRequest request;
    request.partition(pod.front().demands, pod.front().scorers, rules.order);
    return assign_groups(tree, state, request, pod.front().init);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> assign_groups(const GroupTree& tree,
                                                        const GroupState& root,
                                                        const GroupedRequest& request,
                                                        bool init) {
    const auto requests = chains(request);
    if (!requests || requests->empty()) {
        return std::nullopt;
    }
    GroupStateMaker maker(std::uint32_t{1} << 31);
    std::vector<Place> places;
    std::map<std::uint32_t, std::size_t> number;  // the number of each location among the places
    struct Edge {
        std::size_t request;
        std::size_t place;
        double gain;
    };
    std::vector<Edge> edges;
    double most = 0;
    for (std::size_t r = 0; r < requests->size(); ++r) {
        std::vector<Place> reachable;
        add_places(tree, {0, &root}, (*requests)[r], reachable);
        const Part& part = *(*requests)[r].back();
        for (const Place& place : reachable) {
            GroupState* charged = charge_part(request, part, *place.state, init, maker);
            if (charged == nullptr) {
                continue;
            }
            seal(*charged, init);
            for (const auto& other : *requests) {
                if (charge_part(request, *other.back(), *charged, init, maker) != nullptr) {
                    return std::nullopt;  // two requests may share a location
                }
            }
            const auto [known, fresh] = number.try_emplace(place.location, places.size());
            if (fresh) {
                places.push_back(place);
            }
            const double gain = score_sum(*charged) - score_sum(*place.state);
            edges.push_back({r, known->second, gain});
            most = std::max(most, std::abs(gain));
        }
    }
    // Each additional request that is served counts for more than all scores together.
    const double served = 2 * (most + 1) * static_cast<double>(requests->size());
    Graph graph(requests->size() + places.size());
    for (const Edge& edge : edges) {
        boost::add_edge(edge.request, requests->size() + edge.place, served + edge.gain, graph);
    }
    std::vector<Graph::vertex_descriptor> mate(boost::num_vertices(graph));
    boost::maximum_weighted_matching(graph, mate.data());
    std::vector<std::uint32_t> resources(request.demand_count());
    for (std::size_t r = 0; r < requests->size(); ++r) {
        if (mate[r] == Graph::null_vertex()) {
            return std::vector<std::uint32_t>{};
        }
        const GroupTree::Location& at = tree.location(places[mate[r] - requests->size()].location);
        for (const GroupedRequest::Base& base : request.bases(*(*requests)[r].back())) {
            const auto resource = at.shape->find_resource(base.key);
            BERTH_ASSERT(resource,
                         "a request is matched with a location that has what it asks for");
            resources[base.demand] = at.first_resource + *resource;
        }
    }
    return resources;
}

ExactGroupFit fit_exact(const GroupTree& tree,
                        const GroupState& state,
                        const GroupPod& pod,
                        const GroupRules& rules) {
    ExactGroupFit answer;
    answer.fit = GroupAllocator(rules).fit(tree, state, pod);
    if (tree.empty()) {
        return answer;
    }
    try {
        auto best = ExactSearch(tree, rules, pod).search(state);
        if (best) {
            answer.fit = {true, best->score, {}, std::move(best->allocate_from)};
        }
        BERTH_ASSERT(best || !answer.fit.found, "what the greedy finds exists");
        return answer;
    } catch (const TooManyStates&) {
    }
    const auto assigned = as_assignment(tree, state, pod, rules);
    answer.proven = assigned.has_value();
    if (assigned && !assigned->empty()) {
        GroupPod fixed = pod;
        fixed.front().allocate_from.emplace(assigned->begin(), assigned->end());
        answer.fit = GroupAllocator(rules).fit(tree, state, fixed);
    }
    return answer;
}

}  // namespace berth::core
