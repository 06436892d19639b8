#pragma once

#include <string>
#include <vector>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

/// How much of what servers share is in use, and how many pods found the amounts but no candidate.
/// Names and meanings: docs/reference/metrics.md.
class ProviderMetrics final : public Meter {
public:
    explicit ProviderMetrics(const ServerProviders& providers, Window window = {});

    /// Names of what sample() records.
    [[nodiscard]] static std::vector<std::string> sampled(const core::Topology& tree);
    /// Values in the order of sampled().
    void sample(std::vector<double>& out) override;
    void without_place(const Job& job, std::uint32_t servers) override;
    void settle(SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    [[nodiscard]] std::vector<double> shares() const;

    const ServerProviders& providers_;
    Window window_;
    core::Members without_candidate_ = 0;
    SimTime settled_{};
    std::vector<double> in_use_;    ///< Shares in use since settled_, by shared class.
    std::vector<double> integral_;  ///< Integral of the shares over seconds.
};

}  // namespace berth::sim
