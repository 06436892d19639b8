#pragma once

#include <filesystem>
#include <string>

namespace berth::test {

/// devices.csv of a machine with four GPUs: two on each NUMA node and island, and each on a PCIe
/// switch of its own except the last two, which share one. There is a NIC on the first switch and
/// one on the last.
inline constexpr const char* small_devices =
    "machine_type,kind,index,model,numa,pcie,nvlink\n"
    "box,gpu,0,A,0,0,0\n"
    "box,gpu,1,A,0,1,0\n"
    "box,gpu,2,A,1,2,1\n"
    "box,gpu,3,A,1,2,1\n"
    "box,rdma,0,B,0,0,\n"
    "box,rdma,1,B,1,2,\n";

inline constexpr const char* small_nodes =
    "node,rack,nvidia.com/gpu_capacity,nvidia.com/gpu_background,machine_type\n"
    "n0,r0,4,0,box\n"
    "n1,r0,4,0,box\n"
    "cpu,r1,0,0,plain\n";

inline constexpr const char* device_pods_header =
    "replication,pod,group,quota,priority,submit_s,start_s,finish_s,wait_s,jct_s,slowdown,node,"
    "devices,outcome,reason,nics,scope,scope_attainable,nvlink,nvlink_attainable,nic_beside,"
    "nic_beside_attainable,locality_reason\n";

/// A row of pods.csv; `rest` is the columns from `devices` on.
[[nodiscard]] std::string device_pod(const std::string& pod,
                                     double start_s,
                                     double finish_s,
                                     const std::string& node,
                                     const std::string& rest,
                                     int replication = 0);

/// Writes a run directory of two servers and five pods, one of which is split over NUMA nodes.
/// `solver` is greedy or exact: the exact run does not split it.
void write_device_run(const std::filesystem::path& directory, const std::string& solver);

}  // namespace berth::test
