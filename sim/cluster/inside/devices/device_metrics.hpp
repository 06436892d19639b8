#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/inside/devices/server_devices.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

/// How close together the devices of a pod are, and how fragmented the free ones are.
/// Names and meanings: docs/reference/metrics.md.
class DeviceMetrics final : public Meter {
public:
    explicit DeviceMetrics(const ServerDevices& devices, Window window = {})
        : devices_(devices), window_(window), free_(devices.free_gpus()) {}

    /// Names of what sample() records.
    [[nodiscard]] static std::vector<std::string> sampled();
    /// In the order of sampled(): of all pods placed so far.
    void sample(std::vector<double>& out) override;
    void granted(const Job& job, const Grant& grant) override;
    void settle(SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    /// Sums over pods of one size.
    struct Sums {
        double pods = 0;
        std::array<double, 4> reached{};     ///< In the order of the kinds of nearness.
        std::array<double, 4> attainable{};  ///< Where the pod did not reach it, too.
        double with_nic = 0;
    };
    static void count(Sums& sums, const core::MachineAnswer& grant);
    static void add_shares(std::vector<Metric>& out, const std::string& suffix, const Sums& sums);

    const ServerDevices& devices_;
    Window window_;
    Sums so_far_;                          ///< Pods of several GPUs, or of one and a NIC.
    Sums all_;                             ///< Those of them that the window counts.
    std::map<std::size_t, Sums> by_size_;  ///< The same, by GPUs.
    SimTime settled_{};
    FreeGpus free_;              ///< Since then.
    double broken_seconds_ = 0;  ///< The share of free GPUs that are in broken groups, over time.
    double free_seconds_ = 0;    ///< Time in which any GPU was free.
};

}  // namespace berth::sim
