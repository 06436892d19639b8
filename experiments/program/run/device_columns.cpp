#include "experiments/program/run/device_columns.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/machine_views/device_places.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {
namespace {

std::string indices(core::DeviceMask devices) {
    std::string out;
    core::for_each_bit(devices, [&](std::size_t index) {
        out += out.empty() ? "" : "-";
        append_integer(out, static_cast<std::int64_t>(index));
    });
    return out;
}

/// The tightest of the scopes that hold all GPUs.
std::string_view scope(const core::Locality& locality) {
    return locality.pcie ? "pcie" : locality.numa ? "numa" : "machine";
}

/// Why a pod's GPUs are not as near to each other as they could be on a machine of their own.
std::string reason(const core::MachineAnswer& grant) {
    const int gpus = std::popcount(grant.gpus);
    const core::Locality& reached = grant.reached;
    const core::Locality& most = grant.attainable;
    if (gpus > 1 && !reached.numa && grant.possible.numa) {
        return most.numa ? fmt::format("a NUMA node had {} GPUs free and was not chosen", gpus)
                         : fmt::format("no NUMA node had {} GPUs free", gpus);
    }
    if (gpus > 1 && !reached.nvlink && most.nvlink) {
        return fmt::format("an NVLink island had {} GPUs free and was not chosen", gpus);
    }
    if (gpus > 1 && !reached.pcie && most.pcie) {
        return fmt::format("a PCIe switch had {} GPUs free and was not chosen", gpus);
    }
    if (!reached.nic_beside && grant.possible.nic_beside) {
        return most.nic_beside ? "GPUs with free NICs beside them were not chosen"
                               : "too few GPUs had a free NIC beside them";
    }
    return "";
}

}  // namespace

std::string gpu_indices(const sim::Grant& grant) {
    return indices(grant.devices != nullptr ? grant.devices->gpus : grant.gpus.devices);
}

void write_devices(TableRow& row, sim::DeviceGrant grant) {
    row.plain(grant == nullptr ? "" : indices(grant->nics));
    if (grant == nullptr || grant->gpus == 0) {
        row.empty(7);
        return;
    }
    const core::Locality& reached = grant->reached;
    const core::Locality& most = grant->attainable;
    const core::Locality best{reached.pcie || most.pcie,
                              reached.nvlink || most.nvlink,
                              reached.numa || most.numa,
                              reached.nic_beside || most.nic_beside};
    row.plain(scope(reached)).plain(scope(best)).truth(reached.nvlink).truth(best.nvlink);
    if (grant->nics != 0) {
        row.truth(reached.nic_beside).truth(best.nic_beside);
    } else {
        row.empty(2);
    }
    row.plain(reason(*grant));
}

std::string devices_csv(const core::Topology& tree) {
    std::string out = report::header_of(report::Table::devices, {report::Part::always});
    for (const core::MachineType& type : tree.machine_types()) {
        const auto places = core::device_places(type.devices);
        for (std::size_t group = 0; group < places.size(); ++group) {
            for (std::size_t index = 0; index < places[group].size(); ++index) {
                const core::DevicePlace& place = places[group][index];
                TableRow row(out);
                row.text(type.name)
                    .text(type.devices[group].kind)
                    .integer(static_cast<std::int64_t>(index));
                row.text(type.devices[group].model);
                if (place.numa) {
                    row.integer(*place.numa);
                } else {
                    row.empty();
                }
                row.text(place.pcie.value_or(""));
                if (place.island) {
                    row.integer(*place.island);
                } else {
                    row.empty();
                }
                row.end();
            }
        }
    }
    return out;
}

}  // namespace berth::experiments
