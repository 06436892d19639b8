#include "schedulers/kueue/trace/held_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <variant>

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

constexpr std::string_view group_label = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view total_annotation = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view class_label = "kueue.x-k8s.io/priority-class";
constexpr std::string_view job_uid_label = "kueue.x-k8s.io/job-uid";
constexpr std::string_view time_label = "kueue.x-k8s.io/max-exec-time-seconds";

constexpr std::string_view kueue_class_kind = "WorkloadPriorityClass";
constexpr std::string_view pod_class_kind = "PriorityClass";

std::string key_of(std::string_view kind, std::string_view name_space, std::string_view name) {
    return fmt::format("{}/{}/{}", kind, name_space, name);
}

/// What the pods of a group must have in common for the group to be a job of equal pods.
bool are_alike(const HeldObject& a, const HeldObject& b) {
    const TraceJob& x = a.found.job;
    const TraceJob& y = b.found.job;
    return x.cpu_milli == y.cpu_milli && x.memory_bytes == y.memory_bytes && x.gpus == y.gpus &&
           x.topology == y.topology && a.found.others == b.found.others;
}

[[noreturn]] void refuse(const HeldObject& held,
                         const std::string& file,
                         std::string_view message) {
    throw RowError({file, held.line, held.column, 1, {}, held.column}, message);
}

/// Sets the times that the pods of a group tell together.
void set_times(HeldGroup& group, TraceJob& job) {
    // Kueue knows of a group once all its pods exist; later pods replace earlier ones.
    std::ranges::sort(group.created);
    const auto all = static_cast<std::size_t>(group.total);
    job.submit.reset();
    if (!group.created.empty()) {
        job.submit = group.created[std::min(group.created.size(), all) - 1];
    }
    job.start = group.started;
    job.finish = group.all_ended ? group.ended : std::nullopt;
    if (job.start && job.submit) {
        job.submit = std::min(*job.submit, *job.start);
    }
    if (!job.start) {
        job.status = TraceStatus::pending;
        job.finish.reset();
    } else if (!job.finish) {
        job.status = TraceStatus::running;
    } else {
        job.status = group.succeeded >= group.total ? TraceStatus::completed : TraceStatus::failed;
    }
}

}  // namespace

bool is_admitted_kind(std::string_view kind) {
    // Deployments, StatefulSets and LeaderWorkerSets are admitted through their pods.
    constexpr std::array<std::string_view, 14> kinds{"AppWrapper",
                                                     "JAXJob",
                                                     "Job",
                                                     "JobSet",
                                                     "MPIJob",
                                                     "MXJob",
                                                     "PaddleJob",
                                                     "PyTorchJob",
                                                     "RayCluster",
                                                     "RayJob",
                                                     "SparkApplication",
                                                     "TFJob",
                                                     "TrainJob",
                                                     "XGBoostJob"};
    return std::ranges::find(kinds, kind) != kinds.end();
}

void HeldObjects::stands_for_owners(const JsonRow& row, const ObjectHeader& workload) {
    for (const ObjectOwner& owner : workload.owners) {
        note_owner(owner.uid);
        owner_names_.insert(key_of(owner.kind, workload.name_space, owner.name));
    }
    note_owner(label_of(row, job_uid_label));
    // The Workload of a group of pods bears the group's name.
    owner_names_.insert(key_of("group", workload.name_space, workload.name));
}

void HeldObjects::note_owner(const std::string& uid) {
    if (!uid.empty()) {
        owner_uids_.insert(uid);
    }
}

void HeldObjects::note_job(const ObjectHeader& header) {
    if (!header.uid.empty()) {
        jobs_.insert(header.uid);
    }
}

HeldObject& HeldObjects::hold(ObjectHeader header, std::uint64_t line, std::size_t column) {
    HeldObject& held = held_.emplace_back();
    held.uids.push_back(header.uid);
    held.header = std::move(header);
    held.line = line;
    held.column = column;
    return held;
}

void HeldObjects::hold_job(const JsonRow& row,
                           ObjectHeader header,
                           std::uint64_t line,
                           std::size_t column) {
    note_job(header);
    KueueJob found = read_batch_job(row);
    if (const auto most = row.find({"metadata", "labels", time_label})) {
        found.job.time_limit =
            std::chrono::seconds(whole_number(row, *most, time_label, 1, INT32_MAX));
    }
    HeldObject& held = hold(std::move(header), line, column);
    held.found = std::move(found);
    held.kueue_class = label_of(row, class_label);
    held.pod_class = row.text({"spec", "template", "spec", "priorityClassName"});
}

void HeldObjects::hold_pod(const JsonRow& row,
                           ObjectHeader header,
                           std::uint64_t line,
                           std::size_t column) {
    HeldObject pod;
    pod.found = read_queued_pod(row);
    pod.kueue_class = label_of(row, class_label);
    if (const auto priority = row.find({"spec", "priority"})) {
        pod.found.job.priority = static_cast<std::int32_t>(
            whole_number(row, *priority, "priority", INT32_MIN, INT32_MAX));
        pod.has_priority = true;
    } else {
        pod.pod_class = row.text({"spec", "priorityClassName"});
    }
    pod.uids.push_back(header.uid);
    pod.header = std::move(header);
    pod.line = line;
    pod.column = column;
    const std::string group = label_of(row, group_label);
    if (group.empty()) {
        held_.push_back(std::move(pod));
    } else {
        add_to_group(std::move(pod), group, annotation_of(row, total_annotation));
    }
}

