#include "core/gpu_shares/gpu_shares.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

constexpr auto whole_device = static_cast<GpuMilli>(gpu_whole_milli);

std::uint32_t kind_of(GpuGrant grant) {
    return gpu_kind(grant.milli, std::popcount(grant.devices));
}

}  // namespace

GpuShares::GpuShares(const Topology& topology) : models_(topology) {
    const auto types = static_cast<std::uint32_t>(topology.machine_types().size());
    const auto devices_of = [&](std::uint32_t type) {
        return std::min<std::uint32_t>(models_.device_count(type), devices_of_type_max);
    };
    for (std::uint32_t type = 0; type < types; ++type) {
        stride_ = std::max<std::size_t>(stride_, devices_of(type));
    }
    servers_.resize(topology.server_count());
    free_.resize(servers_.size() * stride_, whole_device);
    kind_counts_.resize(servers_.size() * (stride_ + 1));
    for (std::uint32_t server = 0; server < servers_.size(); ++server) {
        const std::uint32_t type = topology.machine_type_index(ServerId{server});
        servers_[server].model = models_.of_machine_type(type);
        servers_[server].devices = devices_of(type);
        servers_[server].set = sets_->of(free(ServerId{server}));
    }
}

void GpuShares::change(ServerId server, DeviceMask devices, GpuMilli milli) {
    BERTH_ASSERT(server.index < servers_.size(), "a server is one of the cluster's");
    BERTH_ASSERT(std::cmp_less_equal(std::bit_width(devices), servers_[server.index].devices),
                 "devices are those of the server");
    GpuMilli* const free = free_.data() + std::size_t{server.index} * stride_;
    for_each_bit(devices, [&](std::size_t device) {
        free[device] -= milli;
        BERTH_ASSERT(free[device] >= 0 && free[device] <= whole_device,
                     "a share of a GPU is taken where it is free, and given back once");
    });
    servers_[server.index].set = sets_->of(this->free(server));
}

std::size_t GpuShares::kind_slot(GpuGrant grant) const {
    return std::min<std::size_t>(kind_of(grant), stride_);
}

std::uint16_t& GpuShares::pods_of_kind(ServerId server, GpuGrant grant) {
    return kind_counts_[server.index * (stride_ + 1) + kind_slot(grant)];
}

void GpuShares::take(ServerId server, GpuGrant grant) {
    BERTH_ASSERT((grant.devices != 0) == (grant.milli > 0), "a pod has some of each of its GPUs");
    BERTH_ASSERT(grant.milli == whole_device || std::popcount(grant.devices) <= 1,
                 "a share is of one device");
    change(server, grant.devices, grant.milli);
    if (pods_of_kind(server, grant)++ == 0) {
        servers_[server.index].kinds |= bit(kind_of(grant));
    }
}

void GpuShares::give_back(ServerId server, GpuGrant grant) {
    change(server, grant.devices, -grant.milli);
    BERTH_ASSERT(pods_of_kind(server, grant) > 0, "who gives GPUs back was on the server");
    if (--pods_of_kind(server, grant) == 0) {
        servers_[server.index].kinds &= ~bit(kind_of(grant));
    }
}

GpuShares::Taken GpuShares::taken(ServerId server) const {
    Taken taken(2 * stride_ + 1);
    for (std::size_t device = 0; device < stride_; ++device) {
        taken[device] = whole_device - free_[server.index * stride_ + device];
    }
    std::copy_n(kind_counts_.begin() + static_cast<std::ptrdiff_t>(server.index * (stride_ + 1)),
                stride_ + 1,
                taken.begin() + static_cast<std::ptrdiff_t>(stride_));
    return taken;
}

bool GpuShares::is_free(const Taken& taken, GpuGrant grant) {
    bool free = true;
    for_each_bit(grant.devices, [&](std::size_t device) {
        free = free && taken[device] + grant.milli <= whole_device;
    });
    return free;
}

void GpuShares::put_in(Taken& taken, GpuGrant grant) const {
    for_each_bit(grant.devices, [&](std::size_t device) {
        taken[device] = std::min<Amount>(taken[device] + grant.milli, whole_device);
    });
    ++taken[stride_ + kind_slot(grant)];
}

void GpuShares::take_out(Taken& taken, GpuGrant grant) const {
    for_each_bit(grant.devices, [&](std::size_t device) {
        taken[device] -= grant.milli;
        BERTH_ASSERT(taken[device] >= 0, "what is taken out of a plan was in it");
    });
    --taken[stride_ + kind_slot(grant)];
}

void GpuShares::show(ServerId server, const Taken& taken) {
    Server& here = servers_[server.index];
    here.kinds = 0;
    for (std::size_t device = 0; device < stride_; ++device) {
        free_[server.index * stride_ + device] =
            static_cast<GpuMilli>(whole_device - taken[device]);
    }
    for (std::size_t kind = 0; kind <= stride_; ++kind) {
        kind_counts_[server.index * (stride_ + 1) + kind] =
            static_cast<std::uint16_t>(taken[stride_ + kind]);
        here.kinds |= taken[stride_ + kind] > 0 ? bit(kind) : 0;
    }
    here.set = sets_->of(free(server));
}

void GpuShares::occupy(ServerId server, Amount milli) {
    for (std::size_t device = 0; device < free(server).size() && milli > 0; ++device) {
        const auto part = static_cast<GpuMilli>(std::min<Amount>(milli, free(server)[device]));
        change(server, bit(device), part);
        milli -= part;
    }
}

}  // namespace berth::core
