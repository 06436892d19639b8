#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "core/elastic_quota/quota_admission.hpp"
#include "core/elastic_quota/quota_eviction.hpp"
#include "core/elastic_quota/quota_names.hpp"
#include "experiments/program/requests/quota.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::QuotaId;
using core::QuotaRefusal;
using core::QuotaTrees;
using core::ResourceList;

struct Pod {
    std::string quota;  ///< From its label; may name a quota that does not exist.
    std::string space;  ///< The pod's namespace.
    core::QuotaPod pod;
    bool bound = false;
};

/// a + b. Errors: RequestError if the sum overflows.
Amount sum(Amount a, Amount b, std::string_view what, const std::string& resource) {
    Amount out = 0;
    if (__builtin_add_overflow(a, b, &out)) {
        throw RequestError(fmt::format(
            "{} '{}': {} and {} together have no room: expected less", what, resource, a, b));
    }
    return out;
}

/// The whole number under a key; 0 if the key is absent.
Amount number(const RequestValue& object, const char* key, Amount least, Amount most) {
    const auto given = object.find(key);
    const Amount value = given ? whole(*given, key, least) : 0;
    if (value > most) {
        throw RequestError(fmt::format("{} is {}: expected at most {}", key, value, most));
    }
    return value;
}

/// Executes the operations of one request, one after another.
class Session {
public:
    explicit Session(const RequestValue& request) : base_(request) {
        const RequestValue options = request["options"];
        rules_.limit = boolean(options, "enableRuntimeQuota", true) ? core::QuotaLimit::runtime
                                                                    : core::QuotaLimit::max;
        rules_.check_parents = boolean(options, "enableCheckParentQuota", false);
        rules_.default_group_max = false;
        spare_default_group_ = boolean(options, "disableDefaultQuotaPreemption", true);
        total_ = base_.list(need(request, "total", "the request"), "total");
        read_namespaces(request);
    }

    Json step(const RequestValue& op) {
        constexpr std::array steps{&Session::create,
                                   &Session::remove,
                                   &Session::schedule,
                                   &Session::revoke,
                                   &Session::can_preempt,
                                   &Session::select,
                                   &Session::update_quota,
                                   &Session::add_total};
        (void)need(op, "op", "an operation");
        return (this->*steps[choice(op,
                                    "op",
                                    {"create",
                                     "delete",
                                     "schedule",
                                     "revoke",
                                     "canPreempt",
                                     "selectVictims",
                                     "updateQuota",
                                     "addTotal"})])(op);
    }

private:
    void read_namespaces(const RequestValue& request) {
        const RequestValue spaces = request["namespaces"];
        if (!spaces.is_null() && !spaces.is_map()) {
            throw RequestError(fmt::format(
                "namespaces is {}: expected a map from namespace to quota", shown(spaces)));
        }
        for (const auto& [space, quota] : spaces.members()) {
            spaces_[space] = text(quota, fmt::format("namespaces.{}", space));
        }
    }

    QuotaTrees& trees() { return base_.trees(); }

    Pod& find(const RequestValue& op, const char* key) {
        return find(text(need(op, key, "an operation"), key));
    }

    Pod& find(const std::string& name) {
        const auto found = pods_.find(name);
        if (found == pods_.end()) {
            throw RequestError(fmt::format("unknown pod '{}': expected one created before", name));
        }
        return found->second;
    }

    /// The quota of a pod, by its label or else by its namespace; the default group if there is no
    /// such quota.
    QuotaId quota_of(const Pod& pod) {
        std::string name = pod.quota;
        if (name.empty()) {
            const auto labelled = spaces_.find(pod.space.empty() ? "default" : pod.space);
            name = labelled == spaces_.end() ? "" : labelled->second;
        }
        return trees().find(name).value_or(QuotaTrees::default_quota);
    }

    std::vector<Amount> amounts(const Pod& pod) const {
        std::vector<Amount> out;
        for (std::size_t r = 0; r < base_.schema().size(); ++r) {
            out.push_back(pod.pod.request[r]);
        }
        return out;
    }

