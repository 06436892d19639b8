#include "topologies/writers.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <sstream>

#include "core/machine_views/device_object_view.hpp"
#include "experiments/program/config/cluster/read_device.hpp"
#include "experiments/program/support/documents.hpp"
#include "parsed.hpp"

namespace {

using namespace berth;

const std::string two_types = R"(kind: Topology
spec:
  levels: [{name: rack, count: 1}, {name: server, count: 4}]
  machines: [{type: plain}, {type: "hgx: h100"}]
  machineTypes:
    plain: {capacity: {cpu: 8}}
    "hgx: h100":
      capacity: {cpu: 192}
      devices:
        gpu: {count: 2, model: "H100 \"80\"", memory: 80Gi,
              numa: [0, 1], pcie: [0, 1], nvlink: [[0, 1]]}
        rdma: {count: 1, numa: [1], vfs: 2}
        tpu: {count: 3}
)";

}  // namespace

TEST_CASE("devices of a topology are written as objects that are read back",
          "[topologies][devices]") {
    const core::Topology tree = tests::topology_of(two_types);
    std::ostringstream out;
    topologies::write_devices(out, tree);

    const auto source = std::make_shared<core::SourceText>(core::SourceText{"-", out.str()});
    core::Diagnostics diagnostics;
    const auto devices =
        experiments::read_devices(experiments::parse_documents(source), diagnostics);
    CHECK_NOTHROW(diagnostics.throw_if_failed());
    CHECK(diagnostics.warnings().empty());
    REQUIRE(devices.size() == 2);
    CHECK(devices[0].name == "server-1");
    CHECK(devices[1].name == "server-3");
    auto kinds = tree.machine_types()[1].devices;
    kinds.pop_back();  // a Device object has no tpu
    CHECK(core::devices_of_device_object(devices[0].machine) == kinds);
    CHECK_THAT(out.str(),
               Catch::Contains(R"(koordinator.sh/gpu-memory: "80Gi")") &&
                   Catch::Contains(R"(nodeID: 1, pcieID: "1", busID: "0000:02:00.0")") &&
                   Catch::Contains(R"(- {minor: 1, busID: "0000:03:00.2"})"));
}

TEST_CASE("group keys of a topology are written by machine type", "[topologies][devices]") {
    std::ostringstream out;
    topologies::write_group_keys(out, tests::topology_of(two_types));
    CHECK(out.str() == R"("plain": {}
"hgx: h100":
  "resource/group/gpugrp1/numa0-1/gpugrp0/nvlink0/gpu/0/cards": 1
  "resource/group/gpugrp1/numa0-1/gpugrp0/nvlink0/gpu/0/memory": 85899345920
  "resource/group/gpugrp1/numa0-1/gpugrp0/nvlink0/gpu/1/cards": 1
  "resource/group/gpugrp1/numa0-1/gpugrp0/nvlink0/gpu/1/memory": 85899345920
  "resource/group/gpugrp1/numa0-1/rdma/0/cards": 1
  "resource/group/gpugrp1/numa0-1/rdma/0/vfs": 2
  "resource/group/tpu/0/cards": 1
  "resource/group/tpu/1/cards": 1
  "resource/group/tpu/2/cards": 1
)");
}

TEST_CASE("a topology without devices has no Device objects, and says so",
          "[topologies][devices]") {
    std::ostringstream out;
    topologies::write_devices(out, tests::topology_of(R"(kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes: {a: {capacity: {cpu: 1}}}
)"));
    CHECK(out.str() == "# no server has devices of kind gpu, rdma or fpga\n");
}
