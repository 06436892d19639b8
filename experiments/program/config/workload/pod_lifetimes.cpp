#include "experiments/program/config/workload/pod_lifetimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/support/text.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pod_job.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;
using sim::SimTime;

constexpr std::string_view from_ended = "from-ended";
constexpr std::string_view classes_key = "priorityClasses";
constexpr std::string_view otherwise_key = "otherwise";

/// Kinds that start a new pod when one ends.
constexpr std::array<std::string_view, 7> services{"CloneSet",
                                                   "DaemonSet",
                                                   "Deployment",
                                                   "Node",
                                                   "ReplicaSet",
                                                   "ReplicationController",
                                                   "StatefulSet"};

bool is_service(std::string_view kind) {
    return std::ranges::find(services, kind) != services.end();
}

/// The name that rules use for a pod's controller.
std::string kind_of_pod(const Value& pod) {
    const std::string kind = owner_kind(pod);
    return kind.empty() ? "Pod" : kind;
}

std::optional<SimTime> instant(const Value& object, std::initializer_list<std::string_view> keys) {
    return workloads::parse_date_time(text_below(object, keys));
}

/// The time from the pod's start to the end of its last container, if all containers have ended and
/// tell when.
std::optional<SimTime> run_time_of(const Value& pod) {
    const Value* containers = value_below(pod, {"status", "containerStatuses"});
    std::optional<SimTime> from = instant(pod, {"status", "startTime"});
    std::optional<SimTime> to;
    for (std::size_t i = 0; containers != nullptr && i < containers->items.size(); ++i) {
        const Value& container = containers->items[i];
        const auto started = instant(container, {"state", "terminated", "startedAt"});
        const auto finished = instant(container, {"state", "terminated", "finishedAt"});
        if (!finished) {
            return std::nullopt;
        }
        from = from ? from : started;
        to = to ? std::max(*to, *finished) : finished;
    }
    return from && to && *to > *from ? std::optional(*to - *from) : std::nullopt;
}

SimTime latest_instant(const Value& pod) {
    SimTime latest{};
    for (const auto& at :
         {instant(pod, {"metadata", "creationTimestamp"}), instant(pod, {"status", "startTime"})}) {
        latest = std::max(latest, at.value_or(SimTime(0)));
    }
    return latest;
}

std::string pods_text(std::uint64_t pods) {
    return fmt::format("{} pod{}", pods, pods == 1 ? "" : "s");
}

}  // namespace

std::optional<SimTime> deadline_of(const Value& spec, Diagnostics& diagnostics) {
    const Value* most = value_below(spec, {"activeDeadlineSeconds"});
    const auto seconds = most != nullptr && most->kind != Value::Kind::null
                             ? core::read_integer(*most, diagnostics, 1, INT32_MAX)
                             : std::nullopt;
    return seconds ? std::optional<SimTime>(std::chrono::seconds(*seconds)) : std::nullopt;
}

std::optional<SimTime> shorter(const std::optional<SimTime>& one,
                               const std::optional<SimTime>& other) {
    return one && other ? std::min(one, other) : one ? one : other;
}

PodLifetimes::PodLifetimes(const Value* stated, const Value& document, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
    if (stated != nullptr) {
        read(*stated);
    }
    if (draws_from_ended(stated)) {
        read_ended(document);
    }
}

bool PodLifetimes::draws_from_ended(const Value* stated) {
    return stated != nullptr &&
           ((stated->is_scalar() && stated->text == from_ended) ||
            std::ranges::any_of(stated->members, [](const core::Member& member) {
                return draws_from_ended(&member.value);
            }));
}

void PodLifetimes::read(const Value& stated) {
    if (!stated.is_map()) {
        otherwise_ = read_rule(stated);
        return;
    }
    for (const core::Member& member : stated.members) {
        if (member.key == otherwise_key) {
            otherwise_ = read_rule(member.value);
        } else if (member.key != classes_key) {
            of_kind_[member.key] = read_rule(member.value);
        } else if (!member.value.is_map()) {
            expected(
                member.value, "lifetimes by priority class, such as {high: 30m}", diagnostics_);
        } else {
            for (const core::Member& one : member.value.members) {
                of_class_[one.key] = read_rule(one.value);
            }
        }
    }
}

PodLifetimes::Rule PodLifetimes::read_rule(const Value& value) {
    Rule rule;
    rule.span = value.span;
    rule.drawn = value.is_scalar() && value.text == from_ended;
    if (!rule.drawn && !(value.is_scalar() && value.text == "none")) {
        rule.time = read_duration(value, diagnostics_, "none, from-ended or ");
    }
    return rule;
}

void PodLifetimes::read_ended(const Value& document) {
    std::map<std::string, std::vector<SimTime>> ended;
    for (const Value* pod : objects_of_kind(document, "Pod")) {
        listed_ = std::max(listed_, latest_instant(*pod));
        const std::string kind = kind_of_pod(*pod);
        const auto time = has_ended(*pod) ? run_time_of(*pod) : std::nullopt;
        if (time) {
            ended[kind].push_back(*time);
            if (!is_service(kind)) {
                ended[""].push_back(*time);
            }
            listed_ = std::max(listed_, latest_instant(*pod) + *time);
        }
    }
    for (auto& [kind, times] : ended) {
        std::ranges::sort(times);
        ended_[kind] = std::make_shared<const std::vector<SimTime>>(std::move(times));
    }
}

