#include "experiments/program/config/resolve/object_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/program/config/resolve/position_of_kind.hpp"
#include "experiments/program/config/workload/pod_job.hpp"
#include "experiments/program/config/workload/pods_of_object.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::Value;

std::vector<Value> objects_in(const std::vector<Value>& documents) {
    std::vector<Value> objects;
    for (const Value& document : documents) {
        if (document.kind != Value::Kind::null) {
            add_objects(document, objects);
        }
    }
    return objects;
}

}  // namespace

std::vector<Value> cluster_objects_in(const std::vector<Value>& documents,
                                      const Value& named,
                                      const SchedulerDocuments& scheduler) {
    std::vector<Value> objects;
    for (std::vector<Value> all = objects_in(documents); Value & object : all) {
        if (scheduler.trim_cluster_object(object)) {
            objects.push_back(std::move(object));
        }
    }
    if (objects.empty()) {
        throw InputError(named.span,
                         fmt::format("found no object in {} that counts: expected those that "
                                     "`kubectl get services -o yaml` prints, or others",
                                     named.text));
    }
    return objects;
}

Value object_with_pods_in(const std::vector<Value>& documents, const Value& named) {
    std::vector<Value> found = objects_in(documents);
    std::erase_if(found, [](const Value& object) { return !keeps_pods(kind_of(object)); });
    if (found.size() > 1) {
        std::erase_if(found, [](const Value& object) {
            return kind_of(object) == "ReplicaSet" && !owner_kind(object).empty();
        });
    }
    if (found.empty()) {
        throw InputError(named.span,
                         fmt::format("found no object in {} that keeps pods: expected kind: "
                                     "Deployment, ReplicaSet, StatefulSet or Job",
                                     named.text));
    }
    std::ranges::for_each(found, &trim_object_with_pods);
    if (found.size() == 1) {
        return std::move(found.front());
    }
    const core::SourceSpan span = found.front().span;
    Value list{Value::Kind::map, {}, {}, {}, span};
    list.members.push_back({"kind", span, {Value::Kind::scalar, "List", {}, {}, span}});
    list.members.push_back({"items", span, {Value::Kind::list, {}, std::move(found), {}, span}});
    return list;
}

}  // namespace berth::experiments
