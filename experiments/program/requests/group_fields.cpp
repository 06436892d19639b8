#include "experiments/program/requests/group_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

void check_name(const std::string& name, std::string_view where) {
    const bool part_missing = name.empty() || name.starts_with('/') || name.ends_with('/') ||
                              name.find("//") != std::string::npos;
    const bool blank = std::ranges::any_of(
        name, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
    if (part_missing || blank) {
        throw RequestError(
            fmt::format("{} has the name {}: expected parts joined by '/', none empty, no blanks",
                        where,
                        dumped(name)));
    }
}

template <class Amounts>
Json object_of(const Amounts& amounts) {
    Json out = Json::object();
    // The names are distinct: ordered_json would search for each of them among all before it.
    auto& members = out.get_ref<Json::object_t&>();
    members.reserve(amounts.size());
    for (const auto& [name, amount] : amounts) {
        members.emplace_back(name, amount);
    }
    return out;
}

}  // namespace

core::GroupAmounts group_amounts(const Json& object,
                                 const char* key,
                                 std::string_view where,
                                 bool optional) {
    core::GroupAmounts out;
    if (optional && object.is_object() && (!object.contains(key) || object.at(key).is_null())) {
        return out;
    }
    const Json& amounts = need(object, key, where);
    if (!amounts.is_object()) {
        throw RequestError(
            fmt::format("{} is {}: expected a map of amounts by name", key, shown(amounts)));
    }
    for (const auto& [name, amount] : amounts.items()) {
        check_name(name, key);
        out.emplace_hint(
            out.end(), name, whole(amount, fmt::format("{} '{}'", key, name), INT64_MIN));
    }
    return out;
}

std::int64_t gpu_count(const Json& value, std::string_view where) {
    const core::Amount count = whole(value, where, 0);
    if (count > gpu_count_max) {
        throw RequestError(
            fmt::format("{} is {}: expected at most {}", where, count, gpu_count_max));
    }
    return count;
}

std::int64_t gpu_count_of(const Json& container, const core::GroupAmounts& requests) {
    if (container.contains("gpuCount") && !container.at("gpuCount").is_null()) {
        return gpu_count(container.at("gpuCount"), "gpuCount");
    }
    const auto gpus = requests.find("nvidia.com/gpu");
    return gpus == requests.end() ? 0 : gpu_count(gpus->second, "requests 'nvidia.com/gpu'");
}

Json to_json(const core::GroupAmounts& amounts) {
    return object_of(amounts);
}

Json to_json(const core::GroupAmountList& amounts) {
    return object_of(amounts);
}

}  // namespace berth::experiments
