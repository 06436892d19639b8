#include "sim/job/label.hpp"

#include <pthread.h>

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

constexpr std::size_t parts = 32;

/// All texts. During a fork, the forking thread holds all locks: a copy of the process that another
/// thread left with a lock held would wait for it forever.
struct AllTexts : std::array<Texts, parts> {
    AllTexts();
};

AllTexts& all_texts() {
    // Never destroyed: labels may be read until the program has ended.
    static auto& all = *new AllTexts;
    return all;
}

AllTexts::AllTexts() {
    const auto lock = [] {
        for (Texts& some : all_texts()) {
            some.mutex.lock();
        }
    };
    const auto unlock = [] {
        for (Texts& some : all_texts()) {
            some.mutex.unlock();
        }
    };
    ::pthread_atfork(lock, unlock, unlock);
}

Texts& texts_like(std::string_view text) {
    return all_texts()[TextHash()(text) / (~std::size_t{0} / parts + 1)];
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
