#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/kueue/trace/kueue_job.hpp"
#include "schedulers/kueue/trace/object_fields.hpp"
#include "schedulers/kueue/trace/object_header.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;

struct PodSet {
    std::string name;
    core::Members count = 1;
    std::optional<core::Members> min_count;
    KueueJob pods;  ///< The requests of each pod in the set.
    Index where = 0;
};

class WorkloadReader {
public:
    WorkloadReader(const JsonRow& row, const std::string& version) : row_(row), version_(version) {}

    KueueJob read() {
        if (version_ != "v1beta1" && version_ != "v1beta2") {
            row_.fail(
                *row_.find({"apiVersion"}),
                fmt::format("a Workload of {}: expected v1beta1 or v1beta2", quoted(version_)));
        }
        refuse_what_runs_do_not_have();
        read_pod_sets();
        check_names_of_pod_sets();
        KueueJob out = one_group();
        read_priority(out.job);
        if (const auto most = row_.find({"spec", "maximumExecutionTimeSeconds"})) {
            out.job.time_limit = std::chrono::seconds(
                whole_number(row_, *most, "maximumExecutionTimeSeconds", 1, INT32_MAX));
        }
        read_workload_times(row_, out);
        workload_fields(PodReader::admitted).find(row_.json(), JsonText::root(), out.object_says);
        return out;
    }

private:
    void refuse_what_runs_do_not_have() const {
        constexpr std::string_view slice = "kueue.x-k8s.io/workload-slice-replacement-for";
        if (const auto elastic = row_.find({"metadata", "annotations", slice})) {
            row_.fail(*elastic,
                      fmt::format("{}: an elastic job, which is not modelled in a run: expected "
                                  "jobs that keep their size",
                                  slice));
        }
        if (const auto cluster = row_.find({"status", "clusterName"})) {
            row_.fail(*cluster,
                      "clusterName: it ran in another cluster, by MultiKueue, which is not "
                      "modelled in a run: expected the workloads of that cluster");
        }
    }

    void read_pod_sets() {
        const auto list = row_.find({"spec", "podSets"});
        row_.for_each(list, [&](Index one) { sets_.push_back(read_pod_set(one)); });
        const std::size_t most = version_ == "v1beta1" ? 8 : 18;
        if (sets_.empty() || sets_.size() > most) {
            row_.fail(list.value_or(JsonText::root()),
                      fmt::format("{} pod sets: expected 1 to {}, as Kueue has it in {}",
                                  sets_.size(),
                                  most,
                                  version_));
        }
    }

    [[nodiscard]] PodSet read_pod_set(Index one) const {
        PodSet set;
        set.where = one;
        const auto name = row_.find(one, {"name"});
        set.name = name ? row_.text(*name) : "main";
        set.count = whole_number_or(row_, row_.find(one, {"count"}), "count", 0, members_max, 1);
        if (const auto min = row_.find(one, {"minCount"})) {
            set.min_count = whole_number(row_, *min, "minCount", 1, members_max);
            if (*set.min_count > set.count) {
                row_.fail(*min,
                          fmt::format("minCount {} above count {}: expected at most that",
                                      *set.min_count,
                                      set.count));
            }
        }
        const auto pod = row_.find(one, {"template"});
        refuse_requests_of_pods(pod);
        read_pod_template(row_, pod, set.pods);
        if (const auto request = row_.find(one, {"topologyRequest"})) {
            if (auto topology = read_topology_request(row_, *request)) {
                set.pods.job.topology = *std::move(topology);
            }
        }
        return set;
    }

    /// Kueue counts pods itself, as the resource `pods`.
    void refuse_requests_of_pods(std::optional<Index> pod) const {
        for (const std::string_view list : {"containers", "initContainers"}) {
            row_.for_each(row_.find(pod, {"spec", list}), [&](Index container) {
                if (const auto pods = row_.find(container, {"resources", "requests", "pods"})) {
                    row_.fail(*pods,
                              "a request of 'pods', a name that Kueue keeps for itself: expected "
                              "other resources");
                }
            });
        }
    }

    void check_names_of_pod_sets() const {
        std::set<std::string> names;
        const PodSet* with_min = nullptr;
        for (const PodSet& set : sets_) {
            if (!names.insert(set.name).second) {
                row_.fail(
                    set.where,
                    fmt::format("a second pod set {}: expected other names", quoted(set.name)));
            }
            if (set.min_count && with_min != nullptr) {
                row_.fail(set.where,
                          fmt::format("minCount of pod set {} beside that of {}: expected at most "
                                      "one pod set with it",
                                      quoted(set.name),
                                      quoted(with_min->name)));
            }
            with_min = set.min_count ? &set : with_min;
        }
        check_references(names);
    }

