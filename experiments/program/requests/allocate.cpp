#include "experiments/program/requests/allocate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/group_allocator/best_tree.hpp"
#include "core/group_allocator/group_exact.hpp"
#include "core/group_allocator/group_key.hpp"
#include "core/group_allocator/group_levels.hpp"
#include "core/group_allocator/group_translation.hpp"
#include "core/support/text.hpp"
#include "experiments/program/requests/allocate_devices.hpp"
#include "experiments/program/requests/group_fields.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/json_writer.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::GroupAmounts;

constexpr const char* in_translation = "translation";

core::GroupAmountList list_of(core::GroupAmounts amounts) {
    return {amounts.begin(), amounts.end()};
}

/// Answers `{"kind": "gpu", "gpuCount", "nodeAllocatable", "requests"}`.
Json answer_gpu(const RequestValue& request) {
    const std::int64_t count = gpu_count(need(request, "gpuCount", in_translation), "gpuCount");
    const auto levels = core::gpu_levels(group_amounts(request, "nodeAllocatable", in_translation));
    const auto requests = list_of(group_amounts(request, "requests", in_translation));
    return {{"requests", to_json(core::translate_gpu_requests(count, levels, requests))}};
}

/// Answers `{"kind": "addNode", "gpuCount", "nodeAllocatable"}` with what the node is assumed to
/// have.
Json answer_add_node(const RequestValue& request) {
    const std::int64_t count = gpu_count(need(request, "gpuCount", in_translation), "gpuCount");
    const auto node = list_of(group_amounts(request, "nodeAllocatable", in_translation));
    return {
        {"allocatable", to_json(core::translate_gpu_requests(count, core::all_gpu_levels, node))}};
}

/// The name of a stage, which has slashes around it.
std::string stage_name(const RequestValue& request, const char* key) {
    const std::string name = text(need(request, key, in_translation), key);
    if (name.empty() || name.find('/') != std::string::npos) {
        throw RequestError(fmt::format("{} is '{}': expected a name without '/'", key, name));
    }
    return "/" + name + "/";
}

/// Answers `{"kind": "stage", "thisStage", "nextStage", "nodeAllocatable", "requests"}`.
Json answer_stage(const RequestValue& request) {
    const std::string here = stage_name(request, "thisStage");
    const std::string next = stage_name(request, "nextStage");
    const core::GroupStage stage{here, next};
    const auto node = group_amounts(request, "nodeAllocatable", in_translation);
    auto requests = list_of(group_amounts(request, "requests", in_translation));
    const bool known = std::ranges::any_of(
        node, [&](const auto& entry) { return stage.enclosing(entry.first).has_value(); });
    const bool modified = known && core::translate_stage(stage, requests);
    return {{"modified", modified}, {"requests", to_json(requests)}};
}

RequestValue list(const RequestValue& request, const char* key) {
    const RequestValue value = need(request, key, in_translation);
    if (!value.is_list()) {
        throw RequestError(fmt::format("{} is {}: expected a list", key, shown(value)));
    }
    return value;
}

struct RequestedContainer {
    std::string name;
    std::int64_t gpu_count = 0;
    core::GroupAmounts requests;
};

std::vector<RequestedContainer> requested_containers(const RequestValue& request, const char* key) {
    std::vector<RequestedContainer> out;
    for (const RequestValue& json : list(request, key).items()) {
        RequestedContainer container;
        container.name = text(need(json, "name", "a container"), "name");
        container.requests = group_amounts(json, "requests", container.name, true);
        container.gpu_count = gpu_count_of(json, container.requests);
        out.push_back(std::move(container));
    }
    return out;
}

Json describe(const core::GpuTreeCache::Entry& entry) {
    std::vector<std::string> nodes = entry.nodes;
    std::ranges::sort(nodes);
    return {{"nodes", std::move(nodes)},
            {"tree", core::to_string(entry.tree)},
            {"score", std::isnan(entry.score) ? Json("NaN") : Json(entry.score)}};
}