PodLifetimes::Rule* PodLifetimes::rule_of(const Value& pod, const std::string& kind) {
    const std::string priority_class = text_below(pod, {"spec", "priorityClassName"});
    classes_.insert(priority_class);
    if (const auto rule = of_class_.find(priority_class); rule != of_class_.end()) {
        return &rule->second;
    }
    if (const auto rule = of_kind_.find(kind); rule != of_kind_.end()) {
        return &rule->second;
    }
    // The pods of a Deployment belong to its ReplicaSets.
    if (const auto rule = of_kind_.find("Deployment");
        kind == "ReplicaSet" && rule != of_kind_.end()) {
        return &rule->second;
    }
    if (is_service(kind)) {
        kept_ += otherwise_ && (otherwise_->time || otherwise_->drawn) ? 1 : 0;
        return nullptr;
    }
    return otherwise_ ? &*otherwise_ : nullptr;
}

PodLifetimes::Lifetime PodLifetimes::of(const Value& pod, bool runs) {
    const std::string kind = kind_of_pod(pod);
    kinds_.insert(kind);
    Lifetime life;
    if (Rule* rule = rule_of(pod, kind)) {
        rule->used = true;
        life = rule->drawn ? draw(pod, kind, runs) : Lifetime{rule->time, std::nullopt};
    }
    const Value* const spec = value_below(pod, {"spec"});
    if (const auto deadline = spec != nullptr ? deadline_of(*spec, diagnostics_) : std::nullopt) {
        life.time = shorter(life.time, deadline);
        if (life.drawn) {
            life.drawn->most = deadline;
        }
    }
    if (runs && life.time) {
        ++runs_;
        // A drawn run time counts as different from all others.
        ends_.insert(life.drawn ? SimTime(-static_cast<std::int64_t>(runs_)) : *life.time);
    }
    return life;
}

PodLifetimes::Lifetime PodLifetimes::draw(const Value& pod, const std::string& kind, bool runs) {
    const auto own = ended_.find(kind);
    const auto known = own != ended_.end() ? own : ended_.find("");
    if (known == ended_.end()) {
        if (!std::exchange(said_none_ended_, true)) {
            diagnostics_.error(pod.span,
                               fmt::format("a pod of a {} has a lifetime from-ended, and the file "
                                           "has no pod that has ended and says when: expected a "
                                           "duration, such as {{{}: 2h}}",
                                           kind,
                                           kind));
        }
        return {};
    }
    DrawnLifetime drawn{known->second, 0, SimTime(0), std::nullopt};
    const std::vector<SimTime>& times = *drawn.run_times;
    const auto started = instant(pod, {"status", "startTime"});
    if (runs && started && listed_ > *started) {
        // Draws from the run times that are longer than the pod has run, or from all if none is.
        const auto longer = std::ranges::upper_bound(times, listed_ - *started);
        if (longer != times.end()) {
            drawn.first = static_cast<std::size_t>(longer - times.begin());
            drawn.ran = listed_ - *started;
        }
    }
    SimTime sum{};
    for (std::size_t i = drawn.first; i < times.size(); ++i) {
        sum += (times[i] - drawn.ran) / static_cast<std::int64_t>(times.size() - drawn.first);
    }
    return {sum, std::move(drawn)};
}

void PodLifetimes::warn_of_unused(const Rules& rules,
                                  std::string_view what,
                                  const std::set<std::string>& of) {
    for (const auto& [name, rule] : rules) {
        if (!rule.used && !of.contains(name)) {
            std::vector<std::string> known(of.begin(), of.end());
            std::erase(known, "");
            diagnostics_.warning(
                rule.span,
                fmt::format("no pod of the file {} '{}': expected {}{}",
                            what,
                            name,
                            known.empty() ? std::string("none") : core::alternatives(known),
                            core::suggestion(name, known)));
        }
    }
}

void PodLifetimes::warn() {
    warn_of_unused(of_kind_, "belongs to a", kinds_);
    warn_of_unused(of_class_, "has the priority class", classes_);
    if (kept_ > 0) {
        diagnostics_.warning(
            otherwise_->span,
            fmt::format("{} of DaemonSets, ReplicaSets and other services {} until the run ends; "
                        "expected their kind in lifetime, such as {{ReplicaSet: 2h}}, if they end",
                        pods_text(kept_),
                        kept_ == 1 ? "goes on" : "go on"));
    }
    if (runs_ > 1 && ends_.size() == 1) {
        const Rule* one = otherwise_ ? &*otherwise_ : nullptr;
        for (const Rules* rules : {&of_kind_, &of_class_}) {
            for (const auto& [name, rule] : *rules) {
                one = rule.used && rule.time ? &rule : one;
            }
        }
        if (one == nullptr) {
            return;  // the pods state when they end
        }
        diagnostics_.warning(
            one->span,
            fmt::format("all {} that run and end do so at one instant, after {}; expected "
                        "lifetimes by owner, such as {{Job: 2h, otherwise: 1h}}, or from-ended",
                        pods_text(runs_),
                        sim::time_text(*ends_.begin())));
    }
}

}  // namespace berth::experiments
