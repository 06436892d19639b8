#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/elastic_quota/elastic_quota.hpp"
#include "sim/quota/quota_settings.hpp"
#include "tests/model/plain_job.hpp"
#include "tests/support/plain_quotas.hpp"

namespace berth::tests {

/// What quotas admit, summed up anew from all jobs for every question.
class PlainQuotaBook {
public:
    /// `quotas`: the existing quotas, in addition to the default group. `total`: that of the
    /// cluster, minus what is in use from outside; it is unknown as long as there has been no
    /// cluster. `jobs`: all jobs that came.
    PlainQuotaBook(const sim::QuotaSettings& settings,
                   const std::vector<core::ElasticQuota>& quotas,
                   const std::vector<PlainJobState>& jobs,
                   std::vector<core::Amount> total,
                   bool total_known);

    /// Lets a running job, which may grow, request this many more pods.
    void ask_for_more(const sim::Job& job, core::Members pods);
    /// Lets this many more pods of the job run, or fewer if negative.
    void run_more(const sim::Job& job, core::Members pods);
    [[nodiscard]] bool is_parent(const std::string& quota) const;
    /// The greatest number of pods of a job that is admitted, if it is at least `least`; else 0.
    [[nodiscard]] core::Members admitted(const sim::Job& job,
                                         core::Members least,
                                         core::Members most) const;
    /// Whether one more pod would exceed the quota's limit in any resource that the pod asks for.
    [[nodiscard]] bool would_exceed(const sim::Job& job) const;
    [[nodiscard]] core::Amount used(const std::string& quota, std::size_t resource) const;
    /// How much the quota may use.
    [[nodiscard]] core::Amount runtime(const std::string& quota, std::size_t resource) const {
        return runtimes_[resource].at(quota);
    }

private:
    void ask(const sim::Job& job, core::Members pods);
    void share();
    [[nodiscard]] bool admits(const sim::Job& job, core::Members pods) const;
    [[nodiscard]] core::Amount limit(const std::string& quota, std::size_t resource) const;

    const sim::QuotaSettings& settings_;
    PlainQuotas book_;
    std::vector<core::Amount> default_used_;                      ///< Usage of the default group.
    std::map<std::string, std::vector<core::Amount>> kept_used_;  ///< Usage of pods that stay.
    /// Runtimes by resource and quota.
    std::vector<std::map<std::string, core::Amount>> runtimes_;
};

}  // namespace berth::tests
