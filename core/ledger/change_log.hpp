#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// Which servers changed, in order. Each change has an ever-growing number, and the last changes
/// are remembered.
class ChangeLog {
public:
    /// Remembers at least `size` changes; `size` is not 0.
    explicit ChangeLog(std::size_t size) : log_(std::bit_ceil(size)), mask_(log_.size() - 1) {
        BERTH_ASSERT(size > 0, "a log remembers something");
    }

    void add(ServerId server) {
        log_[sequence_ & mask_] = server;
        if (server.index >= last_.size()) {
            last_.resize(std::bit_ceil(std::size_t{server.index} + 1));
        }
        last_[server.index] = sequence_++;
    }
    /// The number of changes so far.
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
    /// Whether the changes since `sequence` are still in the log. If not, the caller has to look at
    /// all servers.
    [[nodiscard]] bool remembers(std::uint64_t sequence) const {
        BERTH_ASSERT(sequence <= sequence_, "nobody has read changes that are to come");
        return sequence_ - sequence <= log_.size();
    }
    /// The server that the change with this number concerns.
    [[nodiscard]] ServerId changed(std::uint64_t sequence) const {
        BERTH_AUDIT(sequence < sequence_ && remembers(sequence),
                    "a change is read while it is kept");
        return log_[sequence & mask_];
    }

    /// Whether no later change concerns the same server.
    [[nodiscard]] bool is_last_of_its_server(std::uint64_t sequence) const {
        return last_[changed(sequence).index] == sequence;
    }
    /// Calls `visit` with each server that changed since `sequence`, once each, in the order of
    /// their last changes. `visit` must not change the log.
    template <class Visit>
    void each_since(std::uint64_t sequence, Visit visit) const {
        BERTH_ASSERT(remembers(sequence), "changes are read while they are kept");
        // Copies, since for all a compiler knows whatever `visit` writes could be part of the log.
        const ServerId* const ring = log_.data();
        const std::uint64_t* const last = last_.data();
        const std::uint64_t mask = mask_;
        const std::uint64_t end = sequence_;
        for (std::uint64_t at = sequence; at < end; ++at) {
            if (const ServerId server = ring[at & mask]; last[server.index] == at) {
                visit(server);
            }
        }
    }

private:
    std::vector<ServerId> log_;        ///< A ring; its size is a power of two.
    std::uint64_t mask_;               ///< The size of the ring, less one.
    std::vector<std::uint64_t> last_;  ///< For each server, the number of its last change.
    std::uint64_t sequence_ = 0;
};

/// A position in a log up to which it has been read. At first this is the end of the log.
class ChangeReader {
public:
    /// `log` outlives the reader; nullptr: nothing ever changes.
    explicit ChangeReader(const ChangeLog* log) : log_(log) { skip(); }

    /// Whether some changes are no longer in the log. The caller then has to look at all servers
    /// and call skip().
    [[nodiscard]] bool has_missed() const { return log_ != nullptr && !log_->remembers(sequence_); }
    void skip() { sequence_ = log_ != nullptr ? log_->sequence() : 0; }
    /// The next server that changed. Each server comes once, however often it changed; nothing when
    /// all changes are read.
    [[nodiscard]] std::optional<ServerId> next() {
        while (log_ != nullptr && sequence_ < log_->sequence()) {
            if (log_->is_last_of_its_server(sequence_++)) {
                return log_->changed(sequence_ - 1);
            }
        }
        return std::nullopt;
    }
    /// Calls `visit` with each server that next() would return.
    template <class Visit>
    void each(Visit visit) {
        if (log_ != nullptr) {
            log_->each_since(sequence_, visit);
            skip();
        }
    }

private:
    const ChangeLog* log_;
    std::uint64_t sequence_ = 0;
};

}  // namespace berth::core
