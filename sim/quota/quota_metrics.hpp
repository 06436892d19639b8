#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/meter.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::sim {

/// Whether quotas got what they were promised: sums over time, by quota.
/// Names and meanings: docs/reference/metrics.md.
///
/// Cost: O(depth x resources) for each change of a quota's request or use; over-use is computed
///       only on request, in O(quotas x resources) plus the runtimes that changed.
class QuotaMetrics final : public Meter {
public:
    QuotaMetrics(QuotaManager& quotas,
                 const core::Ledger& ledger,
                 Window window = {},
                 bool has_drains = false);

    /// The request, usage or waiting pods of a quota change, and with it those of the quotas above
    /// it.
    void changed(core::QuotaId quota, SimTime now);
    /// Any quota may have changed, through its spec or through the cluster's capacity.
    void all_changed(SimTime now);
    /// Compares what every quota uses with its runtime.
    void look_for_over_use(SimTime now);
    /// Takes in a job whose run is over; `now` matters only for a job that waits.
    void job(core::QuotaId quota, const JobRecord& record, SimTime now);
    /// The stint's members lost their places, and each lost as much work as the stint says.
    void evicted(core::QuotaId quota, const Job& job, const Stint& stint, EvictionCause cause);
    void finish(SimTime now) override;

    void add_to(std::vector<Metric>& out) const override;

private:
    /// The current values, and their integrals over time until `since`.
    struct Sums {
        SimTime since{};
        double dominant_share = 0;
        double dominant_share_s = 0;
        double asked_share = 0;  ///< The dominant share of the limited request.
        double asked_share_s = 0;
        bool violated = false;
        double violated_s = 0;
        std::vector<double> lent;
        std::vector<double> lent_s;
        std::vector<double> borrowed;
        std::vector<double> borrowed_s;
        std::optional<SimTime> over_since;
        double over_s = 0;
        double pods = 0;  ///< Pods submitted to this quota or below it; so for the fields that
                          ///< follow.
        CensoredSample waits;
        std::array<double, eviction_cause_count> evictions{};
        double lost_s = 0;

        /// Adds the integrals and counts, but not the current values.
        void add(const Sums& other);
    };
    void settle_quota(core::QuotaId quota, SimTime now);
    /// Calls `function` with the sums of a quota and of all quotas above it, including the root.
    template <class Function>
    void for_path(core::QuotaId quota, Function function) {
        for (;; quota = quotas_.trees().parent(quota)) {
            function(sums_[quota.index]);
            if (quotas_.trees().is_root(quota)) {
                return;
            }
        }
    }
    [[nodiscard]] double share_of(core::QuotaId quota, bool asked) const;
    [[nodiscard]] bool is_violated(core::QuotaId quota) const;
    void add_quota(std::vector<Metric>& out,
                   const std::string& name,
                   const std::vector<core::QuotaId>& ids) const;
    void add_totals(std::vector<Metric>& out) const;

    QuotaManager& quotas_;
    const core::Ledger& ledger_;
    Window window_;
    std::size_t causes_told_;
    std::vector<Sums> sums_;  ///< One entry per quota.
    SimTime end_{};
};

/// Jain's index of non-negative values: 1 if they are equal, 1/n if one of them has everything;
/// nothing if there are none or all are 0.
/// Source: Jain, Chiu, Hawe: "A Quantitative Measure of Fairness" (DEC-TR-301, 1984).
[[nodiscard]] std::optional<double> jain_index(const std::vector<double>& values);

}  // namespace berth::sim
