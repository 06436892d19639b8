#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/clock/random.hpp"

namespace berth::workloads {

/// A 64-bit hash of a text, the same on every machine.
[[nodiscard]] inline std::uint64_t fingerprint_of(std::string_view text) {
    std::uint64_t hash = text.size();
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        word = word << 8 | static_cast<unsigned char>(text[i]);
        if (i % 8 == 7 || i + 1 == text.size()) {
            hash = sim::mix(hash, word);
            word = 0;
        }
    }
    return hash;
}

/// The texts that have been seen, by their fingerprints alone. Among ten million distinct texts,
/// the probability that two are taken for one is 3 in a million.
///
/// Cost: 11 to 21 bytes for each text.
class FingerprintSet {
public:
    /// Returns whether the fingerprint is new.
    bool insert(std::uint64_t fingerprint) {
        fingerprint += fingerprint == empty ? 1 : 0;
        if (4 * (size_ + 1) > 3 * slots_.size()) {
            grow();
        }
        std::uint64_t& slot = slot_of(fingerprint);
        if (slot == fingerprint) {
            return false;
        }
        slot = fingerprint;
        ++size_;
        return true;
    }

private:
    static constexpr std::uint64_t empty = 0;

    /// The slot that holds the fingerprint, or in which it belongs.
    std::uint64_t& slot_of(std::uint64_t fingerprint) {
        std::size_t at = fingerprint & (slots_.size() - 1);
        while (slots_[at] != empty && slots_[at] != fingerprint) {
            at = (at + 1) & (slots_.size() - 1);
        }
        return slots_[at];
    }
    void grow() {
        const std::vector<std::uint64_t> before = std::move(slots_);
        slots_.assign(before.empty() ? 1024 : 2 * before.size(), empty);
        for (const std::uint64_t fingerprint : before) {
            if (fingerprint != empty) {
                slot_of(fingerprint) = fingerprint;
            }
        }
    }

    std::vector<std::uint64_t> slots_;  ///< Their number is a power of two; at most three quarters
                                        ///< are in use.
    std::size_t size_ = 0;
};

}  // namespace berth::workloads
