#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/elastic_quota/elastic_quota.hpp"
#include "sim/quota/quota_settings.hpp"
#include "tests/model/plain_job.hpp"
#include "tests/support/plain_quotas.hpp"

namespace berth::tests {

/// What quotas admit, added up anew from all jobs whenever somebody asks.
class PlainQuotaBook {
public:
    /// `quotas`: those that there are; the default group is there besides. `total`: of the cluster,
    /// less what is in use from outside; it is not known as long as there has been no cluster.
    /// `jobs`: all that came.
    PlainQuotaBook(const sim::QuotaSettings& settings,
                   const std::vector<core::ElasticQuota>& quotas,
                   const std::vector<PlainJobState>& jobs,
                   std::vector<core::Amount> total,
                   bool total_known);

    /// So many more pods of a running job are asked for: it may grow.
    void ask_for_more(const sim::Job& job, core::Members pods);
    /// So many more of its pods run, or fewer.
    void run_more(const sim::Job& job, core::Members pods);
    [[nodiscard]] bool is_parent(const std::string& quota) const;
    /// The most pods of a job that are admitted, if they are at least `least`; else 0.
    [[nodiscard]] core::Members admitted(const sim::Job& job,
                                         core::Members least,
                                         core::Members most) const;
    /// Whether one more pod would exceed its limit, in what it asks for.
    [[nodiscard]] bool would_exceed(const sim::Job& job) const;
    [[nodiscard]] core::Amount used(const std::string& quota, std::size_t resource) const;
    /// How much it may use.
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
    std::vector<core::Amount> default_used_;                      ///< By the default group.
    std::map<std::string, std::vector<core::Amount>> kept_used_;  ///< By pods that stay.
    std::vector<std::map<std::string, core::Amount>> runtimes_;   ///< By resource and quota.
};

}  // namespace berth::tests
