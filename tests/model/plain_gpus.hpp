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

/// The index of nvidia.com/gpu in the schema of a case that shares GPUs: it follows cpu and memory.
inline constexpr std::size_t gpu_resource = 2;
inline constexpr core::Amount whole_gpu = 1000;

/// What a pod asks of its server's GPUs: its own request, or else what its amounts imply.
[[nodiscard]] core::GpuRequest gpus_asked(const sim::Job& job);

/// The GPUs of a machine type that belong together: those of each island, or else of each NUMA
/// node, or else all of them.
[[nodiscard]] std::vector<std::vector<std::size_t>> islands_of(const core::MachineType& type);
/// The model of the type's GPUs.
[[nodiscard]] std::string model_of(const core::MachineType& type);

/// What is free on each GPU of each server, in thousandths, and which kinds of pods run there.
class PlainGpus {
public:
    PlainGpus() = default;
    /// Everything is free except what is in use from outside, in thousandths by server: that
    /// occupies the devices with the lowest numbers.
    PlainGpus(const core::Topology& tree, const std::vector<core::Amount>& outside);

    [[nodiscard]] const std::vector<core::Amount>& free(std::uint32_t server) const {
        return free_[server];
    }
    [[nodiscard]] core::Amount all_free(std::uint32_t server) const;
    /// The number of devices that are completely free.
    [[nodiscard]] std::int64_t whole(std::uint32_t server) const;
    /// The kinds of pods with GPUs that run there: 0 for pods with a share, k for pods with k GPUs.
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
    /// Takes as much of the grant as there is, since another pod may still hold parts of it.
    void take_what_is_left(std::uint32_t server, const PlainGrant& grant);
    /// Takes whatever is taken in either of two plans.
    void join(const PlainGpus& other);

private:
    void add(std::uint32_t server, const PlainGrant& grant, core::Members pods);

    std::vector<std::vector<core::Amount>> free_;  ///< Free amounts by server and device.
    /// Number of pods, by server and kind.
    std::map<std::pair<std::uint32_t, std::int64_t>, core::Members> pods_;
};

}  // namespace berth::tests
