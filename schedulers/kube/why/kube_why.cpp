#include <cctype>
#include <string>

#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/story.hpp"
#include "schedulers/kube/run/kube_inquiry.hpp"

namespace berth::experiments {
namespace {

/// A sentence as a part of another one.
std::string as_phrase(std::string sentence) {
    if (sentence.ends_with('.')) {
        sentence.pop_back();
    }
    if (!sentence.empty()) {
        sentence.front() = static_cast<char>(std::tolower(sentence.front()));
    }
    return sentence;
}

}  // namespace

extern constinit const SchedulerWhy kube_why;
constinit const SchedulerWhy kube_why{
    "kube", [](const sim::Turn& /*turn*/, sim::Inquiry& inquiry, Scene& scene) {
        const auto* kube = dynamic_cast<const sim::KubeInquiry*>(&inquiry);
        if (kube == nullptr) {
            return false;
        }
        scene.own.json = {{"changesTried", kube->search.tried}};
        scene.own.lines.line(
            1, "changes of the pod or of nodes that were tried: {}", kube->search.tried);
        if (kube->search.change) {
            const std::string text = as_phrase(kube->search.change->text);
            scene.changes.found.push_back({text, {{"kind", "object"}, {"text", text}}});
        }
        return true;
    }};

}  // namespace berth::experiments
