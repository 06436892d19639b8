#include "core/group_allocator/group_assignment.hpp"

#include <algorithm>
#include <map>
#include <span>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>

#include "core/group_allocator/group_charging.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

using Part = GroupedRequest::Part;

/// A location at which an innermost group may go.
struct Place {
    std::uint32_t location = 0;
    const GroupState* state = nullptr;
};

/// The innermost groups asked for, if each stands alone in its outer ones.
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
    std::map<std::uint32_t, std::size_t> number;  // of a location among the places
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
                    return std::nullopt;  // two may share a location
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
    // Every further request that is served counts for more than all scores together.
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

}  // namespace berth::core
