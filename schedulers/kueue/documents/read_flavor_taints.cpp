#include "schedulers/kueue/documents/read_flavor_taints.hpp"

#include <span>
#include <string>
#include <vector>

#include "core/node_rules/node_affinity.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

core::Toleration read_toleration(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "a toleration", diagnostics);
    core::Toleration toleration;
    toleration.key = map.text("key", "");
    toleration.op = static_cast<core::Toleration::Operator>(
        map.choice("operator", {"Equal", "Exists", "Lt", "Gt"}, 0));
    toleration.value = map.text("value", "");
    toleration.effect = map.text("effect", "");
    (void)map.take("tolerationSeconds");  // pods are not evicted by taints in a run
    map.report_unknown_keys();
    return toleration;
}

core::Taint read_taint(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "a taint", diagnostics);
    core::Taint taint;
    taint.key = map.text("key", "");
    taint.value = map.text("value", "");
    const std::vector<std::string> effects{"NoSchedule", "PreferNoSchedule", "NoExecute"};
    if (map.need("effect") != nullptr) {
        taint.effect = effects[map.choice("effect", effects, 0)];
    }
    (void)map.take("timeAdded");
    map.report_unknown_keys();
    return taint;
}

}  // namespace

void read_flavor_taints(MapReader& spec) {
    Diagnostics& diagnostics = spec.diagnostics();
    std::vector<core::Toleration> tolerations;
    if (const Value* list = spec.take("tolerations")) {
        for (const Value& item : list->items) {
            tolerations.push_back(read_toleration(item, diagnostics));
        }
    }
    const Value* taints = spec.take("nodeTaints");
    if (taints == nullptr) {
        return;
    }
    for (const Value& item : taints->items) {
        const core::Taint taint = read_taint(item, diagnostics);
        if (core::find_untolerated(std::span(&taint, 1), tolerations, core::TaintOf::flavor) !=
            nullptr) {
            expected(item,
                     "one that the flavor's own tolerations tolerate, for jobs of a run have none",
                     diagnostics);
        }
    }
}

}  // namespace berth::experiments
