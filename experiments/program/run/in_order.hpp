#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// Of the rows of jobs that ended before one that arrived earlier, more than so many bytes go to
/// the disk until it is their turn.
inline constexpr std::size_t waiting_bytes_max = std::size_t{8} << 20;

/// Texts with the numbers 0, 1, 2, ... that come in any order and are taken in that of their
/// numbers. Those whose turn has not come wait in memory and, where they are too many, on the
/// disk: in runs by number, which are merged as they are taken; the disk has the room of those
/// taken back.
///
/// Cost:   O(1) a text that waits in memory, and O(log runs) one on the disk; memory for
///         `memory_max` bytes of texts with 6 bytes beside each, and for half as much again, 24
///         bytes for each 1024 numbers between the next and the last, and 32 KiB for each run.
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
    using Block = std::vector<char>;
    /// Where the texts of one block are in it, by the last digits of their numbers.
    using Places = std::vector<std::size_t>;

    static void find_places(const Block& block, Places& places);
    void drop_blocks_before(std::uint64_t block);
    [[nodiscard]] bool take_from_memory(std::string& text);
    [[nodiscard]] bool take_from_runs(std::string& text);
    void spill();

    std::size_t memory_max_;
    MakeFile make_file_;
    std::uint64_t next_ = 0;
    /// The texts of 1024 numbers each, one after the other as they came: those of one block leave
    /// one after the other, and its memory with the last of them.
    std::deque<Block> blocks_;
    std::uint64_t first_block_ = 0;
    std::size_t bytes_ = 0;      ///< In all blocks.
    bool knows_places_ = false;  ///< Of the texts in the first block, which is that of next_.
    Places places_;
    std::unique_ptr<UnnamedFile> file_;
    std::vector<std::unique_ptr<Run>> runs_;  ///< A heap; the least number first.
};

}  // namespace berth::experiments
