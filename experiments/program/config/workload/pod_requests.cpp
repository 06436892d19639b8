#include "experiments/program/config/workload/pod_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "core/support/assert.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "topologies/machine_types.hpp"
#include "workloads/pod_total.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Quantities;
using core::Value;

/// Reads requests by resource; `map` may be nullptr.
Quantities read_requests(const Value* map, Diagnostics& diagnostics) {
    Quantities requests;
    if (map != nullptr && !map->is_map() && map->kind != Value::Kind::null) {
        expected(*map, "requests by resource, such as {cpu: 2, memory: 4Gi}", diagnostics);
        return requests;
    }
    for (std::size_t i = 0; map != nullptr && i < map->members.size(); ++i) {
        const core::Member& member = map->members[i];
        if (!topologies::check_resource_name(member.key, member.key_span, diagnostics)) {
            continue;
        }
        const auto parsed = core::parse_exact_quantity(member.value.text);
        const auto* quantity = std::get_if<core::Quantity>(&parsed);
        const auto* fault = std::get_if<core::QuantityFault>(&parsed);
        constexpr core::Quantity whole = 1'000'000'000;
        if (member.value.is_scalar() && fault != nullptr &&
            *fault == core::QuantityFault::overflow) {
            expected(member.value, describe(*fault, "units of " + member.key), diagnostics);
        } else if (quantity == nullptr || !member.value.is_scalar() || *quantity < 0) {
            expected(member.value, "a Kubernetes quantity such as 500m or 4Gi", diagnostics);
        } else if (member.key.find('/') != std::string::npos && *quantity % whole != 0) {
            expected(
                member.value,
                fmt::format("a whole number: Kubernetes shares out no parts of a {}", member.key),
                diagnostics);
        } else {
            requests[member.key] = *quantity;
        }
    }
    return requests;
}

void add(Quantities& sum, const Quantities& more) {
    for (const auto& [resource, quantity] : more) {
        sum[resource] += quantity;
    }
}

void raise(Quantities& most, const Quantities& other) {
    for (const auto& [resource, quantity] : other) {
        most[resource] = std::max(most[resource], quantity);
    }
}

/// A type in this namespace, so that add() and raise() are found.
struct Asked : Quantities {};

/// The requests under `resources`; a resource that is only limited counts as requested.
Asked asked(const Value& owner, Diagnostics& diagnostics) {
    Asked out{read_requests(value_below(owner, {"resources", "requests"}), diagnostics)};
    out.merge(read_requests(value_below(owner, {"resources", "limits"}), diagnostics));
    return out;
}

/// The containers under `key`; an empty list if there are none.
const std::vector<Value>& containers(const Value& pod, std::string_view key) {
    static const std::vector<Value> none;
    const Value* list = value_below(pod, {"spec", key});
    return list != nullptr ? list->items : none;
}

/// Counts what containers request, and what they hold after a resize in place.
class AskedOfPod {
public:
    AskedOfPod(const Value& pod, Diagnostics& diagnostics)
        : pod_(pod), diagnostics_(diagnostics), infeasible_(is_resize_infeasible(pod)) {}

    [[nodiscard]] Asked of_container(const Value& container) const {
        const Value* status = status_of(container);
        return status != nullptr && value_below(*status, {"resources"}) != nullptr
                   ? most_of(container, *status)
                   : asked(container, diagnostics_);
    }
    /// Applies what the pod states for itself as a whole.
    [[nodiscard]] Asked of_pod(const Value& spec) const {
        const Value* status = pod_.find("status");
        const bool stated = value_below(spec, {"resources"}) != nullptr;
        return stated && status != nullptr && value_below(*status, {"resources"}) != nullptr
                   ? most_of(spec, *status)
                   : asked(spec, diagnostics_);
    }

private:
    /// Whether the node cannot grant a resize: the requested amounts then do not count.
    static bool is_resize_infeasible(const Value& pod) {
        const Value* conditions = value_below(pod, {"status", "conditions"});
        return text_below(pod, {"status", "resize"}) == "Infeasible" ||
               (conditions != nullptr &&
                std::ranges::any_of(conditions->items, [](const Value& condition) {
                    return text_below(condition, {"type"}) == "PodResizePending" &&
                           text_below(condition, {"reason"}) == "Infeasible";
                }));
    }

    [[nodiscard]] const Value* status_of(const Value& container) const {
        const std::string name = text_below(container, {"name"});
        for (const char* key : {"containerStatuses", "initContainerStatuses"}) {
            const Value* list = value_below(pod_, {"status", key});
            for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
                if (!name.empty() && text_below(list->items[i], {"name"}) == name) {
                    return &list->items[i];
                }
            }
        }
        return nullptr;
    }

    [[nodiscard]] Asked most_of(const Value& stated, const Value& status) const {
        Asked most = infeasible_ ? Asked() : asked(stated, diagnostics_);
        raise(most, read_requests(value_below(status, {"resources", "requests"}), diagnostics_));
        raise(most, read_requests(value_below(status, {"allocatedResources"}), diagnostics_));
        return most;
    }

    const Value& pod_;
    Diagnostics& diagnostics_;
    bool infeasible_;
};

}  // namespace

