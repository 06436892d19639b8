#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/index/server_rule.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// How many pods of each application are on each server, and who may have another: jobs that say
/// Job::per_server_max.
/// Source: `max_instance_per_node` of Alibaba's 2025 trace of recommendation models.
class ApplicationSpread {
public:
    ApplicationSpread();
    ApplicationSpread(const ApplicationSpread& other);  ///< The counts; rules are each one's own.
    ~ApplicationSpread();
    ApplicationSpread& operator=(const ApplicationSpread&) = delete;

    /// Of jobs with a limit, otherwise nullptr. It stays where it is; a server's answer changes
    /// only when a job of the application comes or goes there, which the ledger logs too.
    [[nodiscard]] const core::ServerRule* rule(const Job& job);
    /// Pods of the job came to the server; of a negative number, left it.
    void add(const Job& job, core::ServerId server, core::Members pods);
    /// So many are there, in a plan. Returns whether it was another number.
    bool show(const Job& job, core::ServerId server, core::Members pods);

private:
    class Rule;
    using Counts = std::map<core::ServerId, core::Members>;
    std::map<std::string, Counts> counts_;
    std::map<std::pair<std::string, core::Members>, std::unique_ptr<Rule>> rules_;
};

}  // namespace berth::sim