    /// Checks that the status names only pod sets that exist.
    void check_references(const std::set<std::string>& names) const {
        const auto check = [&](Index entry, std::string_view list) {
            const auto name = row_.find(entry, {"name"});
            if (name && !names.contains(std::string(row_.text(*name)))) {
                row_.fail(*name,
                          fmt::format("{} of {}, which is no pod set of the Workload: expected {}",
                                      list,
                                      quoted(row_.text(*name)),
                                      fmt::join(names, ", ")));
            }
        };
        row_.for_each(row_.find({"status", "reclaimablePods"}), [&](Index entry) {
            check(entry, "reclaimablePods");
            const auto name = row_.find(entry, {"name"});
            const auto set = std::ranges::find(
                sets_, name ? row_.text(*name) : std::string_view(), &PodSet::name);
            if (const auto count = row_.find(entry, {"count"}); count && set != sets_.end()) {
                (void)whole_number(row_, *count, "count of reclaimablePods", 0, set->count);
            }
        });
        if (has_condition(row_, "QuotaReserved")) {
            row_.for_each(row_.find({"status", "admission", "podSetAssignments"}),
                          [&](Index entry) { check(entry, "podSetAssignments"); });
        }
    }

    /// The pod sets, as one group of equal pods.
    KueueJob one_group() {
        std::erase_if(sets_, [](const PodSet& set) { return set.count == 0; });
        if (sets_.empty()) {
            row_.fail(*row_.find({"spec", "podSets"}), "no pods: expected a count above 0");
        }
        PodSet& first = sets_.front();
        core::Members count = 0;
        core::Members optional = 0;
        for (const PodSet& set : sets_) {
            refuse_difference(first, set);
            count += set.count;
            optional += set.min_count ? set.count - *set.min_count : 0;
        }
        if (count > members_max) {
            row_.fail(first.where, fmt::format("{} pods: expected at most {}", count, members_max));
        }
        FoundFields pods_say;
        for (const PodSet& set : sets_) {
            for (const UnmodelledField* field : set.pods.pods_say) {
                if (std::ranges::find(pods_say, field) == pods_say.end()) {
                    pods_say.push_back(field);
                }
            }
        }
        KueueJob out = std::move(first.pods);
        out.pods_say = std::move(pods_say);
        out.job.members = count;
        out.job.members_min = optional > 0 ? count - optional : 0;
        out.has_several_sets = sets_.size() > 1;
        return out;
    }

    void refuse_difference(const PodSet& first, const PodSet& other) const {
        const TraceJob& a = first.pods.job;
        const TraceJob& b = other.pods.job;
        const bool same = a.cpu_milli == b.cpu_milli && a.memory_bytes == b.memory_bytes &&
                          a.gpus == b.gpus && a.topology == b.topology &&
                          a.conditions == b.conditions && first.pods.others == other.pods.others;
        if (!same) {
            row_.fail(other.where,
                      fmt::format("pod sets {} and {} ask for different things, which is not "
                                  "modelled in a run: expected pods that are all equal",
                                  quoted(first.name),
                                  quoted(other.name)));
        }
        const TraceTopology::Asks asks = b.topology.asks;
        const bool is_one_place =
            asks == TraceTopology::Asks::required || asks == TraceTopology::Asks::preferred;
        if (&first != &other && is_one_place) {
            row_.fail(other.where,
                      fmt::format("pod sets {} and {} each ask for a place by topology, which is "
                                  "not modelled in a run: expected one pod set",
                                  quoted(first.name),
                                  quoted(other.name)));
        }
    }

    void read_priority(TraceJob& job) const {
        const auto priority = row_.find({"spec", "priority"});
        job.priority = static_cast<std::int32_t>(
            whole_number_or(row_, priority, "priority", INT32_MIN, INT32_MAX, 0));
        for (const std::string_view key : {"priorityClassRef", "priorityClassName"}) {
            const auto named = row_.find({"spec", key});
            const bool says_name = named && !row_.json().text(*named).empty();
            if (says_name && !priority) {
                row_.fail(*named,
                          fmt::format("{} without a priority: expected spec.priority beside it, as "
                                      "Kueue does",
                                      key));
            }
        }
    }

    const JsonRow& row_;
    const std::string& version_;
    std::vector<PodSet> sets_;
};

}  // namespace

KueueJob read_workload_object(const JsonRow& row, const std::string& version) {
    return WorkloadReader(row, version).read();
}

}  // namespace berth::workloads