/// Answers `{"kind": "bestTree", "nodes": [{"name", "allocatable"}], "runningContainers": [{"name",
/// "gpuCount", "requests"}], "initContainers"}`.
Json answer_best_tree(const RequestValue& request) {
    core::GpuTreeCache trees;
    for (const RequestValue& node : list(request, "nodes").items()) {
        const std::string name = text(need(node, "name", "a node"), "name");
        trees.add(name, group_amounts(node, "allocatable", name, true));
    }
    std::vector<RequestedContainer> all = requested_containers(request, "runningContainers");
    std::int64_t count = 0;
    for (const RequestedContainer& container : all) {
        count += container.gpu_count;
    }
    if (!request["initContainers"].is_null()) {
        for (RequestedContainer& container : requested_containers(request, "initContainers")) {
            count = std::max(count, container.gpu_count);
            all.push_back(std::move(container));
        }
    }
    const core::GpuTree* tree = trees.best(count);
    Json answers = Json::object();
    for (const RequestedContainer& container : all) {
        answers[container.name] = to_json(
            tree == nullptr ? container.requests
                            : core::request_tree(*tree, container.gpu_count, container.requests));
    }
    std::vector<Json> cache;
    std::ranges::transform(trees.entries(), std::back_inserter(cache), describe);
    std::ranges::sort(
        cache, {}, [](const Json& entry) { return entry.at("nodes").at(0).get<std::string>(); });
    return {{"found", tree != nullptr}, {"containers", std::move(answers)}, {"cache", cache}};
}

/// Answers a request to translate requests for groups, without placing them on a node.
///
/// Shape:  docs/reference/allocate.md, "Translation": `translation` with `kind` gpu, stage, addNode
///         or bestTree.
/// Errors: RequestError.
Json answer_translation_request(const RequestValue& request) {
    const RequestValue translation = need(request, "translation", "the request");
    (void)need(translation, "kind", in_translation);
    constexpr std::array answers{&answer_gpu, &answer_stage, &answer_add_node, &answer_best_tree};
    return answers[choice(translation, "kind", {"gpu", "stage", "addNode", "bestTree"})](
        translation);
}

/// Finds a scorer by its name, or by its number in the published program: 0 the default, 1
/// leftover, 2 enumeration.
const core::GroupScorer* scorer(const RequestValue& value, const std::string& resource) {
    if (value.is_string()) {
        if (const auto* named = core::find_group_scorer(value.text())) {
            return named;
        }
    } else if (value.number() == 0.0) {
        return &core::default_group_scorer(resource);
    } else if (value.number() == 1.0) {
        return core::find_group_scorer("leftover");
    } else if (value.number() == 2.0) {
        return core::find_group_scorer("enumeration");
    }
    std::vector<std::string_view> names;
    for (const core::GroupScorerEntry& entry : core::group_scorers()) {
        names.push_back(entry.name);
    }
    throw RequestError(fmt::format("scorer '{}' is {}: expected 0, 1 or 2, or one of {}",
                                   resource,
                                   shown(value),
                                   core::join(names, ", ")));
}

core::GroupScorers scorers(const RequestValue& object) {
    core::GroupScorers out;
    const RequestValue given = object["scorer"];
    if (given.is_null()) {
        return out;
    }
    if (!given.is_map()) {
        throw RequestError(
            fmt::format("scorer is {}: expected a map of scorers by resource", shown(given)));
    }
    for (const auto& [resource, value] : given.members()) {
        out.emplace(resource, scorer(value, resource));
    }
    return out;
}

/// A container as it was given, and as it is requested.
struct Container {
    std::string name;
    bool init = false;
    std::int64_t gpu_count = 0;
    GroupAmounts requests;
    core::GroupScorers scorers;
    std::map<std::string, std::string> allocate_from;
    bool settled = false;  ///< Whether the request already gives its mapping.
};

std::vector<Container> containers(const RequestValue& pod, const char* key, bool init) {
    std::vector<Container> out;
    const RequestValue given = pod[key];
    if (given.is_null()) {
        return out;
    }
    if (!given.is_list()) {
        throw RequestError(
            fmt::format("{} is {}: expected a list of containers", key, shown(given)));
    }
    for (const RequestValue& json : given.items()) {
        Container container;
        container.name = text(need(json, "name", fmt::format("a container of {}", key)), "name");
        container.init = init;
        container.requests = group_amounts(json, "requests", container.name, true);
        for (const auto& [name, amount] : container.requests) {
            if (amount < 0) {
                throw RequestError(
                    fmt::format("requests '{}' is {}: expected no negative amount", name, amount));
            }
        }
        container.gpu_count = gpu_count_of(json, container.requests);
        container.scorers = scorers(json);
        if (const RequestValue given_from = json["allocateFrom"]; !given_from.is_null()) {
            if (!given_from.is_map()) {
                throw RequestError("allocateFrom: expected a map from requests to resources");
            }
            for (const auto& [name, from] : given_from.members()) {
                container.allocate_from[name] = text(from, fmt::format("allocateFrom '{}'", name));
            }
        }
        out.push_back(std::move(container));
    }
    std::ranges::sort(out, {}, &Container::name);
    const auto twice = std::ranges::adjacent_find(out, {}, &Container::name);
    if (twice != out.end()) {
        throw RequestError(
            fmt::format("{} has two containers '{}': expected one of a name", key, twice->name));
    }
    return out;
}

