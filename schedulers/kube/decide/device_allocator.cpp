#include "schedulers/kube/decide/device_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "schedulers/kube/decide/device_search.hpp"

namespace berth::core::kube {
namespace {

/// What a search found, as claims say it.
class Answer {
public:
    Answer(const DeviceQuestion& question, const DeviceSearch& search)
        : question_(question), search_(search) {}

    [[nodiscard]] ClaimAllocation of(std::size_t claim) const {
        ClaimAllocation allocation;
        allocation.devices = search_.taken(claim);
        allocation.configurations = configurations(claim);
        allocation.nodes = nodes(claim);
        return allocation;
    }

private:
    [[nodiscard]] const DeviceRequest& chosen(std::size_t claim, std::size_t request) const {
        const std::size_t alternative = search_.chosen(claim, request);
        return question_.claims[claim].requests[request].alternatives[alternative];
    }

    [[nodiscard]] std::vector<DeviceConfiguration> configurations(std::size_t index) const {
        const ResourceClaim& claim = question_.claims[index];
        std::vector<DeviceConfiguration> read;
        std::set<std::string> classes;
        for (std::size_t request = 0; request < claim.requests.size(); ++request) {
            const DeviceRequest& alternative = chosen(index, request);
            const DeviceClass& of = question_.catalog->classes.at(alternative.class_name);
            if (classes.insert(of.name).second) {
                for (std::size_t i = 0; i < of.configurations; ++i) {
                    read.push_back({of.name, i, {}});
                }
            }
            for (DeviceConfiguration& configuration : read) {
                if (configuration.class_name == of.name) {
                    configuration.requests.push_back(alternative.full_name());
                }
            }
        }
        for (std::size_t i = 0; i < claim.configurations.size(); ++i) {
            const std::vector<std::string>& requests = claim.configurations[i];
            // Kubernetes 1.36 adds a configuration once for each request that it names.
            const std::size_t times = requests.empty() ? 1 : count_named(index, requests);
            read.insert(read.end(), times, {"", i, requests});
        }
        return read;
    }

    [[nodiscard]] std::size_t count_named(std::size_t index,
                                          const std::vector<std::string>& names) const {
        const ResourceClaim& claim = question_.claims[index];
        const auto is_named = [&](const std::string& name) {
            return std::ranges::find(names, name) != names.end();
        };
        std::size_t count = 0;
        for (std::size_t request = 0; request < claim.requests.size(); ++request) {
            count += is_named(claim.requests[request].name) ||
                             (claim.requests[request].has_alternatives &&
                              is_named(chosen(index, request).full_name()))
                         ? 1
                         : 0;
        }
        return count;
    }

    /// The nodes on which all devices of a claim can be used.
    [[nodiscard]] std::optional<NodeSelectorTerm> nodes(std::size_t index) const {
        NodeSelectorTerm term;
        for (const TakenDevice& taken : search_.taken(index)) {
            const NodeChoice& nodes = taken.slice->per_device_nodes.value_or(false)
                                          ? taken.device->nodes
                                          : taken.slice->nodes;
            if (nodes.node_name || taken.device->binds_to_node) {
                return NodeSelectorTerm{
                    {}, {{"metadata.name", LabelExpression::Operator::in, {question_.node_name}}}};
            }
            if (!nodes.selector || nodes.selector->empty()) {
                continue;
            }
            if (nodes.selector->size() > 1) {
                throw AllocationError(
                    fmt::format("create NodeSelector for claim {}: unsupported "
                                "ResourceSlice.NodeSelector with {} terms",
                                question_.claims[index].name,
                                nodes.selector->size()));
            }
            const NodeSelectorTerm& more = nodes.selector->front().conditions;
            add_new(more.fields, term.fields);
            add_new(more.expressions, term.expressions);
        }
        const bool is_empty = term.expressions.empty() && term.fields.empty();
        return is_empty ? std::nullopt : std::optional(std::move(term));
    }

    static void add_new(const std::vector<LabelExpression>& more,
                        std::vector<LabelExpression>& conditions) {
        const auto values = [](const LabelExpression& condition) {
            return std::set<std::string>(condition.values.begin(), condition.values.end());
        };
        for (const LabelExpression& condition : more) {
            const bool is_known = std::ranges::any_of(conditions, [&](const auto& other) {
                return other.key == condition.key && other.op == condition.op &&
                       values(other) == values(condition);
            });
            if (!is_known) {
                conditions.push_back(condition);
            }
        }
    }

    const DeviceQuestion& question_;
    const DeviceSearch& search_;
};

/// Runs a search that is prepared, or fails.
void search_devices(const DeviceQuestion& question,
                    DeviceSearch& search,
                    DeviceAllocation& allocation) {
    search.prepare();
    switch (search.run()) {
        case DeviceSearch::Outcome::found: {
            const Answer answer(question, search);
            std::vector<ClaimAllocation> claims;
            for (std::size_t claim = 0; claim < question.claims.size(); ++claim) {
                claims.push_back(answer.of(claim));
            }
            allocation.claims = std::move(claims);
            return;
        }
        case DeviceSearch::Outcome::exceeded:
            throw AllocationError("allocation max size exceeded");
        case DeviceSearch::Outcome::stopped:
            allocation.is_stopped = true;
            throw AllocationError(
                fmt::format("the search was stopped after {} steps", question.catalog->step_limit));
        case DeviceSearch::Outcome::failed:
            break;
    }
    if (search.has_invalid_pool()) {
        throw AllocationError("invalid resource pools were encountered", false);
    }
}

}  // namespace

DeviceAllocation allocate_devices(const DeviceQuestion& question,
                                  const std::vector<DevicePool>& pools) {
    DeviceAllocation allocation;
    DeviceSearch search(question, pools);
    try {
        search_devices(question, search, allocation);
    } catch (const AllocationError& error) {
        allocation.error = error.what();
        allocation.is_fatal = error.is_fatal;
    }
    allocation.steps = std::min(search.steps(), question.catalog->step_limit);
    return allocation;
}

DeviceAllocation allocate_devices(const DeviceQuestion& question) {
    return allocate_devices(question,
                            gather_pools(question.node_name,
                                         question.node_labels,
                                         *question.catalog,
                                         slices_of_pools(*question.catalog)));
}

}  // namespace berth::core::kube
