#include "schedulers/kai/decide/failure_memory.hpp"

#include <algorithm>

namespace berth::core::kai {

FailureMemory::Signature FailureMemory::signature(const Job& job) const {
    Signature signature;
    for (const GroupIndex leaf : job.spec().leaves) {
        auto& [constraints, count] = signature.emplace_back();
        for (GroupIndex at = leaf; at != no_group; at = job.group(at).parent) {
            constraints.push_back(job.group(at).topology);
        }
        count = job.count(leaf, ~active, session_.pods);
    }
    std::ranges::sort(signature);
    return signature;
}

std::vector<Vector> FailureMemory::requests(const Job& job) const {
    std::vector<Vector> requests;
    for (const PodIndex pod : job.pods()) {
        if (session_.pods[pod].status == Status::Pending) {
            requests.push_back(session_.pods[pod].request);
        }
    }
    std::ranges::sort(requests);
    return requests;
}

bool FailureMemory::is_worth_a_try(const Job& job) const {
    const auto found = failed_.find(signature(job));
    if (found == failed_.end()) {
        return true;
    }
    const std::vector<Vector> own = requests(job);
    const std::vector<Vector> failed = requests(*found->second);
    if (own.empty() || failed.empty()) {
        return false;
    }
    if (failed.size() > own.size()) {
        return true;
    }
    for (std::size_t i = 0; i < failed.size(); ++i) {
        if (fits_in(own[i], failed[i]) && !fits_in(failed[i], own[i])) {
            return true;
        }
    }
    return false;
}

void FailureMemory::remember(const Job& job) {
    const Job*& failed = failed_[signature(job)];
    if (failed == nullptr) {
        failed = &job;
        return;
    }
    const std::vector<Vector> own = requests(job);
    const std::vector<Vector> other = requests(*failed);
    if (!own.empty() && !other.empty() && own.size() <= other.size() &&
        std::ranges::equal(own.begin(),
                           own.end(),
                           other.begin(),
                           other.begin() + static_cast<std::ptrdiff_t>(own.size()),
                           fits_in)) {
        failed = &job;
    }
}

}  // namespace berth::core::kai
