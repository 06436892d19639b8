#include "experiments/program/support/parsed_json.hpp"

#include <nlohmann/json.hpp>

namespace berth::experiments {

using nlohmann::ordered_json;

ordered_json parsed_json(std::string_view text) {
    return ordered_json::parse(text);
}

ordered_json parsed_if_json(std::string_view text) {
    return ordered_json::parse(text, nullptr, false);
}

std::string dumped(const ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace berth::experiments
