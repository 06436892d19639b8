#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/gpu_shares/gpu_models.hpp"
#include "core/gpu_shares/gpu_request.hpp"
#include "core/gpu_shares/gpu_sets.hpp"
#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// What is free on each GPU of each server: the part of the ledger that counts device by device.
///
/// Shape: at most 64 GPUs for each server; those beyond are ignored.
/// Cost:  O(devices of a server) for a change; 6 bytes for each device and 24 for each server.
class GpuShares {
public:
    explicit GpuShares(const Topology& topology);

    /// The free share of each device. Valid until the next change.
    [[nodiscard]] std::span<const GpuMilli> free(ServerId server) const {
        BERTH_AUDIT(server.index < servers_.size(), "a server is one of the cluster's");
        return {free_.data() + std::size_t{server.index} * stride_, servers_[server.index].devices};
    }
    [[nodiscard]] GpuSetId set(ServerId server) const { return servers_[server.index].set; }
    /// The model of the server's GPUs, as its number in models().
    [[nodiscard]] std::uint32_t model(ServerId server) const {
        return servers_[server.index].model;
    }
    /// The kinds of GPU pods on the server, one bit for each: see gpu_kind().
    [[nodiscard]] std::uint64_t kinds(ServerId server) const {
        return servers_[server.index].kinds;
    }
    [[nodiscard]] const GpuModels& models() const { return models_; }
    /// This is shared with copies of the object, since sets are never forgotten.
    [[nodiscard]] GpuSets& sets() const { return *sets_; }

    /// Errors: taking what is not free and giving back what is not taken abort.
    void take(ServerId server, GpuGrant grant);
    void give_back(ServerId server, GpuGrant grant);
    /// Takes what is in use before the run begins: first whole GPUs, then a share of one, beginning
    /// with the lowest number.
    void occupy(ServerId server, Amount milli);

    /// What is taken on a server, for plans: first thousandths for each device, then the number of
    /// pods of each kind.
    using Taken = std::vector<Amount>;
    [[nodiscard]] Taken taken(ServerId server) const;
    [[nodiscard]] static bool is_free(const Taken& taken, GpuGrant grant);
    /// Adds a grant to `taken`, but never more than all of a device, and removes it again.
    void put_in(Taken& taken, GpuGrant grant) const;
    void take_out(Taken& taken, GpuGrant grant) const;
    /// Sets what is taken on the server from now on, whichever pods have it.
    void show(ServerId server, const Taken& taken);

private:
    struct Server {
        std::uint64_t kinds = 0;
        GpuSetId set = 0;
        std::uint32_t model = 0;
        std::uint32_t devices = 0;
    };
    void change(ServerId server, DeviceMask devices, GpuMilli milli);
    [[nodiscard]] std::size_t kind_slot(GpuGrant grant) const;
    [[nodiscard]] std::uint16_t& pods_of_kind(ServerId server, GpuGrant grant);

    GpuModels models_;
    std::shared_ptr<GpuSets> sets_ = std::make_shared<GpuSets>();
    std::size_t stride_ = 0;
    std::vector<Server> servers_;
    /// The free share of each device, in rows of `stride_`, by server.
    std::vector<GpuMilli> free_;
    /// Pods of each kind, in rows of `stride_` + 1, by server.
    std::vector<std::uint16_t> kind_counts_;
};

}  // namespace berth::core
