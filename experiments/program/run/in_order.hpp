#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/support/unnamed_file.hpp"

namespace berth::experiments {

/// Of the rows of jobs that ended before one that arrived earlier, more than so many bytes go to
/// the disk until it is their turn.
inline constexpr std::size_t waiting_bytes_max = std::size_t{8} << 20;

/// Texts with the numbers 0, 1, 2, ... that come in any order and are taken in that of their
/// numbers. Those whose turn has not come wait in memory and, where they are too many, on the disk:
/// sorted in runs, which are merged as they are taken; the disk has the room of those taken back.
///
/// Cost:   O(log waiting) a text; memory for `memory_max` bytes of texts, 16 bytes beside each, and
///         32 KiB for each run.
/// Errors: those of UnnamedFile.
class InOrder {
public:
    using MakeFile = std::function<std::unique_ptr<UnnamedFile>()>;

    /// `make_file`: makes the file on the disk once it is needed; nullptr: texts stay in memory.
    InOrder(std::size_t memory_max, MakeFile make_file);
    ~InOrder();
    InOrder(const InOrder&) = delete;
    InOrder& operator=(const InOrder&) = delete;

    /// The number whose turn it is.
    [[nodiscard]] std::uint64_t next() const { return next_; }
    /// The text with that number was not put here: it is used at once.
    void pass() { ++next_; }
    void put(std::uint64_t number, std::string_view text);
    /// Takes the text with the next number, if it is here; false: it is not.
    [[nodiscard]] bool take(std::string& text);

private:
    class Run;
    struct Waiting {
        std::uint64_t number = 0;
        std::size_t begin = 0;  ///< In texts_, where its length stands in front of it.
    };
    [[nodiscard]] std::string_view text_of(const Waiting& waiting) const;
    void make_room(std::size_t size);
    void compact();
    void spill();

    std::size_t memory_max_;
    MakeFile make_file_;
    std::uint64_t next_ = 0;
    std::string texts_;             ///< Also of texts that were taken.
    std::size_t live_bytes_ = 0;    ///< Those of texts that still wait.
    std::vector<Waiting> waiting_;  ///< A heap; the least number first.
    std::unique_ptr<UnnamedFile> file_;
    std::vector<std::unique_ptr<Run>> runs_;  ///< A heap in the same order.
};

}  // namespace berth::experiments
