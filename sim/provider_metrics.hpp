#pragma once

#include <string>
#include <vector>

#include "core/ids.hpp"
#include "sim/metrics.hpp"
#include "sim/server_providers.hpp"
#include "sim/time.hpp"
#include "sim/window.hpp"

namespace berth::sim {

/// How much of what servers share is in use, and how many pods found the amounts and no candidate.
/// Names and meanings: docs/reference/metrics.md.
class ProviderMetrics {
public:
    explicit ProviderMetrics(const ServerProviders& providers, Window window = {});

    /// Names of what sample() records.
    [[nodiscard]] static std::vector<std::string> sampled(const core::Topology& tree);
    /// In the order of sampled().
    [[nodiscard]] std::vector<double> sample() const;

    /// A job was given up, or waits at the end, for want of a place: so many servers have the
    /// amounts for one of its pods, and no candidate.
    void without_place(const Job& job, std::uint32_t servers);
    /// Accounts for the time up to `now` with what was in use, then takes in what changed. Call
    /// after everything that happened at one instant, before the clock goes on.
    void settle(SimTime now);
    void add_to(std::vector<Metric>& out) const;

private:
    const ServerProviders& providers_;
    Window window_;
    core::Members without_candidate_ = 0;
    SimTime settled_{};
    std::vector<double> in_use_;    ///< Since then: shares, by shared class.
    std::vector<double> integral_;  ///< Of the shares over seconds.
};

}  // namespace berth::sim
