#include "experiments/program/config/workload/pod_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/elastic_quota/quota_names.hpp"
#include "core/node_rules/read_node_rules.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/read_checkpoint.hpp"

namespace berth::experiments {

namespace {

/// Takes the PodGroup that a job's pods name into their spec.
void take_group(core::MapReader& map, core::Value& spec) {
    constexpr const char* key = "schedulingGroup";
    if (const core::Value* group = map.take(key)) {
        core::MapReader names(*group, key, map.diagnostics());
        static_cast<void>(names.need("podGroupName"));
        static_cast<void>(names.text("podGroupName", ""));
        names.report_unknown_keys();
        spec.members.push_back({key, group->span, *group});
    }
}

}  // namespace

/// Reads the same fields as in a pod's spec.
void PodLabels::read_nodes(core::MapReader& map, sim::Job& job) {
    core::Value spec{core::Value::Kind::map, {}, {}, {}, map.span()};
    core::Value metadata = spec;
    const auto take = [&](const char* key, core::Value& part) {
        if (const core::Value* value = map.take(key)) {
            part.members.push_back({key, value->span, *value});
        }
    };
    for (const char* key : {"nodeSelector", "affinity", "tolerations"}) {
        take(key, spec);
    }
    any_goes_anywhere_ = any_goes_anywhere_ || spec.members.empty();
    if (nodes_ != nullptr && nodes_->reads_pods()) {
        take("topologySpreadConstraints", spec);
        take("resourceClaims", spec);
        take_group(map, spec);
        take("labels", metadata);
        take("namespace", metadata);
    }
    if (!(spec.members.empty() && metadata.members.empty()) && nodes_ != nullptr) {
        job.nodes = nodes_->of(spec, map.span(), "", 1, &metadata);
        core::Value pod{core::Value::Kind::map, {}, {}, {}, map.span()};
        pod.members.push_back({"spec", map.span(), std::move(spec)});
        nodes_->look_at_fields(pod);
    } else {
        (void)core::read_node_rules(spec, diagnostics_);
    }
}

void PodLabels::take_nodes(const core::Value& pod, sim::Job& job) {
    const core::Value& spec = *value_below(pod, {"spec"});
    any_goes_anywhere_ = any_goes_anywhere_ || (value_below(spec, {"nodeSelector"}) == nullptr &&
                                                value_below(spec, {"affinity"}) == nullptr &&
                                                value_below(spec, {"tolerations"}) == nullptr);
    if (nodes_ != nullptr) {
        job.nodes = nodes_->of(spec, pod.span, "", 1, value_below(pod, {"metadata"}));
        nodes_->look_at_fields(pod);
    }
}

void PodLabels::read(core::MapReader& map, sim::Job& job, const core::Value* pod) {
    const core::Value* stated = pod != nullptr ? value_below(*pod, {"spec", "priority"}) : nullptr;
    const std::int64_t otherwise =
        stated == nullptr
            ? 0
            : core::read_integer(*stated, diagnostics_, INT32_MIN, INT32_MAX).value_or(0);
    job.priority =
        static_cast<std::int32_t>(map.integer("priority", otherwise, INT32_MIN, INT32_MAX));
    const core::Value* quota = map.take("quota");
    const core::Value* name_space = map.take("namespace");
    job.quota = map.text("quota", "");
    job.name_space =
        map.text("namespace", pod != nullptr ? text_below(*pod, {"metadata", "namespace"}) : "");
    job.user = map.text("user", "");
    job.preemptible = map.boolean("preemptible", true);
    const core::Value* job_class = map.take("class");
    job.job_class = map.text("class", "");
    if (job_class != nullptr && !classes_.empty() &&
        std::ranges::find(classes_, job.job_class.text()) == classes_.end()) {
        expected(*job_class,
                 core::alternatives(classes_) + core::suggestion(job.job_class, classes_),
                 diagnostics_);
    }
    if (auto checkpoint = checkpoint_of(map)) {
        job.checkpoint = checkpoint;
    }
    if (pod != nullptr) {
        take_nodes(*pod, job);
    } else {
        read_nodes(map, job);
    }
    if (quota != nullptr && std::exchange(warns_of_quotas_, false)) {
        diagnostics_.warning(
            quota->span,
            fmt::format("quota '{}' limits nothing, as the experiment has no quotas: expected it "
                        "in spec.quotas, or user or class instead to label jobs",
                        job.quota));
    }
    check(quota != nullptr        ? quota->span
          : name_space != nullptr ? name_space->span
                                  : map.span(),
          job);
}

void PodLabels::complete_priority(bool is_known, core::Value& pod) {
    core::Value& spec = *pod.find("spec");
    const auto put = [&](const char* key, std::string text) {
        spec.members.push_back(
            {key, spec.span, {core::Value::Kind::scalar, std::move(text), {}, {}, spec.span}});
    };
    const core::Value* named = spec.find("priorityClassName");
    const std::string name = text_below(spec, {"priorityClassName"});
    const auto of_class = nodes_ != nullptr ? nodes_->priority_of(name) : std::nullopt;
    is_known = is_known || value_below(spec, {"priority"}) != nullptr;
    if (!of_class && !name.empty() && !is_known && nodes_ != nullptr) {
        const std::string what =
            fmt::format("the priority of the class '{}' is not known: expected {}",
                        name,
                        nodes_->reads_pods()
                            ? "priority beside the file, or the PriorityClass in objects of the "
                              "scheduler"
                            : "priority beside the file; it is 0");
        if (nodes_->reads_pods()) {
            diagnostics_.error(named->span, what);
        } else {
            diagnostics_.warning(named->span, what);
        }
    }
    if (of_class && !is_known) {
        put("priority", fmt::format("{}", of_class->value));
    }
    if (of_class && of_class->never_preempts && spec.find("preemptionPolicy") == nullptr) {
        put("preemptionPolicy", "Never");
    }
}

std::optional<sim::Checkpoint> PodLabels::checkpoint_of(core::MapReader& map) {
    const core::Value* checkpoint = map.take(checkpoint_key);
    return checkpoint != nullptr
               ? std::optional(read_checkpoint(*checkpoint, random_failures_, diagnostics_))
               : std::nullopt;
}

void PodLabels::check(const core::SourceSpan& span, const sim::Job& job) {
    if (rules_ == nullptr) {
        return;
    }
    const core::LabelledPod pod{job.name, job.name_space, job.quota, ""};
    if (const core::Refusal refusal = rules_->update_pod(pod, pod)) {
        diagnostics_.error(span, *refusal);
        return;
    }
    const std::string named = rules_->named_quota_of(pod);
    if (named.empty() && !std::exchange(warned_of_none_, true)) {
        diagnostics_.warning(span,
                             fmt::format("{} names no quota: it belongs to the default group, "
                                         "which only defaultGroupMax of elastic-quota limits",
                                         job.name.empty() ? "a pod" : job.name));
    }
    const bool special = named == core::system_quota_name || named == core::default_quota_name;
    if (!named.empty() && !special && rules_->find(named) == nullptr && !later_.contains(named) &&
        warned_.insert(named).second) {
        say_unknown(span, named);
    }
}

void PodLabels::say_unknown(const core::SourceSpan& span, const std::string& quota) {
    std::vector<std::string> known(later_.begin(), later_.end());
    for (const core::ElasticQuota* one : rules_->parents_first()) {
        known.push_back(one->name);
    }
    const std::string meant = core::suggestion(quota, known);
    if (unknown_allowed_) {
        if (!meant.empty()) {
            diagnostics_.warning(
                span,
                fmt::format(
                    "unknown quota '{}': its pods belong to the default group{}", quota, meant));
        }
        return;
    }
    diagnostics_.error(span,
                       fmt::format("unknown quota '{}': expected one of the experiment's{}; "
                                   "unknownQuotas: default-group has such pods belong to the "
                                   "default group",
                                   quota,
                                   meant));
}

}  // namespace berth::experiments
