#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {

using core::Value;

const Value* value_below(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* at = &value;
    for (const std::string_view key : keys) {
        at = at != nullptr && at->is_map() ? at->find(key) : nullptr;
    }
    return at;
}

std::string text_below(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* found = value_below(value, keys);
    return found != nullptr && found->is_scalar() ? found->text : std::string();
}

}  // namespace berth::experiments