void HeldObjects::add_to_group(HeldObject pod, const std::string& group, const std::string& total) {
    const auto [known, fresh] = groups_.try_emplace({pod.header.name_space, group}, held_.size());
    const auto parsed = parse_amount(total, member_count);
    const auto* count = std::get_if<std::int64_t>(&parsed);
    const core::Members members = count != nullptr ? *count : 0;
    const std::string uid = pod.header.uid;
    const TraceJob job = pod.found.job;
    if (fresh) {
        pod.header.name = group;
        pod.uids.clear();
        pod.group.emplace();
        pod.group->total = members;
        held_.push_back(pod);
    }
    HeldObject& first = held_[known->second];
    HeldGroup& of = *first.group;
    first.uids.push_back(uid);
    ++of.pods;
    if (members == 0 || members != of.total) {
        of.fault = fmt::format(
            "the pods of group {} do not agree on a number above 0 in the "
            "annotation {}: expected how many pods it has",
            quoted(group),
            total_annotation);
    } else if (of.fault.empty() && !are_alike(first, pod)) {
        of.fault = fmt::format(
            "the pods of group {} ask for different things, which is not "
            "modelled in a run: expected pods that are all equal",
            quoted(group));
    }
    if (job.submit) {
        of.created.push_back(*job.submit);
    }
    of.started = job.start ? std::min(of.started.value_or(*job.start), *job.start) : of.started;
    of.ended = std::max(of.ended, job.finish);
    of.all_ended = of.all_ended && job.finish.has_value();
    of.succeeded += job.status == TraceStatus::completed ? 1 : 0;
}

void HeldObjects::note_class(const JsonRow& row, const ObjectHeader& header) {
    const auto value = row.find({"value"});
    const auto number =
        static_cast<std::int32_t>(whole_number_or(row, value, "value", INT32_MIN, INT32_MAX, 0));
    classes_[{header.kind, header.name}] = number;
    if (header.kind == pod_class_kind && row.text({"globalDefault"}) == "true") {
        default_priority_ = number;
    }
}

HeldObject* HeldObjects::next() {
    return given_ < held_.size() ? &held_[given_++] : nullptr;
}

/// Kubernetes gives every object a uid. If a file was stripped of its uids, the name decides.
bool HeldObjects::is_taken(const std::string& uid, const std::string& key) const {
    return uid.empty() ? owner_names_.contains(key) : owner_uids_.contains(uid);
}

HeldObjects::Fate HeldObjects::fate_of(const HeldObject& held) const {
    const ObjectHeader& header = held.header;
    const bool is_group = held.group.has_value();
    const std::string key =
        key_of(is_group ? "group" : header.kind, header.name_space, header.name);
    const bool taken =
        (is_group && owner_names_.contains(key)) ||
        std::ranges::any_of(held.uids, [&](const std::string& uid) { return is_taken(uid, key); });
    if (taken) {
        return Fate::taken;
    }
    const ObjectOwner* owner = header.controller();
    if (owner == nullptr || !is_admitted_kind(owner->kind)) {
        return Fate::given;
    }
    const std::string owner_key = key_of(owner->kind, header.name_space, owner->name);
    const bool is_there = is_taken(owner->uid, owner_key) || jobs_.contains(owner->uid);
    return is_there ? Fate::taken : Fate::orphan;
}

void HeldObjects::finish(HeldObject& held, const std::string& file) const {
    TraceJob& job = held.found.job;
    if (held.group) {
        if (!held.group->fault.empty()) {
            refuse(held, file, held.group->fault);
        }
        job.members = held.group->total;
        set_times(*held.group, job);
    }
    job.name = held.header.name;
    job.queue = held.header.queue;
    job.name_space = held.header.name_space;
    set_priority(held, file);
}

void HeldObjects::set_priority(HeldObject& held, const std::string& file) const {
    const bool is_kueues = !held.kueue_class.empty();
    const std::string& name = is_kueues ? held.kueue_class : held.pod_class;
    if (name.empty()) {
        held.found.job.priority = held.has_priority ? held.found.job.priority : default_priority_;
        return;
    }
    const std::string kind(is_kueues ? kueue_class_kind : pod_class_kind);
    const auto known = classes_.find({kind, name});
    if (known == classes_.end()) {
        refuse(held,
               file,
               fmt::format("{} {} has the priority of {} {}, which is not in the file: expected it "
                           "there too, as kubectl get workloadpriorityclasses,priorityclasses -o "
                           "json prints it",
                           held.header.kind,
                           quoted(held.header.name),
                           kind,
                           quoted(name)));
    }
    held.found.job.priority = known->second;
}

std::map<std::string, std::uint64_t> HeldObjects::others() const {
    std::map<std::string, std::uint64_t> left;
    for (const auto& [kind, uid] : others_) {
        left[kind] += owner_uids_.contains(uid) ? 0 : 1;
    }
    std::erase_if(left, [](const auto& one) { return one.second == 0; });
    return left;
}

}  // namespace berth::workloads
