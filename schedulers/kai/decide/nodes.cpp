#include "schedulers/kai/decide/nodes.hpp"

#include <algorithm>

namespace berth::core::kai {

bool Node::lists(NodeIndex self, const Pod& pod) {
    return std::ranges::find(pod.listings, self, &Listing::node) != pod.listings.end();
}

void Node::charge(const Pod& pod, Status status, double sign) {
    for (std::size_t i = 0; i < idle.size(); ++i) {
        const double amount = allocatable[i] == 0 ? 0 : sign * pod.request[i];
        if (status == Status::Pipelined) {
            releasing[i] -= amount;
        } else {
            idle[i] -= amount;
            releasing[i] += status == Status::Releasing ? amount : 0;
        }
        free[i] = idle[i] + releasing[i];
    }
}

void Node::add(NodeIndex self, Pod& pod) {
    if (!lists(self, pod)) {
        pod.listings.push_back({self, pod.status});
        charge(pod, pod.status, 1);
    }
}

void Node::remove(NodeIndex self, Pod& pod) {
    const auto found = std::ranges::find(pod.listings, self, &Listing::node);
    if (found != pod.listings.end()) {
        charge(pod, found->status, -1);
        pod.listings.erase(found);
    }
}

void Node::update(NodeIndex self, Pod& pod) {
    remove(self, pod);
    add(self, pod);
}

}  // namespace berth::core::kai
