#include "sim/job/label.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace berth::sim {
namespace {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>()(text);
    }
};

/// Some of the texts, with a lock of their own, so that threads seldom wait for each other.
struct Texts {
    std::mutex mutex;
    std::unordered_set<std::string, TextHash, std::equal_to<>> texts;
};

Texts& texts_like(std::string_view text) {
    constexpr std::size_t parts = 64;
    // Never destroyed: labels may be read until the program has ended.
    static auto& all = *new std::array<Texts, parts>;
    return all[TextHash()(text) / (~std::size_t{0} / parts + 1)];
}

}  // namespace

const std::string Label::none;

const std::string* Label::kept(std::string_view text) {
    if (text.empty()) {
        return &none;
    }
    auto& [mutex, texts] = texts_like(text);
    const std::scoped_lock lock(mutex);
    auto at = texts.find(text);
    if (at == texts.end()) {
        at = texts.emplace(text).first;
    }
    return &*at;  // an element stays where it is
}

}  // namespace berth::sim
