#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/machine_views/provider_terms.hpp"
#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// The requests of a Pod object as a cluster's scheduler counts them: the sum over its containers,
/// or more if its init containers need more before them, plus its overhead. What the pod states as
/// a whole replaces the sum over its containers. For a pod that is resized in place, the largest of
/// what it requests, was granted and has counts; if the resize is infeasible, what it requests does
/// not count.
///
/// Units:  exact quantities, by resource.
/// Errors: recorded at their places.
/// Source: k8s.io/component-helpers/resource, PodRequests() with UseStatusResources.
[[nodiscard]] core::Quantities pod_requests(const core::Value& pod, core::Diagnostics& diagnostics);

/// The same as amounts by a schema that has all of these resources, rounded up as a scheduler does.
/// Errors: recorded also at `span` for more than can be counted.
[[nodiscard]] std::vector<core::Amount> pod_amounts(const core::Value& pod,
                                                    const core::SourceSpan& span,
                                                    const core::ResourceSchema& schema,
                                                    core::Diagnostics& diagnostics);

/// Reads `candidates` of a pod type, and how much of its server's amounts such a pod takes.
/// Returns: nothing, with `demand` unchanged, if an error was recorded.
[[nodiscard]] std::shared_ptr<const sim::PodQuery> read_pod_query(const core::Value& value,
                                                                  const core::ProviderTerms& terms,
                                                                  sim::Demand& demand,
                                                                  core::Diagnostics& diagnostics);

/// The query of a pod that only states amounts. Amounts that a shared provider may serve are
/// removed from the demand. Nothing for a pod that requests nothing that providers have.
[[nodiscard]] std::shared_ptr<const sim::PodQuery> pod_query_for(const core::SourceSpan& span,
                                                                 const core::ResourceSchema& schema,
                                                                 const core::ProviderTerms& terms,
                                                                 sim::Demand& demand,
                                                                 core::Diagnostics& diagnostics);

/// Reports the first name in a query that is unknown in the cluster.
void check_names(const sim::PodQuery& query,
                 const core::ProviderTerms& terms,
                 const core::SourceSpan& span,
                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
