#include "schedulers/kai/requests/read_kai_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/support/text.hpp"
#include "schedulers/kai/requests/kai_queues.hpp"

namespace berth::experiments {
namespace {

namespace kai = core::kai;

std::optional<kai::TopologyConstraint> read_kai_constraint(const RequestField& field) {
    if (!field.is_present()) {
        return std::nullopt;
    }
    const std::vector<RequestField> parts = field.items();
    if (parts.size() != 3) {
        field.fail("a topology, a required level and a preferred level");
    }
    return kai::TopologyConstraint{
        parts[0].text_or(""), parts[1].text_or(""), parts[2].text_or("")};
}

/// The sub-groups of one job, with the numbers of their pods.
class KaiGroups {
public:
    KaiGroups(const RequestField& root, const RequestField& tasks) {
        for (const RequestField& task : tasks.items()) {
            ++pods_of_[leaf_of(task)];
        }
        if (!root.is_present()) {
            groups_.resize(2);
            groups_[0].members = {1};
            groups_[1].name = usual_leaf;
            groups_[1].parent = 0;
            groups_[1].is_leaf = true;
            groups_[1].min = 1;
            return;
        }
        if (root["kind"].choice({"set", "pods"}) != 0) {
            root["kind"].fail("set, which the root is");
        }
        read(root, kai::no_group, 0);
    }

    [[nodiscard]] const std::vector<kai::Group>& groups() const { return groups_; }

    /// The leaves by their names.
    [[nodiscard]] std::vector<kai::GroupIndex> leaves() const {
        std::vector<kai::GroupIndex> leaves;
        for (kai::GroupIndex group = 0; group < groups_.size(); ++group) {
            if (groups_[group].is_leaf) {
                leaves.push_back(group);
            }
        }
        std::ranges::sort(leaves, {}, [&](kai::GroupIndex leaf) { return groups_[leaf].name; });
        return leaves;
    }

    /// The leaf of a pod.
    [[nodiscard]] kai::GroupIndex find(const RequestField& task) const {
        const std::string name = leaf_of(task);
        for (kai::GroupIndex group = 0; group < groups_.size(); ++group) {
            if (groups_[group].is_leaf && groups_[group].name == name) {
                return group;
            }
        }
        if (task["group"].is_present()) {
            task["group"].fail("the name of one of the job's groups of pods");
        }
        throw RequestError(fmt::format(
            "no {}: expected the name of one of the job's groups of pods", task["group"].place()));
    }

private:
    static constexpr const char* usual_leaf = "default";
    static constexpr int deepest = 32;

    static std::string leaf_of(const RequestField& task) {
        const std::string name = task["group"].text_or("");
        return name.empty() ? usual_leaf : name;
    }

    kai::GroupIndex read(const RequestField& field, kai::GroupIndex parent, int depth) {
        if (depth > deepest) {
            field.fail(fmt::format("at most {} groups inside each other", deepest));
        }
        const auto index = static_cast<kai::GroupIndex>(groups_.size());
        kai::Group group;
        group.name = field["name"].text_or("");
        group.parent = parent;
        group.is_leaf = field["kind"].choice({"set", "pods"}) == 1;
        group.topology = read_kai_constraint(field["topology"]);
        if (!names_.insert(group.name).second) {
            field["name"].fail("a name that no other group of the job has");
        }
        groups_.push_back(group);
        for (const RequestField& kid : field["kids"].items()) {
            if (group.is_leaf) {
                kid.fail("none, for pods are in this group");
            }
            group.members.push_back(read(kid, index, depth + 1));
        }
        const RequestField min = field["min"];
        if (group.is_leaf) {
            const auto pods = static_cast<std::int64_t>(pods_of_[group.name]);
            group.min = min.is_present() ? min.whole(0, pods) : std::min<std::int64_t>(1, pods);
        } else if (min.is_present()) {
            group.min = min.whole(0, static_cast<std::int64_t>(group.members.size()));
        }
        groups_[index] = std::move(group);
        return index;
    }

