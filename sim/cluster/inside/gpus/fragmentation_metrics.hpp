#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_sharing/fragmentation.hpp"
#include "core/ledger/change_log.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/job.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

/// What arrived, what is allocated and how fragmented the rest is, in a run that shares GPUs: the
/// series of the FGD paper's figures. Names and meanings: docs/reference/metrics.md.
///
/// Cost: O(typical pods) for each server that changed; amounts are summed as integers, so that
///       nothing drifts.
class FragmentationMetrics final : public Meter {
public:
    FragmentationMetrics(const core::Ledger& ledger,
                         core::Fragmentation& fragmentation,
                         Window window = {});

    /// Names of what sample() records, in milli-GPU; without typical pods, fragmentation is left
    /// out.
    [[nodiscard]] static std::vector<std::string> sampled(bool typical_pods);
    void begin(Scheduler& scheduler) override;
    void submitted(const Job& job) override;
    void settle(SimTime now) override;
    /// Values in the order of sampled(), of a run that is settled.
    void sample(std::vector<double>& out) override;
    [[nodiscard]] std::optional<core::Violation> find_violation() const override;
    void add_to(std::vector<Metric>& out) const override;

private:
    using Counted = core::ByFragmentClass<std::int64_t>;
    void take_in(core::ServerId server);
    [[nodiscard]] core::ByFragmentClass<double> classes() const;
    void note_arrived_share();

    /// Sums over the samples at which a share of the GPUs, in percent, had arrived.
    struct AtArrived {
        std::int64_t percent = 0;
        double allocated_pct = 0;
        double frag_pct = 0;
        double frag_ratio_pct = 0;
        double samples = 0;
    };
    const core::Ledger& ledger_;
    const core::Topology& tree_;
    core::Fragmentation& fragmentation_;
    Window window_;
    std::size_t gpu_;
    std::size_t cpu_;
    core::ChangeReader changes_;
    std::vector<Counted> of_server_;
    Counted sums_{};
    core::Amount capacity_ = 0;  ///< GPUs of the cluster when the run begins.
    __extension__ using Wide = __int128;
    Wide arrived_ = 0;
    SimTime settled_{};
    double frag_seconds_ = 0;  ///< Fragmented GPUs over time, in milli-GPU x s.
    double idle_seconds_ = 0;
    std::array<AtArrived, 6> at_arrived_{};
};

}  // namespace berth::sim
