#include "schedulers/kueue/documents/read_flavor_taints.hpp"

#include <span>
#include <vector>

#include "core/node_rules/read_node_rules.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

void read_flavor_taints(MapReader& spec) {
    Diagnostics& diagnostics = spec.diagnostics();
    std::vector<core::Toleration> tolerations;
    if (const Value* list = spec.take("tolerations")) {
        for (const Value& item : list->items) {
            tolerations.push_back(core::read_toleration(item, diagnostics));
        }
    }
    const Value* taints = spec.take("nodeTaints");
    if (taints == nullptr) {
        return;
    }
    for (const Value& item : taints->items) {
        const core::Taint taint = core::read_taint(item, diagnostics);
        if (core::find_untolerated(std::span(&taint, 1), tolerations, core::TaintOf::flavor) !=
            nullptr) {
            expected(
                item,
                "one that the flavor's own tolerations tolerate, since jobs of a run have none",
                diagnostics);
        }
    }
}

}  // namespace berth::experiments
