#include "schedulers/kai/decide/scenario.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core::kai {

Scenario::Scenario(const Session& session,
                   Job& preemptor,
                   Batch pending,
                   std::vector<Batch> recorded)
    : session_(session),
      preemptor_(preemptor),
      pending_(std::move(pending)),
      recorded_(std::move(recorded)) {
    for (const Batch& batch : recorded_) {
        add_victims(batch);
    }
}

void Scenario::add_victims(const Batch& pods) {
    const JobIndex job = session_.pods[pods.front()].job;
    batches_of_[job].push_back(batches_.size());
    Batch& once = batches_.emplace_back();
    for (const PodIndex pod : pods) {
        if (std::ranges::find(once, pod) == once.end()) {
            once.push_back(pod);
        }
    }
    Batch& all = by_job_[job];
    all.insert(all.end(), pods.begin(), pods.end());
}

void Scenario::add(const Batch& pods) {
    if (pods.empty()) {
        return;
    }
    potential_.insert(potential_.end(), pods.begin(), pods.end());
    add_victims(pods);
    for (const PodIndex pod : pods) {
        std::vector<JobIndex>& jobs = jobs_on_[session_.pods[pod].node];
        if (std::ranges::find(jobs, session_.pods[pod].job) == jobs.end()) {
            jobs.push_back(session_.pods[pod].job);
        }
    }
}

Batch Scenario::recorded_pods() const {
    Batch all;
    for (const Batch& batch : recorded_) {
        all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
}

Batch Scenario::victims() const {
    Batch all = recorded_pods();
    all.insert(all.end(), potential_.begin(), potential_.end());
    return all;
}

const std::vector<std::size_t>& Scenario::batches_of(JobIndex job) const {
    return batches_of_.at(job);
}

std::size_t Scenario::batch_with(PodIndex pod) const {
    const std::vector<std::size_t>& batches = batches_of_.at(session_.pods[pod].job);
    const auto found = std::ranges::find_if(batches, [&](std::size_t batch) {
        return std::ranges::find(batches_[batch], pod) != batches_[batch].end();
    });
    BERTH_ASSERT(found != batches.end(), "each victim is in a batch of its job");
    return *found;
}

std::vector<JobIndex> Scenario::jobs_on(NodeIndex node) const {
    const auto found = jobs_on_.find(node);
    if (found == jobs_on_.end()) {
        return {};
    }
    std::vector<JobIndex> jobs = found->second;
    std::ranges::sort(jobs);
    return jobs;
}

Scenario::Key Scenario::key() const {
    Key key{pending_, recorded_pods(), potential_};
    for (Batch& pods : key) {
        std::ranges::sort(pods);
    }
    return key;
}

}  // namespace berth::core::kai
