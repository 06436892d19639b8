#include "experiments/program/run/device_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/machine_views/device_places.hpp"
#include "core/support/csv_record.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/tables.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {
namespace {

void append_indices(std::string& out, core::DeviceMask devices) {
    bool is_first = true;
    core::for_each_bit(devices, [&](std::size_t index) {
        out += is_first ? "" : "-";
        append_integer(out, static_cast<std::int64_t>(index));
        is_first = false;
    });
}

std::string indices(core::DeviceMask devices) {
    std::string out;
    append_indices(out, devices);
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

void append_gpu_indices(std::string& out, const sim::Grant& grant) {
    append_indices(out, grant.devices != nullptr ? grant.devices->gpus : grant.gpus.devices);
}

std::string gpu_indices(const sim::Grant& grant) {
    std::string out;
    append_gpu_indices(out, grant);
    return out;
}

std::string device_columns(sim::DeviceGrant grant) {
    if (grant == nullptr || grant->gpus == 0) {
        return fmt::format(",{},,,,,,,", grant == nullptr ? "" : indices(grant->nics));
    }
    const core::Locality& reached = grant->reached;
    const core::Locality& most = grant->attainable;
    const core::Locality best{reached.pcie || most.pcie,
                              reached.nvlink || most.nvlink,
                              reached.numa || most.numa,
                              reached.nic_beside || most.nic_beside};
    const bool nics = grant->nics != 0;
    return fmt::format(",{},{},{},{},{},{},{},{}",
                       indices(grant->nics),
                       scope(reached),
                       scope(best),
                       reached.nvlink,
                       best.nvlink,
                       nics ? fmt::format("{}", reached.nic_beside) : "",
                       nics ? fmt::format("{}", best.nic_beside) : "",
                       reason(*grant));
}

std::string devices_csv(const core::Topology& tree) {
    std::string out = report::header_of(report::Table::devices, {report::Part::always});
    for (const core::MachineType& type : tree.machine_types()) {
        const auto places = core::device_places(type.devices);
        for (std::size_t group = 0; group < places.size(); ++group) {
            for (std::size_t index = 0; index < places[group].size(); ++index) {
                const core::DevicePlace& place = places[group][index];
                core::append(out,
                             "{},{},{},{},{},{},{}\n",
                             core::csv_field(type.name),
                             core::csv_field(type.devices[group].kind),
                             index,
                             core::csv_field(type.devices[group].model),
                             place.numa ? fmt::format("{}", *place.numa) : "",
                             core::csv_field(place.pcie.value_or("")),
                             place.island ? fmt::format("{}", *place.island) : "");
            }
        }
    }
    return out;
}

}  // namespace berth::experiments