    Json create(const RequestValue& op) {
        const RequestValue json = need(op, "pod", "create");
        const std::string name = text(need(json, "name", "a pod"), "name");
        Pod pod;
        pod.quota = optional_text(json, "quota", name);
        pod.space = optional_text(json, "namespace", name);
        pod.pod.priority =
            static_cast<std::int32_t>(number(json, "priority", INT32_MIN, INT32_MAX));
        pod.pod.start = number(json, "startTime", INT64_MIN, INT64_MAX);
        pod.pod.request = base_.list(need(json, "request", name), "request");
        pod.pod.preemptible = !boolean(json, "nonPreemptible", false);
        const auto [entry, fresh] = pods_.emplace(name, std::move(pod));
        if (!fresh) {
            throw RequestError(fmt::format("pod '{}' a second time: expected it once", name));
        }
        const QuotaId quota = quota_of(entry->second);
        trees().add_request(quota, amounts(entry->second), 1);
        return {{"quota", trees().name(quota)}, {"tree", trees().spec(quota).tree_id}};
    }

    Json remove(const RequestValue& op) {
        Pod& pod = find(op, "name");
        const QuotaId quota = quota_of(pod);
        trees().add_request(quota, amounts(pod), -1);
        if (pod.bound) {
            trees().add_used(quota, amounts(pod), -1, pod.pod.preemptible);
        }
        pods_.erase(text(op["name"], "name"));
        return Json::object();
    }

    Json update_quota(const RequestValue& op) {
        base_.update(base_.spec(need(op, "quota", "updateQuota")));
        return Json::object();
    }

    Json add_total(const RequestValue& op) {
        const ResourceList delta = base_.list(need(op, "delta", "addTotal"), "delta");
        core::for_each_resource(delta.keys(), [&](std::size_t r) {
            total_.set(r, sum(total_[r], delta[r], "delta", base_.schema().name(r)));
        });
        trees().set_cluster_total(total_);
        return Json::object();
    }

    Json names_of(std::uint64_t resources) const {
        std::vector<std::string> names;
        core::for_each_resource(resources,
                                [&](std::size_t r) { names.push_back(base_.schema().name(r)); });
        std::ranges::sort(names);
        return names;
    }

    ResourceList used(QuotaId quota) {
        ResourceList out(base_.schema().size());
        for (std::size_t r = 0; r < base_.schema().size(); ++r) {
            out.set(r, trees().used(quota, r));
        }
        return out;
    }

    ResourceList limit(QuotaId quota, const core::AdmissionRules& rules) {
        ResourceList out(base_.schema().size());
        for (std::size_t r = 0; r < base_.schema().size(); ++r) {
            if (const auto most = core::quota_limit(trees(), quota, r, rules)) {
                out.set(r, *most);
            }
        }
        return out;
    }

    Json json(const ResourceList& list) const {
        return base_.object(
            [&](std::size_t r) { return list.has(r) ? std::optional(list[r]) : std::nullopt; });
    }

    /// The runtime in an answer: the one that was last computed for the quota.
    Json refreshed(QuotaId quota) {
        if (rules_.limit == core::QuotaLimit::runtime) {
            seen_[quota] = limit(quota, rules_);
        }
        return json(seen_.contains(quota) ? seen_[quota] : ResourceList(base_.schema().size()));
    }

    std::optional<QuotaRefusal> refusal(const Pod& pod) {
        const ResourceList& request = pod.pod.request;
        return core::check_admission(trees(),
                                     quota_of(pod),
                                     request.amounts(),
                                     request.keys(),
                                     1,
                                     pod.pod.preemptible,
                                     rules_);
    }

    Json schedule(const RequestValue& op) {
        Pod& pod = find(op, "name");
        const QuotaId quota = quota_of(pod);
        Json out{{"admit", true}};
        const Json runtime = refreshed(quota);
        if (const auto why = refusal(pod)) {
            constexpr std::array reasons{"limit", "min", "parent"};
            out["admit"] = false;
            out["reason"] = reasons[static_cast<std::size_t>(why->reason)];
            out["exceed"] = names_of(why->exceeded);
        } else {
            out["bound"] = true;
            if (!pod.bound) {
                trees().add_used(quota, amounts(pod), 1, pod.pod.preemptible);
                pod.bound = true;
            }
        }
        out["usedAfter"] = json(used(quota));
        out["runtimeAfter"] = runtime;
        return out;
    }