/// Translates the requests of a container to this node, whatever level they are written at.
class Translation {
public:
    Translation(const GroupAmounts& node, bool published)
        : published_(published), gpu_levels_(core::gpu_levels(node)), levels_(node) {}

    [[nodiscard]] GroupAmounts operator()(const Container& container) const {
        if (!published_) {
            return levels_.translate(container.gpu_count, container.requests);
        }
        const core::GroupAmountList translated =
            core::translate_gpu_requests(container.gpu_count,
                                         gpu_levels_,
                                         {container.requests.begin(), container.requests.end()});
        return {translated.begin(), translated.end()};
    }
    [[nodiscard]] bool names_gpus() const { return levels_.has_gpus(); }

private:
    bool published_;
    core::GpuLevels gpu_levels_;
    core::GroupLevels levels_;
};

core::GroupContainer prepared(const Container& container, const core::GroupTree& tree) {
    core::GroupContainer out{container.name, container.init, {}};
    for (const auto& [name, amount] : container.requests) {
        if (core::is_group_resource(name)) {
            const auto scorer = container.scorers.find(name);
            out.demands.emplace_back(name, amount);
            out.scorers.push_back(scorer == container.scorers.end() ? nullptr : scorer->second);
        }
    }
    if (container.settled) {
        out.allocate_from.emplace();
        for (const auto& [name, amount] : out.demands) {
            const auto from = container.allocate_from.find(name);
            out.allocate_from->push_back(from == container.allocate_from.end()
                                             ? std::nullopt
                                             : tree.find_resource(from->second));
        }
    }
    return out;
}

void write_reasons(const std::vector<core::GroupReason>& reasons, JsonWriter& out) {
    out.key("reasons");
    out.begin_list();
    for (const core::GroupReason& reason : reasons) {
        out.begin_map();
        out.member("resource", reason.resource);
        out.member("requested", reason.requested);
        out.member("used", reason.used);
        out.member("capacity", reason.capacity);
        out.end_map();
    }
    out.end_list();
}

/// Writes amounts, or texts, by their names.
void write_map(std::string_view key, const auto& values, JsonWriter& out) {
    out.key(key);
    out.begin_map();
    for (const auto& [name, value] : values) {
        out.member(name, value);
    }
    out.end_map();
}

/// A node, a pod, and the result for them.
class GroupRequestAnswer {
public:
    explicit GroupRequestAnswer(const RequestValue& request)
        : rules_(choice(request, "rules", {"paper", "published"}) == 0
                     ? core::paper_group_rules
                     : core::published_group_rules),
          node_(need(request, "node", "the request")),
          allocatable_(group_amounts(node_, "allocatable", "the node", true)),
          used_(group_amounts(node_, "used", "the node", true)),
          tree_(allocatable_, scorers(node_), rules_.order),
          states_(tree_) {
        exact_ = choice(request, "solver", {"greedy", "exact"}) == 1;
        translate_ = boolean(request, "translate", false);
        const RequestValue pod = need(request, "pod", "the request");
        containers_ = containers(pod, "runningContainers", false);
        const auto init = containers(pod, "initContainers", true);
        containers_.insert(containers_.end(), init.begin(), init.end());
    }

    std::string answer() {
        std::vector<core::GroupStates::Change> changes;
        for (std::uint32_t resource = 0; resource < tree_.resource_count(); ++resource) {
            if (const auto used = used_.find(tree_.resource_name(resource)); used != used_.end()) {
                changes.push_back({resource, used->second});
            }
        }
        state_ = states_.with(states_.idle(), changes);
        prepare();
        if (exact_) {
            core::ExactGroupFit exact = core::fit_exact(tree_, *state_, pod_, rules_);
            fit_ = std::move(exact.fit);
            proven_ = exact.proven;
        } else {
            fit_ = core::GroupAllocator(rules_).fit(tree_, *state_, pod_);
        }
        fit_.found = fit_.found && lacking_.empty();
        fit_.reasons.insert(fit_.reasons.end(), lacking_.begin(), lacking_.end());
        JsonWriter out;
        out.begin_map();
        out.member("found", fit_.found);
        out.member("score", std::isnan(fit_.score) ? Json("NaN") : Json(fit_.score));
        write_reasons(fit_.reasons, out);
        write_containers(out);
        write_use(out);
        if (!proven_) {
            out.member("message", "too many ways to try them all: the greedy's answer");
        }
        out.end_map();
        return out.take();
    }

private:
    void prepare() {
        const Translation translation(allocatable_, rules_ == core::published_group_rules);
        for (Container& container : containers_) {
            if (translate_) {
                container.requests = translation(container);
            }
            if (translate_ && container.gpu_count > 0 && !translation.names_gpus() &&
                !rules_.ignores_count_without_keys) {
                lacking_.push_back(
                    {fmt::format("{}/nvidia.com/gpu", container.name), container.gpu_count, 0, 0});
            }
            container.settled = !container.allocate_from.empty();
            pod_.push_back(prepared(container, tree_));
        }
    }

