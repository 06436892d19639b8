#include <catch2/catch.hpp>
#include <string>

#include "documents.hpp"

using namespace berth::tests;

namespace {

const std::string sound_device = R"(apiVersion: scheduling.koordinator.sh/v1alpha1
kind: Device
metadata:
  name: node-1
  annotations:
    scheduling.koordinator.sh/gpu-partitions: |-
      {"2": [{"minors": [0, 1], "gpuLinkType": "NVLink", "allocationScore": 1}]}
spec:
  devices:
  - type: gpu
    id: GPU-0
    minor: 0
    health: true
    resources: {koordinator.sh/gpu-core: "100", koordinator.sh/gpu-memory: 80Gi}
    topology: {socketID: 0, nodeID: 0, pcieID: "0", busID: "0000:08:00.0"}
  - {type: gpu, id: GPU-1, minor: 1, health: true}
  - type: rdma
    minor: 0
    health: true
    labels: {type: general}
    vfGroups:
    - vfs: [{minor: 0, busID: "0000:1f:00.2"}, {minor: 1, busID: "0000:1f:00.3"}]
)";

}  // namespace

TEST_CASE("mistakes in Device objects are reported where they are", "[cli][bad-input]") {
    check_mistakes(
        "validate",
        sound_device,
        {{"another version",
          "v1alpha1",
          "v1",
          "1:13: error: found 'scheduling.koordinator.sh/v1': expected "
          "scheduling.koordinator.sh/v1alpha1"},
         {"no name",
          "  name: node-1\n",
          "",
          "4:3: error: a Device has no metadata.name: expected the name of its node"},
         {"an unknown type",
          "type: rdma",
          "type: nic",
          "17:11: error: found 'nic': expected gpu, rdma or fpga"},
         {"a type too new",
          "type: rdma",
          "type: xpu",
          "17:11: error: found 'xpu': expected gpu, rdma or fpga (did you mean 'gpu'?)"},
         {"a minor twice",
          "id: GPU-1, minor: 1",
          "id: GPU-1, minor: 0",
          "16:35: error: gpu 0 is there twice: expected each minor of a type once"},
         {"an id twice",
          "id: GPU-1",
          "id: GPU-0",
          "16:21: error: id 'GPU-0' is there twice: expected each id once"},
         {"no minor",
          "    minor: 0\n    health: true\n    labels",
          "    health: true\n    labels",
          "17:5: error: a device has no 'minor': expected one"},
         {"a misspelt key",
          "    health: true\n    labels",
          "    healthy: true\n    labels",
          "19:5: error: unknown key 'healthy' in a device: expected type, minor, id, moduleID, "
          "health, labels, resources, topology, vfGroups or conditions (did you mean 'health'?)"},
         {"a quantity that is none",
          "80Gi",
          "80GB",
          "14:76: error: found '80GB': expected a Kubernetes quantity such as 500m, 16 or 256Gi"},
         {"a NUMA node below all",
          "nodeID: 0",
          "nodeID: -2",
          "15:37: error: found '-2': expected a whole number from -1 to 2147483647"},
         {"a topology without a switch",
          ", pcieID: \"0\"",
          "",
          "15:15: error: a device's topology has no 'pcieID': expected one"},
         {"a virtual function twice",
          "0000:1f:00.3",
          "0000:1f:00.2",
          "22:66: error: virtual function 0000:1f:00.2 is there twice: expected each busID of a "
          "device once"},
         {"an annotation that is no JSON",
          "1], \"gpu",
          "1, \"gpu",
          "7:45: error: no JSON from byte 39 of the text on: expected a map from numbers of GPUs "
          "to "
          "partitions such as {\"2\": [{\"minors\": [0, 1]}]}"},
         {"a partition of a GPU that is not there",
          "[0, 1]",
          "[0, 2]",
          "6:47: error: a partition of 2 has the GPU 2: expected the minors of GPUs in "
          "spec.devices"}});
}
