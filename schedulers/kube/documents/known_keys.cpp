#include "schedulers/kube/documents/known_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

void check_below(const Value& value, const KnownKey& key, Diagnostics& diagnostics) {
    switch (key.below) {
        case KnownKey::Below::map:
            check_keys(value, *key.keys, diagnostics);
            break;
        case KnownKey::Below::list_of_maps:
            check_list(value, *key.keys, diagnostics);
            break;
        case KnownKey::Below::whole_number:
            static_cast<void>(core::read_integer(value, diagnostics, key.least, key.most));
            break;
        case KnownKey::Below::anything:
            break;
    }
}

}  // namespace

const Value* stated_below(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* found = value_below(value, keys);
    return found == nullptr || found->kind == Value::Kind::null ? nullptr : found;
}

void check_keys(const Value& map, const KnownKeys& known, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    core::MapReader reader(map, std::string(known.what), diagnostics);
    const auto none = std::ranges::find(known.keys, "", &KnownKey::name);
    const std::span<const KnownKey> keys(known.keys.begin(), none);
    for (const KnownKey& key : keys) {
        static_cast<void>(reader.take(std::string(key.name)));
    }
    reader.report_unknown_keys();
    const bool all_known = diagnostics.error_count() == errors;
    for (const KnownKey& key : keys) {
        const std::string name(key.name);
        const Value* below = key.is_needed && all_known ? reader.need(name) : reader.take(name);
        if (below != nullptr) {
            check_below(*below, key, diagnostics);
        }
    }
}

void check_list(const Value& list, const KnownKeys& known, Diagnostics& diagnostics) {
    if (!list.is_list()) {
        core::expected(
            list, fmt::format("a list, of which each entry is {}", known.what), diagnostics);
    }
    for (const Value& item : list.items) {
        check_keys(item, known, diagnostics);
    }
}

}  // namespace berth::experiments
