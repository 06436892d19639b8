#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_drf(QueueOptions& /*none*/) {
    QueuePolicy policy;
    policy.owners = OwnerMeasure::dominant_share;
    return policy;
}

}  // namespace berth::sim
