#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

QueuePolicy make_fifo(QueueOptions& /*none*/) {
    return {};
}

}  // namespace berth::sim
