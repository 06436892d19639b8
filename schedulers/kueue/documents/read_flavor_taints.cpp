#include "schedulers/kueue/documents/read_flavor_taints.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "core/node_rules/read_node_rules.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

std::vector<core::Toleration> read_flavor_taints(MapReader& spec) {
    Diagnostics& diagnostics = spec.diagnostics();
    std::vector<core::Toleration> tolerations;
    if (const Value* list = spec.take("tolerations")) {
        for (const Value& item : list->items) {
            tolerations.push_back(core::read_toleration(item, diagnostics));
        }
    }
    const Value* taints = spec.take("nodeTaints");
    for (std::size_t i = 0; taints != nullptr && i < taints->items.size(); ++i) {
        const Value& item = taints->items[i];
        const core::Taint taint = core::read_taint(item, diagnostics);
        if (core::find_untolerated(std::span(&taint, 1), tolerations, core::TaintOf::flavor) !=
            nullptr) {
            expected(
                item,
                "one that the flavor's own tolerations tolerate, since jobs of a run have none",
                diagnostics);
        }
    }
    return tolerations;
}

}  // namespace berth::experiments
