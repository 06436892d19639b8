#include <algorithm>
#include <array>

#include "core/support/assert.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

#define BERTH_QUEUE_POLICY(function, name, summary) QueuePolicy make_##function(QueueOptions&);
#include "sim/policies/queue_policies.def"
#undef BERTH_QUEUE_POLICY

std::span<const QueuePolicyEntry> queue_policies() {
    static constexpr std::array table{
#define BERTH_QUEUE_POLICY(function, name, summary) \
    QueuePolicyEntry{name, summary, &make_##function},
#include "sim/policies/queue_policies.def"
#undef BERTH_QUEUE_POLICY
    };
    return table;  // a policy that is not linked is a link error, never silently absent
}

QueuePolicy queue_policy(std::string_view name) {
    const auto entry = std::ranges::find(queue_policies(), name, &QueuePolicyEntry::name);
    BERTH_ASSERT(entry != queue_policies().end(), "a queue policy is called by its name");
    QueueOptions defaults;
    return entry->make(defaults);
}

QueuePolicy QueueOptions::order(const std::string& /*key*/, std::string_view otherwise) {
    return queue_policy(otherwise);
}

}  // namespace berth::sim
