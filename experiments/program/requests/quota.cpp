#include "experiments/program/requests/quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/elastic_quota/quota_names.hpp"
#include "core/elastic_quota/water_filling.hpp"
#include "experiments/program/requests/quota_trees.hpp"

namespace berth::experiments {
namespace {

using core::QuotaId;
using core::QuotaTrees;

Json describe(QuotaRequestTrees& request, QuotaId quota) {
    QuotaTrees& trees = request.trees();
    const auto amounts = [&](auto amount) {
        return request.object(
            [&](std::size_t r) { return std::optional<core::Amount>(amount(r)); });
    };
    Json out{{"request", amounts([&](std::size_t r) { return trees.request(quota, r); })},
             {"used", amounts([&](std::size_t r) { return trees.used(quota, r); })}};
    if (trees.is_root(quota) || trees.is_special(quota)) {
        return out;
    }
    out["childRequest"] = amounts([&](std::size_t r) { return trees.child_request(quota, r); });
    out["limitRequest"] = amounts([&](std::size_t r) { return trees.limited_request(quota, r); });
    out["autoScaleMin"] = amounts([&](std::size_t r) { return trees.scaled_min(quota, r); });
    out["sharedWeight"] = amounts([&](std::size_t r) { return trees.weight(quota, r); });
    out["runtime"] = request.object([&](std::size_t r) { return trees.runtime(quota, r); });
    return out;
}

Json answer_runtime(const Json& json) {
    QuotaRequestTrees request(json);
    QuotaTrees& trees = request.trees();
    Json quotas = Json::object();
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        const QuotaId quota{i};
        const Json answer = describe(request, quota);
        const bool silent =
            trees.is_special(quota) &&
            std::ranges::all_of(answer["request"], [](const Json& amount) { return amount == 0; });
        if (!silent) {
            quotas[trees.name(quota)] = answer;
        }
    }
    Json totals = Json::object();
    for (const QuotaId root : trees.roots()) {
        const std::string& id = trees.spec(root).tree_id;
        const core::ResourceList total = trees.total(root);
        totals[id.empty() ? core::root_quota_name : id] = request.object(
            [&](std::size_t r) { return total.has(r) ? std::optional(total[r]) : std::nullopt; });
    }
    return {{"quotas", std::move(quotas)}, {"treeTotal", std::move(totals)}};
}

Json answer_redistribute(const Json& request) {
    struct Node {
        std::string name;
        core::Share share;
    };
    std::vector<Node> nodes;
    for (const Json& node : need(request, "nodes", "the request")) {
        Node out;
        out.name = text(need(node, "Name", "a node"), "Name");
        const auto amount = [&](const char* key) {
            return node.contains(key) ? whole(node.at(key), key, INT64_MIN) : 0;
        };
        out.share.request = amount("Request");
        out.share.weight = amount("SharedWeight");
        out.share.min = std::max(amount("Min"), amount("Guarantee"));
        out.share.lent = boolean(node, "Lent", true);
        nodes.push_back(std::move(out));
    }
    std::ranges::sort(nodes, {}, &Node::name);
    std::vector<core::Share> shares;
    for (const Node& node : nodes) {
        shares.push_back(node.share);
    }
    core::WaterFilling().share(whole(need(request, "total", "the request"), "total", INT64_MIN),
                               shares);
    Json runtime = Json::object();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        runtime[nodes[i].name] = shares[i].runtime;
    }
    return {{"runtime", std::move(runtime)}};
}

Json answer(const Json& request) {
    (void)need(request, "kind", "the request");
    constexpr std::array answers{
        &answer_runtime, &answer_redistribute, &answer_quota_admission, &answer_quota_validation};
    return answers[choice(request, "kind", {"runtime", "redistribute", "admission", "validation"})](
        request);
}

}  // namespace

std::string answer_quota_request(std::string_view request) {
    return answer_line(request, &answer);
}

}  // namespace berth::experiments
