#include "schedulers/kueue/run/kueue_settings.hpp"

#include <algorithm>
#include <iterator>

#include "schedulers/kueue/run/kueue_admission.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {

const KueueSettings* KueueSettings::of(const Settings& settings) {
    return dynamic_cast<const KueueSettings*>(settings.admission.get());
}

std::unique_ptr<Admission> KueueSettings::make_admission(const Window& window,
                                                         RecordSink& sink,
                                                         Actions& actions,
                                                         PlaceQueue& places) const {
    return std::make_unique<KueueAdmission>(*this, window, sink, actions, places);
}

std::string_view KueueSettings::remedy_of(std::string_view reason) const {
    return reason.ends_with("doesn't exist.")
               ? "Name in quota a LocalQueue of the job's namespace, or a ClusterQueue where no "
                 "LocalQueue is among the objects"
               : "";
}

std::vector<SimTime> KueueSettings::change_times() const {
    std::vector<SimTime> times;
    std::ranges::transform(changes, std::back_inserter(times), &KueueChange::at);
    return times;
}

std::shared_ptr<const AdmissionSettings> KueueSettings::begun_at(SimTime now) const {
    auto settings = std::make_shared<KueueSettings>(*this);
    for (KueueChange& change : settings->changes) {
        change.at = std::max(change.at - now, SimTime(0));
    }
    return settings;
}

bool KueueSettings::may_preempt() const {
    using core::kueue::PreemptionPolicy;
    const auto takes = [](PreemptionPolicy policy) {
        return policy != PreemptionPolicy::never && policy != PreemptionPolicy::unset;
    };
    return std::ranges::any_of(cache.queues, [&](const core::kueue::ClusterQueue& queue) {
        return takes(queue.preemption.within_cluster_queue) ||
               takes(queue.preemption.reclaim_within_cohort);
    });
}

bool KueueSettings::may_add_tolerations() const {
    return std::ranges::any_of(
        cache.flavors, [](const auto& flavor) { return !flavor.second.tolerations.empty(); });
}

bool KueueSettings::has_queue(const std::string& name_space, const std::string& name) const {
    if (local_queues.empty()) {
        return std::ranges::find(cache.queues, name, &core::kueue::ClusterQueue::name) !=
               cache.queues.end();
    }
    return local_queues.contains({name_space.empty() ? "default" : name_space, name});
}

}  // namespace berth::sim
