#include "schedulers/kube/decide/proposals.hpp"

#include <algorithm>

namespace berth::core::kube {

std::vector<std::size_t> Rejected::by(std::string_view plugin) const {
    std::vector<std::size_t> nodes;
    for (const Rejection& rejection : rejections) {
        if (rejection.verdict.plugin == plugin) {
            nodes.push_back(rejection.node);
        }
    }
    return nodes;
}

std::vector<Candidate> propose(const Rejected& rejected) {
    std::vector<Candidate> proposals;
    propose_tolerations(rejected, proposals);
    propose_spread(rejected, proposals);
    propose_pod_affinity(rejected, proposals);
    propose_node_rules(rejected, proposals);
    propose_ports(rejected, proposals);
    propose_devices(rejected, proposals);
    propose_requests(rejected, proposals);
    propose_uncordoning(rejected, proposals);
    std::ranges::stable_sort(proposals, {}, &Candidate::field);
    return proposals;
}

}  // namespace berth::core::kube
