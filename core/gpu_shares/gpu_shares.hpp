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

/// What is free of each GPU of each server: the part of the ledger that counts device by device.
///
/// Shape:  at most 64 GPUs a server; those beyond are not looked at.
/// Cost:   O(devices of a server) a change; 6 bytes a device and 24 a server.
class GpuShares {
public:
    explicit GpuShares(const Topology& topology);

    /// By device. Valid until the next change.
    [[nodiscard]] std::span<const GpuMilli> free(ServerId server) const {
        BERTH_AUDIT(server.index < servers_.size(), "a server is one of the cluster's");
        return {free_.data() + std::size_t{server.index} * stride_, servers_[server.index].devices};
    }
    [[nodiscard]] GpuSetId set(ServerId server) const { return servers_[server.index].set; }
    /// Of models().
    [[nodiscard]] std::uint32_t model(ServerId server) const {
        return servers_[server.index].model;
    }
    /// Which kinds of GPU pods are there: see gpu_kind().
    [[nodiscard]] std::uint64_t kinds(ServerId server) const {
        return servers_[server.index].kinds;
    }
    [[nodiscard]] const GpuModels& models() const { return models_; }
    /// Shared with copies of this object, since sets are never forgotten.
    [[nodiscard]] GpuSets& sets() const { return *sets_; }

    /// Errors: taking what is not free, or giving back what is not taken, aborts.
    void take(ServerId server, GpuGrant grant);
    void give_back(ServerId server, GpuGrant grant);
    /// Takes what is in use before the run begins: whole GPUs, then a share, from the lowest
    /// number.
    void occupy(ServerId server, Amount milli);

    /// What is taken on a server, for plans: thousandths by device, then pods by kind.
    using Taken = std::vector<Amount>;
    [[nodiscard]] Taken taken(ServerId server) const;
    [[nodiscard]] static bool is_free(const Taken& taken, GpuGrant grant);
    /// Adds a grant to that, of each device no more than there is; and removes it again.
    void put_in(Taken& taken, GpuGrant grant) const;
    void take_out(Taken& taken, GpuGrant grant) const;
    /// From now on so much is taken on the server, whoever has it.
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
    std::vector<GpuMilli> free_;              ///< By server, `stride_` each.
    std::vector<std::uint16_t> kind_counts_;  ///< By server, `stride_` + 1 each.
};

}  // namespace berth::core
