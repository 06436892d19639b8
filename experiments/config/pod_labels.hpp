#pragma once

#include <set>
#include <string>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "sim/job.hpp"

namespace berth::experiments {

/// Reads what pods of every source may say of themselves: `priority`, `quota`, `namespace`,
/// `preemptible`, and checks them against the experiment's quotas: a pod on a parent quota is an
/// error, a quota that nobody knows a warning, once a name.
class PodLabels {
public:
    explicit PodLabels(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
    /// `rules` hold the quotas at the start, `later` the names of those created during the run.
    PodLabels(const core::QuotaRules& rules,
              std::set<std::string> later,
              core::Diagnostics& diagnostics)
        : rules_(&rules), later_(std::move(later)), diagnostics_(diagnostics) {}

    void read(core::MapReader& map, sim::Job& job);
    /// Checks a job whose labels somebody else has read, at `span`.
    void check(const core::SourceSpan& span, const sim::Job& job);

private:
    const core::QuotaRules* rules_ = nullptr;
    std::set<std::string> later_;
    std::set<std::string> warned_;
    core::Diagnostics& diagnostics_;
};

}  // namespace berth::experiments
