/// Jobs that an admission lets in, one that lets in all of them included.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "schedulers/kube/run/kube_scheduler.hpp"

namespace berth::sim {

namespace kube = core::kube;

using core::Members;

namespace {

/// A text that is equal only for equal additions.
std::string text_of(const AddedToPods& added) {
    std::string text;
    for (const auto& [key, value] : added.node_selector) {
        text += fmt::format("{}={}\n", key, value);
    }
    for (const core::Toleration& one : added.tolerations) {
        text +=
            fmt::format("{};{};{};{}\n", one.key, static_cast<int>(one.op), one.value, one.effect);
    }
    return text;
}

/// Selects the servers whose nodes have all labels.
NodeSelector selector_of(const core::Labels& labels,
                         const std::vector<KubeNode>& nodes,
                         std::size_t servers) {
    std::vector<bool> selected(servers);
    for (const KubeNode& one : nodes) {
        selected[one.server.index] = std::ranges::all_of(labels, [&](const auto& label) {
            const auto found = one.node.labels.find(label.first);
            return found != one.node.labels.end() && found->second == label.second;
        });
    }
    std::string text;
    for (const auto& [key, value] : labels) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
    }
    return {std::move(text), std::move(selected)};
}

/// The pod then also selects nodes by these labels. If it selects by another value of a label
/// already, no node has both.
void add_selector(const core::Labels& labels, kube::Pod& pod) {
    if (labels.empty()) {
        return;
    }
    core::Labels selector = pod.node_selector.value_or(core::Labels());
    for (const auto& [key, value] : labels) {
        if (selector.emplace(key, value).first->second != value) {
            pod.required_nodes.emplace();  // without a term: it matches no node
        }
    }
    pod.node_selector = std::move(selector);
}

}  // namespace

std::unique_ptr<Admission> KubeScheduler::make_admission(RecordSink& sink) {
    return settings_.admission == nullptr
               ? std::make_unique<Admission>()
               : settings_.admission->make_admission(
                     settings_.window, sink, actions_, static_cast<PlaceQueue&>(*this));
}

/// A job begins to wait, or waits again.
void KubeScheduler::wait(JobId id) {
    admission_->waits(id);
    if (admission_->lets_in(id)) {
        let_in(id);
    }
    admission_->changed(id);
}

/// Pods that are admitted are new pods, with what the admission adds to their specs.
void KubeScheduler::let_in(JobId id) {
    OwnJob& own = jobs_[id];
    const AddedToPods added = admission_->adds_to(id);
    if (added != AddedToPods()) {
        const Admitted& admitted = with_added(own, added);
        own.pod = admitted.pod;
        actions_.select_nodes(id, admitted.nodes);
    }
    if (is_watched(id)) {
        watched_->kept_out = {};
    }
    enqueue(id, admission_->admissible(id, job(id)));
}

void KubeScheduler::take_out(JobId id) {
    forget_waiting(id, job(id).size);
}

void KubeScheduler::start_at(JobId /*id*/, Placement /*placement*/) {
    BERTH_ASSERT(false, "documents with an admission that chooses places are refused");
}

const KubeScheduler::Admitted& KubeScheduler::with_added(const OwnJob& own,
                                                         const AddedToPods& added) {
    Admitted& known = admitted_[{own.asked, text_of(added)}];
    if (known.pod == nullptr) {
        kube::Pod pod = *own.asked;
        add_selector(added.node_selector, pod);
        pod.tolerations.insert(
            pod.tolerations.end(), added.tolerations.begin(), added.tolerations.end());
        known.pod = std::make_shared<const kube::Pod>(std::move(pod));
        NodeSelector of_added = selector_of(
            added.node_selector, own_.nodes, actions_.cluster().topology().server_count());
        known.nodes = own.nodes == nullptr
                          ? std::make_shared<const NodeSelector>(std::move(of_added))
                          : NodeSelector::both(own.nodes, of_added);
    }
    return known;
}

void KubeScheduler::started(JobId id, bool /*fresh*/) {
    note_ready(id);
}

/// Tells the admission once that all pods that may start have nodes.
void KubeScheduler::note_ready(JobId id) {
    OwnJob& own = jobs_[id];
    const JobState& state = actions_.job(id);
    const Members admitted = admission_->admissible(id, state.job());
    if (own.is_ready || !state.runs() || state.record.placed < admitted) {
        return;
    }
    own.is_ready = true;
    admission_->leaves_queue(id);
    admission_->runs(id);
}

void KubeScheduler::change_quotas(std::uint32_t change) {
    static_cast<void>(admission_->change_quotas(change));
}

void KubeScheduler::event_handled() {
    admission_->event_handled();
    tell_watcher_of_admission();
}

/// What keeps a job from a node: its admission, or what the last cycle of one of its pods said.
Refusal KubeScheduler::why_waiting(JobId id) {
    if (is_given_up(id)) {
        return {fmt::format("given up after {} interruptions by failures.",
                            settings_.on_failure.give_up_after),
                0};
    }
    std::string reason = admission_->explain(id);
    return {reason.empty() ? jobs_[id].message : std::move(reason), 0};
}

}  // namespace berth::sim
