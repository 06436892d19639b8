#include <fmt/ranges.h>

#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/story.hpp"
#include "schedulers/kube/run/gang_inquiry.hpp"
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

/// What the cycle of its gang found for one pod.
std::string found_for(const sim::GangInquiry& gang, const sim::GangInquiry::Member& member) {
    if (member.node.empty() && !member.is_tried) {
        return gang.outcome == core::kube::GangCycle::Outcome::failed
                   ? "not tried, since the cycle failed"
                   : "not tried, since too few pods are left";
    }
    if (member.node.empty()) {
        return member.message;
    }
    return member.victims.empty() ? fmt::format("{} in the snapshot", member.node)
                                  : fmt::format("{} in the snapshot, where it preempts {}: {}",
                                                member.node,
                                                fmt::join(member.victims, ", "),
                                                member.message);
}

/// What came of a gang's cycle.
std::string result_of(const sim::GangInquiry& gang) {
    using Outcome = core::kube::GangCycle::Outcome;
    bool preempts = false;
    for (const sim::GangInquiry::Member& member : gang.members) {
        preempts = preempts || !member.victims.empty();
    }
    switch (gang.outcome) {
        case Outcome::placed:
            return "it starts with those that have a node";
        case Outcome::waits_for_preemption:
            return "it waits for the places of the preempted pods";
        case Outcome::failed:
            return "its cycle failed";
        case Outcome::unschedulable:
            break;
    }
    return preempts ? "too few, and the preempted pods stop in vain"
                    : "too few: none of them starts";
}

void tell_gang(const sim::GangInquiry& gang, Scene& scene) {
    Page& page = scene.own.lines;
    page.line(1,
              "gang: {} pod(s) run, at least {} have to; tried in this order:",
              gang.placed,
              gang.min_count);
    nlohmann::ordered_json members = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < gang.members.size();) {
        const sim::GangInquiry::Member& first = gang.members[i];
        const std::string text = found_for(gang, first);
        std::size_t end = i;
        for (; end < gang.members.size() && found_for(gang, gang.members[end]) == text; ++end) {
            const sim::GangInquiry::Member& one = gang.members[end];
            members.push_back({{"pod", one.pod},
                               {"node", one.node},
                               {"message", one.message},
                               {"victims", one.victims},
                               {"isTried", one.is_tried}});
        }
        const std::string last = end > i + 1 ? " to " + gang.members[end - 1].pod : "";
        page.line(2, "{}{}: {}", first.pod, last, text);
        i = end;
    }
    page.line(1, "gang: {}", result_of(gang));
    if (!gang.message.empty()) {
        page.line(1, "gang: {}", gang.message);
    }
    if (!gang.victims.empty()) {
        page.line(1, "gang: preempts {}", fmt::join(gang.victims, ", "));
    }
    scene.own.json = {{"running", gang.placed},
                      {"minCount", gang.min_count},
                      {"message", gang.message},
                      {"victims", gang.victims},
                      {"members", members}};
    const auto would_fit = [&](const std::string& text) {
        scene.changes.found.push_back({text, {{"kind", "gang"}, {"text", text}}});
    };
    if (!gang.order.empty()) {
        would_fit(fmt::format("the pods of the gang are tried in the order {}",
                              fmt::join(gang.order, ", ")));
    }
    if (gang.enough > 0) {
        would_fit(fmt::format("minCount of the gang is {}", gang.enough));
    }
}

}  // namespace

extern constinit const SchedulerWhy kube_why;
constinit const SchedulerWhy kube_why{
    "kube", [](const sim::Turn& /*turn*/, sim::Inquiry& inquiry, Scene& scene) {
        if (const auto* gang = dynamic_cast<const sim::GangInquiry*>(&inquiry)) {
            tell_gang(*gang, scene);
            return true;
        }
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
