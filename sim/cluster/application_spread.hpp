#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/index/server_rule.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Counts the pods of each application on each server, and limits them for jobs that state
/// Job::per_server_max.
/// Source: `max_instance_per_node` of Alibaba's 2025 trace of recommendation models.
class ApplicationSpread {
public:
    ApplicationSpread();
    ApplicationSpread(const ApplicationSpread& other);  ///< Copies the counts; rules are made anew.
    ~ApplicationSpread();
    ApplicationSpread& operator=(const ApplicationSpread&) = delete;

    /// The rule for a job with a limit, otherwise nullptr; its address is stable. Its answer for a
    /// server changes only when a job of the application comes to or leaves that server, which the
    /// ledger logs, too.
    [[nodiscard]] const core::ServerRule* rule(const Job& job);
    /// How many pods count for the limit of the job's application on a server.
    [[nodiscard]] core::Members pods(const Job& job, core::ServerId server) const;
    /// Pods of the job came to the server or, if negative, left it.
    void add(const Job& job, core::ServerId server, core::Members pods) {
        if (job.per_server_max > 0) {
            count(job, server, pods);
        }
    }
    /// In a plan: `pods` pods are on the server. Returns whether the number changed.
    bool show(const Job& job, core::ServerId server, core::Members pods);

private:
    class Rule;
    using Counts = std::map<core::ServerId, core::Members>;
    void count(const Job& job, core::ServerId server, core::Members pods);

    std::map<std::string, Counts> counts_;
    std::map<std::pair<std::string, core::Members>, std::unique_ptr<Rule>> rules_;
};

}  // namespace berth::sim
