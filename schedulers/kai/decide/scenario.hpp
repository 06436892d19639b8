#pragma once

#include <map>
#include <vector>

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

/// Pods of one job that are evicted together.
using Batch = std::vector<PodIndex>;

/// Victims that may make room for a job. Recorded ones have helped a part of the job before.
class Scenario {
public:
    Scenario(const Session& session, Job& preemptor, Batch pending, std::vector<Batch> recorded);

    /// Adds a batch of potential victims. A pod may be listed twice, as in KAI.
    void add(const Batch& pods);

    [[nodiscard]] Job& preemptor() const { return preemptor_; }
    [[nodiscard]] const Batch& pending() const { return pending_; }
    [[nodiscard]] const std::vector<Batch>& recorded() const { return recorded_; }
    [[nodiscard]] const Batch& potential() const { return potential_; }
    /// The pods of all recorded batches.
    [[nodiscard]] Batch recorded_pods() const;
    /// Recorded and potential ones.
    [[nodiscard]] Batch victims() const;
    /// The victims of each job, as they were added.
    [[nodiscard]] const std::map<JobIndex, Batch>& victims_by_job() const { return by_job_; }
    /// The batches of a job, each pod once in a batch.
    [[nodiscard]] const std::vector<std::size_t>& batches_of(JobIndex job) const;
    [[nodiscard]] const Batch& batch(std::size_t index) const { return batches_[index]; }
    /// The first batch with a pod.
    [[nodiscard]] std::size_t batch_with(PodIndex pod) const;
    /// The jobs with potential victims on a node.
    [[nodiscard]] std::vector<JobIndex> jobs_on(NodeIndex node) const;

    /// What is the same for scenarios that are tried once.
    using Key = std::vector<Batch>;
    [[nodiscard]] Key key() const;

private:
    void add_victims(const Batch& pods);

    const Session& session_;
    Job& preemptor_;
    Batch pending_;
    std::vector<Batch> recorded_;
    Batch potential_;
    std::vector<Batch> batches_;
    std::map<JobIndex, std::vector<std::size_t>> batches_of_;
    std::map<JobIndex, Batch> by_job_;
    std::map<NodeIndex, std::vector<JobIndex>> jobs_on_;
};

}  // namespace berth::core::kai
