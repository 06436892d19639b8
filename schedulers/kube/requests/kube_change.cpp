#include "schedulers/kube/requests/kube_change.hpp"

#include <type_traits>
#include <variant>

namespace berth::experiments {
namespace {

namespace kube = core::kube;

Json value_of(const kube::PatchStep& step) {
    return std::visit(
        [](const auto& value) -> Json {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Value, kube::PatchStep::EmptyList>) {
                return Json::array();
            } else if constexpr (std::is_same_v<Value, core::Labels>) {
                Json map = Json::object();
                for (const auto& [key, text] : value) {
                    map[key] = text;
                }
                return map;
            } else {
                return value;
            }
        },
        step.value);
}

Json json_of(const kube::PatchStep& step) {
    Json json{{"op", step.operation}};
    if (!step.from.empty()) {
        json["from"] = step.from;
    }
    json["path"] = step.path;
    if (!std::holds_alternative<std::monostate>(step.value)) {
        json["value"] = value_of(step);
    }
    return json;
}

}  // namespace

void add_change(const kube::ChangeSearch& search, const kube::Pod& pod, Json& answer) {
    answer["change"] = nullptr;
    if (search.change) {
        answer["change"] = search.change->text;
        Json& changes = answer["changes"] = Json::array();
        for (const kube::Patch& patch : search.change->patches) {
            Json steps = Json::array();
            for (const kube::PatchStep& step : patch.steps) {
                steps.push_back(json_of(step));
            }
            const bool is_pod = patch.node.empty();
            changes.push_back({{"kind", is_pod ? "Pod" : "Node"},
                               {"name", is_pod ? pod.name : patch.node},
                               {"patch", std::move(steps)}});
        }
    }
    answer["changesTried"] = search.tried;
}

}  // namespace berth::experiments