Quantities pod_requests(const Value& pod, Diagnostics& diagnostics) {
    const AskedOfPod asks(pod, diagnostics);
    workloads::PodTotal<Asked> total;
    for (const Value& container : containers(pod, "containers")) {
        total.add_container(asks.of_container(container));
    }
    for (const Value& container : containers(pod, "initContainers")) {
        const bool stays = text_below(container, {"restartPolicy"}) == "Always";
        total.add_init_container(
            stays ? asks.of_container(container) : asked(container, diagnostics), stays);
    }
    Quantities sum = total.total();
    if (const Value* spec = pod.find("spec")) {
        for (const auto& [resource, quantity] : asks.of_pod(*spec)) {
            sum[resource] = quantity;
        }
    }
    add(sum, read_requests(value_below(pod, {"spec", "overhead"}), diagnostics));
    return sum;
}

std::vector<core::Amount> pod_amounts(const Value& pod,
                                      const core::SourceSpan& span,
                                      const core::ResourceSchema& schema,
                                      Diagnostics& diagnostics) {
    std::vector<core::Amount> amounts(schema.size(), 0);
    for (const auto& [resource, quantity] : pod_requests(pod, diagnostics)) {
        const std::size_t index = *schema.find(resource);
        constexpr core::Quantity billion = 1'000'000'000;
        const core::Quantity units = (quantity * schema.per_unit(index) + billion - 1) / billion;
        if (units > INT64_MAX) {
            diagnostics.error(span,
                              fmt::format("the pod asks for more {} than can be counted: expected "
                                          "at most {} {}",
                                          resource,
                                          INT64_MAX,
                                          schema.unit(index)));
        } else {
            amounts[index] = static_cast<core::Amount>(units);
        }
    }
    return amounts;
}

using core::Amount;
using core::CandidateQuery;
using core::Diagnostics;
using core::ProviderTerms;

std::shared_ptr<const sim::PodQuery> read_pod_query(const core::Value& value,
                                                    const ProviderTerms& terms,
                                                    sim::Demand& demand,
                                                    Diagnostics& diagnostics) {
    auto text = core::read_text(value, diagnostics);
    if (!text) {
        return nullptr;
    }
    // A long query may be written in several lines.
    std::erase_if(*text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    auto parsed = core::parse_candidate_query(*text);
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
        diagnostics.error(
            value.span,
            fmt::format("{}: expected a query such as resources=VCPU:2,MEMORY_MB:2048",
                        fault->reason));
        return nullptr;
    }
    auto& query = std::get<CandidateQuery>(parsed);
    if (query.limit) {
        diagnostics.error(value.span,
                          "limit cannot be used in the query of a pod, which takes one candidate: "
                          "expected no limit");
        return nullptr;
    }
    auto taken = terms.demand(query);
    if (!taken) {
        diagnostics.error(value.span, "the query asks for more than can be counted: expected less");
        return nullptr;
    }
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        demand[resource] += (*taken)[resource];  // a type states at most one of the two
    }
    return std::make_shared<const sim::PodQuery>(sim::PodQuery{*text, std::move(query)});
}

std::shared_ptr<const sim::PodQuery> pod_query_for(const core::SourceSpan& span,
                                                   const core::ResourceSchema& schema,
                                                   const ProviderTerms& terms,
                                                   sim::Demand& demand,
                                                   Diagnostics& diagnostics) {
    auto found = terms.query_for(demand);
    if (const auto* fault = std::get_if<ProviderTerms::NoQuery>(&found)) {
        diagnostics.error(span,
                          fmt::format("no allocation candidate for {} of {}: expected {}",
                                      schema.format(fault->resource, demand[fault->resource]),
                                      schema.name(fault->resource),
                                      fault->expected));
        return nullptr;
    }
    auto& asked = std::get<ProviderTerms::Asked>(found);
    demand = asked.demand;
    if (asked.query.empty()) {
        return nullptr;
    }
    auto parsed = core::parse_candidate_query(asked.query);
    BERTH_ASSERT(std::holds_alternative<CandidateQuery>(parsed), "berth's own query is right");
    return std::make_shared<const sim::PodQuery>(
        sim::PodQuery{std::move(asked.query), std::move(std::get<CandidateQuery>(parsed))});
}

void check_names(const sim::PodQuery& query,
                 const ProviderTerms& terms,
                 const core::SourceSpan& span,
                 Diagnostics& diagnostics) {
    if (const auto unknown = terms.unknown(query.query)) {
        diagnostics.error(span,
                          fmt::format("the query names the unknown {} '{}': expected one of the "
                                      "topology's or a standard one{}",
                                      unknown->what,
                                      unknown->name,
                                      core::suggestion(unknown->name, unknown->known)));
    }
}

}  // namespace berth::experiments
