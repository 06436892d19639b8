/// What is shown to an observer of one job.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/run/kube_inquiry.hpp"
#include "schedulers/kube/run/kube_scheduler.hpp"

namespace berth::sim {

/// Whether this is the watched job, and it waits.
bool KubeScheduler::is_watched(JobId id) const {
    const JobState& state = actions_.job(id);
    return watched_ && state.record.arrival == watched_->arrival && state.waits();
}

KubeScheduler::Inquire KubeScheduler::inquire_for(const QueuedPod& waiting) {
    return [&] { return std::make_shared<KubeInquiry>(object_of(waiting), nodes_.cluster()); };
}

/// Shows the watcher a cycle that failed, if its pod is one of the watched job.
void KubeScheduler::tell_watcher(JobId id, const Failure& failure, const Inquire& inquire) {
    if (is_watched(id)) {
        show(id,
             {failure.message, fmt::format("{}", fmt::join(failure.rejected_by, ", ")), 0},
             true,
             inquire);
    }
}

/// Shows the watcher what keeps the watched job from having pods, if that is another thing now.
void KubeScheduler::tell_watcher_of_admission() {
    if (!watched_ || !watched_->id || !is_watched(*watched_->id)) {
        return;
    }
    const JobId id = *watched_->id;
    if (admission_->lets_in(id) || !admission_->has_decided()) {
        return;
    }
    KeptOut kept_out = admission_->kept_out(id);
    if (kept_out != watched_->kept_out) {
        watched_->kept_out = std::move(kept_out);
        show(id, watched_->kept_out, false, [&] { return admission_->inquire(id); });
    }
}

void KubeScheduler::show(JobId id,
                         const KeptOut& kept_out,
                         bool is_of_placer,
                         const Inquire& inquire) {
    watched_->observer.turn({.at = actions_.now(),
                             .record = actions_.job(id).record,
                             .quota = {},
                             .settings = settings_,
                             .ledger = actions_.cluster().ledger(),
                             .cluster = actions_.cluster(),
                             .placer = watched_->placer,
                             .quotas = nullptr,
                             .kept_out = kept_out.reason,
                             .kept_out_by = kept_out.by,
                             .is_of_placer = is_of_placer,
                             .each_running =
                                 [&](const Turn::Visit& visit) {
                                     actions_.each_job([&](JobId other) {
                                         if (actions_.job(other).runs()) {
                                             visit(actions_.job(other).record, {});
                                         }
                                     });
                                 },
                             .waiting_before = [] { return std::vector<std::string>(); },
                             .inquire = inquire});
}

}  // namespace berth::sim