    void write_containers(JsonWriter& out) const {
        // An init container takes the place of the running one with its name.
        std::vector<std::string_view> names;
        std::map<std::string_view, std::size_t> last;
        for (std::size_t c = 0; c < containers_.size(); ++c) {
            if (last.insert_or_assign(containers_[c].name, c).second) {
                names.push_back(containers_[c].name);
            }
        }
        out.key("containers");
        out.begin_map();
        for (const std::string_view name : names) {
            out.key(name);
            write_container(last[name], out);
        }
        out.end_map();
    }

    void write_container(std::size_t c, JsonWriter& out) const {
        out.begin_map();
        if (containers_[c].settled) {
            write_map("allocateFrom", containers_[c].allocate_from, out);
        } else {
            out.key("allocateFrom");
            out.begin_map();
            for (std::size_t i = 0; i < fit_.allocate_from[c].size(); ++i) {
                out.member(pod_[c].demands[i].first, tree_.resource_name(fit_.allocate_from[c][i]));
            }
            out.end_map();
        }
        if (translate_) {
            write_map("devRequests", containers_[c].requests, out);
        }
        out.end_map();
    }

    /// Writes what the node uses with the pod on it, and after the pod is gone.
    void write_use(JsonWriter& out) const {
        GroupAmounts after = used_;
        if (!fit_.found) {
            write_map("usedAfter", after, out);
            return;
        }
        GroupAmounts pod;
        GroupAmounts returned = used_;
        for (const core::GroupCharge& charge :
             core::group_charges(tree_, *state_, pod_, fit_, rules_)) {
            const std::string& name = tree_.resource_name(charge.resource);
            pod[name] = charge.pod;
            after[name] = charge.used;
            returned[name] =
                tree_.resource(charge.resource).scorer->returned(charge.used, charge.pod);
        }
        if (rules_ == core::published_group_rules) {
            add_unrequested(pod, after, returned);
        }
        write_map("podUsed", pod, out);
        write_map("usedAfter", after, out);
        write_map("usedAfterReturn", returned, out);
    }

    /// The published program charges 0 to resources that a mapping names beyond the requests.
    void add_unrequested(GroupAmounts& pod, GroupAmounts& after, GroupAmounts& returned) const {
        for (const Container& container : containers_) {
            for (const auto& [request, resource] : container.allocate_from) {
                if (!core::is_group_resource(request) || !pod.try_emplace(resource, 0).second) {
                    continue;
                }
                const auto known = tree_.find_resource(resource);
                const core::GroupScorer& scorer =
                    known ? *tree_.resource(*known).scorer : core::default_group_scorer(resource);
                Amount& used = after[resource];
                used = scorer.score(0, 0, used, 0, false).node;
                returned[resource] = scorer.returned(used, 0);
            }
        }
    }

    core::GroupRules rules_;
    RequestValue node_;
    GroupAmounts allocatable_;
    GroupAmounts used_;
    core::GroupTree tree_;
    core::GroupStates states_;
    bool exact_ = false;
    bool proven_ = true;
    bool translate_ = false;
    std::vector<Container> containers_;
    const core::GroupState* state_ = nullptr;
    core::GroupPod pod_;
    std::vector<core::GroupReason> lacking_;
    core::GroupFit fit_;
};

/// Answers a request to fit a pod's group resources on a node.
///
/// Shape:  docs/reference/allocate.md; `node`, `pod`, and optionally `translate`, `rules`,
///         `solver`.
/// Errors: RequestError.
std::string answer_group_request(const RequestValue& request) {
    return GroupRequestAnswer(request).answer();
}

std::string allocation_answer(const RequestValue& request) {
    if (request.contains("translation")) {
        return dumped(answer_translation_request(request));
    }
    const RequestValue node = request["node"];
    if (node.contains("allocatable")) {
        return answer_group_request(request);
    }
    if (node.contains("devices")) {
        return dumped(answer_device_request(request));
    }
    throw RequestError(
        "the request is for nothing: expected 'translation', or a 'node' with 'allocatable' or "
        "'devices'");
}

}  // namespace

std::string answer_allocate_request(std::string_view request) {
    return answer_line(request, &allocation_answer);
}

}  // namespace berth::experiments
