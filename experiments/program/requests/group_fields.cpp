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

core::GroupAmounts group_amounts(const RequestValue& object,
                                 const char* key,
                                 std::string_view where,
                                 bool optional) {
    core::GroupAmounts out;
    if (optional && object.is_map() && object[key].is_null()) {
        return out;
    }
    const RequestValue amounts = need(object, key, where);
    if (!amounts.is_map()) {
        throw RequestError(
            fmt::format("{} is {}: expected a map of amounts by name", key, shown(amounts)));
    }
    for (auto [name, amount] : amounts.members()) {
        check_name(name, key);
        const auto place = [&, &name = name] { return fmt::format("{} '{}'", key, name); };
        const core::Amount number = whole(amount, place, INT64_MIN);
        out.emplace_hint(out.end(), std::move(name), number);
    }
    return out;
}

namespace {

std::int64_t checked_gpu_count(core::Amount count, std::string_view where) {
    if (count < 0) {
        throw RequestError(
            fmt::format("{} is {}: expected a whole number of at least 0", where, count));
    }
    if (count > gpu_count_max) {
        throw RequestError(
            fmt::format("{} is {}: expected at most {}", where, count, gpu_count_max));
    }
    return count;
}

}  // namespace

std::int64_t gpu_count(const RequestValue& value, std::string_view where) {
    return checked_gpu_count(whole(value, where, 0), where);
}

std::int64_t gpu_count_of(const RequestValue& container, const core::GroupAmounts& requests) {
    if (const RequestValue count = container["gpuCount"]; !count.is_null()) {
        return gpu_count(count, "gpuCount");
    }
    const auto gpus = requests.find("nvidia.com/gpu");
    return gpus == requests.end() ? 0
                                  : checked_gpu_count(gpus->second, "requests 'nvidia.com/gpu'");
}

Json to_json(const core::GroupAmounts& amounts) {
    return object_of(amounts);
}

Json to_json(const core::GroupAmountList& amounts) {
    return object_of(amounts);
}

}  // namespace berth::experiments
