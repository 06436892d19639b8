#include "schedulers/kube/run/pod_groups.hpp"

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

std::pair<std::string, std::string> key_of(const std::string& name_space, const std::string& name) {
    return {name_space.empty() ? "default" : name_space, name};
}

}  // namespace

PodGroups::PodGroups(const std::vector<PodGroupObject>& objects) {
    for (const PodGroupObject& object : objects) {
        const auto key = key_of(object.name_space, object.name);
        named_[key] = {object.min_count, object.priority, object.topology_key, {}};
        if (object.leaves_as_a_whole) {
            whole_.emplace(key, object.priority);
        }
    }
}

bool PodGroups::has_named(const core::kube::Pod& pod) const {
    return named_.contains(key_of(pod.name_space, pod.pod_group));
}

void PodGroups::add(JobId id, const Job& job, const core::kube::Pod& pod) {
    PodGroup* group = nullptr;
    if (!pod.pod_group.empty()) {
        const auto named = named_.find(key_of(pod.name_space, pod.pod_group));
        BERTH_ASSERT(named != named_.end(), "the PodGroups that pods name were checked");
        group = &named->second;
    } else if (job.size > 1) {
        group = &of_one_job_[id];
        group->priority = job.priority;
    } else {
        return;
    }
    group->jobs.push_back(id);
    of_[id] = group;
}

void PodGroups::remove(JobId id) {
    if (const auto group = of_.find(id); group != of_.end()) {
        std::erase(group->second->jobs, id);
        of_.erase(group);
        of_one_job_.erase(id);
    }
}

const PodGroup* PodGroups::of(JobId id) const {
    const auto group = of_.find(id);
    return group == of_.end() ? nullptr : group->second;
}

}  // namespace berth::sim
