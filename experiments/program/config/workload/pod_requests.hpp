#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/machine_views/provider_terms.hpp"
#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// What a Pod object asks for, as a cluster's scheduler counts it: its containers together, or more
/// if its init containers need more on their way, and its overhead; what the pod states as a whole
/// stands in the place of its containers'. Of who is resized in place, it is the most of what it
/// asks for, what it was granted and what it has; where the resize is infeasible, what it asks for
/// does not count.
///
/// Units:  exact quantities, by resource.
/// Errors: recorded at their places.
/// Source: k8s.io/component-helpers/resource, PodRequests() with UseStatusResources.
[[nodiscard]] core::Quantities pod_requests(const core::Value& pod, core::Diagnostics& diagnostics);

/// Reads `candidates` of a pod type, and what a pod of it takes of its server's amounts.
/// Returns: nothing, and a `demand` as it was, once something is recorded.
[[nodiscard]] std::shared_ptr<const sim::PodQuery> read_pod_query(const core::Value& value,
                                                                  const core::ProviderTerms& terms,
                                                                  sim::Demand& demand,
                                                                  core::Diagnostics& diagnostics);

/// The query of a pod that says amounts alone, of which those that a shared provider may serve
/// leave the demand. Nothing for one that asks for nothing a provider has.
[[nodiscard]] std::shared_ptr<const sim::PodQuery> pod_query_for(const core::SourceSpan& span,
                                                                 const core::ResourceSchema& schema,
                                                                 const core::ProviderTerms& terms,
                                                                 sim::Demand& demand,
                                                                 core::Diagnostics& diagnostics);

/// Reports the first name in a query that nobody in the cluster knows.
void check_names(const sim::PodQuery& query,
                 const core::ProviderTerms& terms,
                 const core::SourceSpan& span,
                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
