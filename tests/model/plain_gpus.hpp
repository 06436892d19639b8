#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// Where nvidia.com/gpu stands in the schema of a case that shares GPUs: behind cpu and memory.
inline constexpr std::size_t gpu_resource = 2;
inline constexpr core::Amount whole_gpu = 1000;

/// What a pod asks of its server's GPUs: as it says, or else as its amounts say.
[[nodiscard]] core::GpuRequest gpus_asked(const sim::Job& job);

/// The GPUs of a machine type that belong together: its islands, or else its NUMA nodes, or else
/// all of them.
[[nodiscard]] std::vector<std::vector<std::size_t>> islands_of(const core::MachineType& type);
/// The model of its GPUs.
[[nodiscard]] std::string model_of(const core::MachineType& type);

/// What is free of each GPU of each server, in thousandths, and which kinds of pods are there.
class PlainGpus {
public:
    PlainGpus() = default;
    /// All is free but what is in use from outside, thousandths by server: that is on the devices
    /// with the lowest numbers.
    PlainGpus(const core::Topology& tree, const std::vector<core::Amount>& outside);

    [[nodiscard]] const std::vector<core::Amount>& free(std::uint32_t server) const {
        return free_[server];
    }
    [[nodiscard]] core::Amount all_free(std::uint32_t server) const;
    /// Devices of which everything is free.
    [[nodiscard]] std::int64_t whole(std::uint32_t server) const;
    /// Pods with GPUs that are there: 0 for those that have a share, k for those with k GPUs.
    [[nodiscard]] std::set<std::int64_t> kinds(std::uint32_t server) const;
    static std::int64_t kind_of(const core::GpuRequest& request) {
        return request.milli < whole_gpu ? 0 : request.count;
    }
    /// For how many pods of the job a server has GPUs.
    [[nodiscard]] core::Members fit(const core::Topology& tree,
                                    const sim::Job& job,
                                    std::uint32_t server) const;

    [[nodiscard]] bool is_free(std::uint32_t server, const PlainGrant& grant) const;
    void take(std::uint32_t server, const PlainGrant& grant) { add(server, grant, 1); }
    void give_back(std::uint32_t server, const PlainGrant& grant) { add(server, grant, -1); }
    /// The same where somebody may have it still: as much of it as there is.
    void take_what_is_left(std::uint32_t server, const PlainGrant& grant);
    /// Whatever is taken in one of two plans is taken.
    void join(const PlainGpus& other);

private:
    void add(std::uint32_t server, const PlainGrant& grant, core::Members pods);

    std::vector<std::vector<core::Amount>> free_;  ///< By server and device.
    std::map<std::pair<std::uint32_t, std::int64_t>, core::Members> pods_;  ///< By server and kind.
};

}  // namespace berth::tests
