#include "experiments/program/config/workload/pod_queries.hpp"

#include <variant>

#include <fmt/format.h>

#include "core/support/assert.hpp"

namespace berth::experiments {

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
    // A long query may stand in several lines.
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
                          "limit in the query of a pod: expected none, for it takes one candidate");
        return nullptr;
    }
    auto taken = terms.demand(query);
    if (!taken) {
        diagnostics.error(value.span, "the query asks for more than can be counted: expected less");
        return nullptr;
    }
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        demand[resource] += (*taken)[resource];  // of which a type says only one
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