    Json revoke(const RequestValue& op) {
        const QuotaId quota = base_.find(text(need(op, "quotaName", "revoke"), "quotaName"));
        core::AdmissionRules rules = rules_;
        rules.limit = core::QuotaLimit::runtime;
        for (std::uint32_t i = 0; i < trees().count(); ++i) {
            seen_[QuotaId{i}] = limit(QuotaId{i}, rules);
        }
        const ResourceList runtime = seen_[quota];
        std::vector<core::QuotaPod> pods;
        std::vector<std::string> names;
        for (const auto& [name, pod] : pods_) {
            if (pod.bound && quota_of(pod) == quota) {
                pods.push_back(pod.pod);
                names.push_back(name);
            }
        }
        Json revoked = Json::array();
        for (const std::size_t i :
             core::pods_to_revoke(used(quota), runtime, pods, core::RevokeRules::published)) {
            revoked.push_back(names[i]);
        }
        return {{"revoke", revoked}, {"used", json(used(quota))}, {"runtime", json(runtime)}};
    }

    bool may_preempt(const Pod& preemptor, const Pod& victim) {
        const QuotaId quota = quota_of(victim);
        return victim.pod.preemptible &&
               !(spare_default_group_ && quota == QuotaTrees::default_quota) &&
               preemptor.pod.priority > victim.pod.priority && quota_of(preemptor) == quota;
    }

    Json can_preempt(const RequestValue& op) {
        return {{"canPreempt", may_preempt(find(op, "name"), find(op, "victim"))}};
    }

    Json select(const RequestValue& op) {
        const Pod& pod = find(op, "name");
        const QuotaId quota = quota_of(pod);
        refreshed(quota);
        core::PreemptionView view;
        view.request = pod.pod.request;
        view.available = base_.list(need(op, "allocatable", "selectVictims"), "allocatable");
        view.used = used(quota);
        view.limit = limit(quota, rules_);
        view.counted = ResourceList(base_.schema().size());
        for (std::size_t r = 0; r < base_.schema().size(); ++r) {
            if (trees().counts(quota, r)) {
                view.counted.set(r, 0);
            }
        }
        std::vector<core::QuotaPod> candidates;
        std::vector<std::string> names;
        for (const RequestValue& item : need_list(op, "pods", "selectVictims")) {
            const std::string name = text(item, "pod");
            const Pod& other = find(name);
            core::for_each_resource(other.pod.request.keys(), [&](std::size_t r) {
                view.available.set(r,
                                   sum(view.available[r],
                                       -other.pod.request[r],
                                       "request",
                                       base_.schema().name(r)));
            });
            if (may_preempt(pod, other)) {
                candidates.push_back(other.pod);
                names.push_back(name);
            }
        }
        const core::Victims victims = core::select_victims(view, candidates);
        constexpr std::array codes{
            "Success", "Unschedulable", "UnschedulableAndUnresolvable", "Error"};
        Json chosen = Json::array();
        for (const std::size_t i : victims.pods) {
            chosen.push_back(names[i]);
        }
        return {{"preFilter", refusal(pod) ? "Unschedulable" : "Success"},
                {"code", codes[static_cast<std::size_t>(victims.code)]},
                {"victims", std::move(chosen)}};
    }

    std::map<std::string, std::string> spaces_;  ///< The quota of each namespace.
    QuotaRequestTrees base_;
    core::AdmissionRules rules_;
    bool spare_default_group_ = true;
    ResourceList total_;
    std::map<std::string, Pod> pods_;
    std::map<QuotaId, ResourceList> seen_;
};

}  // namespace

Json answer_quota_admission(const RequestValue& request) {
    Session session(request);
    Json results = Json::array();
    for (const RequestValue& op : need_list(request, "ops", "the request")) {
        results.push_back(session.step(op));
    }
    return {{"results", std::move(results)}};
}

}  // namespace berth::experiments
