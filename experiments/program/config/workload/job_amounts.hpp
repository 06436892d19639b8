#pragma once

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// Records an error at `span` if the pods of a job together request more than a run can count.
void check_amounts(const sim::Job& job,
                   const core::SourceSpan& span,
                   const core::ResourceSchema& schema,
                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
