#include "experiments/program/report/page_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace berth::report {

using Json = nlohmann::ordered_json;

Json rounded(double value) {
    if (!std::isfinite(value)) {
        return nullptr;
    }
    if (value == std::floor(value) && std::abs(value) < 9e15) {
        return static_cast<std::int64_t>(value);
    }
    const std::string text = fmt::format("{:.6g}", value);
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

Json rounded(const std::optional<double>& value) {
    return value ? rounded(*value) : Json(nullptr);
}

Json rounded_list(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(rounded(value));
    }
    return list;
}

Json folded(const std::vector<double>& values) {
    if (values.empty()) {
        return Json::array();
    }
    const bool none = std::ranges::all_of(values, [](double v) { return std::isnan(v); });
    const bool equal = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
    return none || equal ? rounded(values.front()) : rounded_list(values);
}

}  // namespace berth::report