    std::map<std::string, std::size_t> pods_of_;
    std::set<std::string> names_;
    std::vector<kai::Group> groups_;
};

double read_ago(const RequestField& field, double now) {
    return now - read_kai_number(field, 0);
}

kai::NodeIndex read_kai_node_name(const RequestField& field,
                                  const std::vector<kai::NodeSpec>& nodes) {
    const auto found = std::ranges::lower_bound(nodes, field.text(), {}, &kai::NodeSpec::name);
    if (found == nodes.end() || found->name != field.text()) {
        field.fail("one of nodes");
    }
    return static_cast<kai::NodeIndex>(found - nodes.begin());
}

kai::Status read_kai_status(const RequestField& field) {
    const std::string status = field.text();
    const auto* const found = std::ranges::find(kai_statuses, status);
    if (found == kai_statuses.end()) {
        field.fail(core::join(kai_statuses, " or "));
    }
    return static_cast<kai::Status>(found - kai_statuses.begin());
}

/// The pods of a job, by their ids as texts.
std::vector<kai::Pod> read_kai_pods(const RequestField& job,
                                    const KaiGroups& groups,
                                    const std::vector<kai::NodeSpec>& nodes) {
    std::vector<kai::Pod> read;
    const double cpu = read_kai_number(job["cpu"], 0);
    const double memory = read_kai_number(job["memory"], 0);
    for (const RequestField& task : job["tasks"].items()) {
        kai::Pod& pod = read.emplace_back();
        pod.id = fmt::format("{}-{}", job["name"].text(), read.size() - 1);
        pod.leaf = groups.find(task);
        const auto gpus = static_cast<double>(task["gpus"].whole_or(0, 0, 1'000'000));
        pod.request = {cpu, memory, gpus, 1};
        if (task["order"].is_present()) {
            pod.order = task["order"].whole(INT32_MIN, INT32_MAX);
        }
        pod.status = read_kai_status(task["status"]);
        const bool may_have_node =
            !pod.is(kai::just(kai::Status::Pending) | kai::just(kai::Status::Gated));
        if (pod.is(kai::used) || (may_have_node && !task["node"].text_or("").empty())) {
            pod.node = read_kai_node_name(task["node"], nodes);
        }
    }
    std::ranges::sort(read, {}, &kai::Pod::id);
    return read;
}

kai::JobSpec read_kai_job_spec(const RequestField& field,
                               const KaiGroups& groups,
                               const kai::SessionSpec& session) {
    kai::JobSpec read;
    read.name = field["name"].text();
    read.queue = read_kai_queue_name(field["queue"], session.queues);
    read.priority = field["priority"].whole_or(50, INT32_MIN, INT32_MAX);
    read.is_preemptible = field["preemptible"].boolean_or(read.priority < 100);
    read.created = session.settings.now - 60 * read_kai_number(field["age"], 0);
    read.delay = read_kai_number(field["delay"], 0);
    read.groups = groups.groups();
    read.leaves = groups.leaves();
    return read;
}

}  // namespace

std::vector<RequestField> by_name(const RequestField& list) {
    std::vector<std::pair<std::string, RequestField>> named;
    std::set<std::string> seen;
    for (const RequestField& field : list.items()) {
        std::string name = field["name"].text();
        if (name.empty()) {
            field["name"].fail("a name");
        }
        if (!seen.insert(name).second) {
            field["name"].fail("a name that no other has");
        }
        named.emplace_back(std::move(name), field);
    }
    std::ranges::stable_sort(
        named, {}, [](const auto& one) -> const std::string& { return one.first; });
    std::vector<RequestField> fields;
    for (const auto& [name, field] : named) {
        fields.push_back(field);
    }
    return fields;
}

void read_kai_jobs(const RequestField& list, kai::SessionSpec& session) {
    const double now = session.settings.now;
    for (const RequestField& field : by_name(list)) {
        const KaiGroups groups(field["root"], field["tasks"]);
        kai::SessionSpec::StartedJob job{
            read_kai_job_spec(field, groups, session), std::nullopt, std::nullopt};
        bool has_started = false;
        for (kai::Pod& pod : read_kai_pods(field, groups, session.nodes)) {
            pod.job = static_cast<kai::JobIndex>(session.jobs.size());
            has_started = has_started || pod.is(kai::charged_ones);
            session.pods.push_back(std::move(pod));
        }
        if (field["started"].is_present()) {
            job.last_start = read_ago(field["started"], now);
        } else if (has_started) {
            job.last_start = now - 60;
        }
        if (field["stale"].is_present()) {
            job.stale_since = read_ago(field["stale"], now);
        }
        session.jobs.push_back(std::move(job));
    }
}

}  // namespace berth::experiments
