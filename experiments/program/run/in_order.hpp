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

/// Rows of a job that ended before an earlier arrival wait for their turn. If these rows have more
/// bytes than this, they go to the disk.
inline constexpr std::size_t waiting_bytes_max = std::size_t{8} << 20;

/// Puts texts with the numbers 0, 1, 2, ... into the order of their numbers; they come in any
/// order. A text whose turn has not come waits in memory and, if there are too many, on the disk.
/// There they form runs sorted by number, which are merged as they are taken. The disk space of
/// taken texts is given back.
///
/// Cost:   O(1) for a text that waits in memory, and O(log runs) for one on the disk. Memory:
///       `memory_max` bytes of texts, with 6 bytes beside each, and half as much again; 24 bytes
///       for each 1024 numbers between the next one and the last; 32 KiB for each run.
/// Errors: those of UnnamedFile.
/// Errors: those of UnnamedFile.
class InOrder {
public:
    using MakeFile = std::function<std::unique_ptr<UnnamedFile>()>;

    /// `make_file` makes the file on the disk once it is needed; nullptr: texts stay in memory.
    InOrder(std::size_t memory_max, MakeFile make_file);
    ~InOrder();
    InOrder(const InOrder&) = delete;
    InOrder& operator=(const InOrder&) = delete;

    /// The number of the next text.
    [[nodiscard]] std::uint64_t next() const { return next_; }
    /// Skips the next number: its text was used at once and not put here.
    void pass() { ++next_; }
    void put(std::uint64_t number, std::string_view text);
    /// Takes the text with the next number. Returns false if it is not here.
    [[nodiscard]] bool take(std::string& text);

private:
    class Run;
    using Block = std::vector<char>;
    /// The place of each text in one block, by its number within the block.
    using Places = std::vector<std::size_t>;

    static void find_places(const Block& block, Places& places);
    void drop_blocks_before(std::uint64_t block);
    [[nodiscard]] bool take_from_memory(std::string& text);
    [[nodiscard]] bool take_from_runs(std::string& text);
    void spill();

    std::size_t memory_max_;
    MakeFile make_file_;
    std::uint64_t next_ = 0;
    /// Each block has the texts of 1024 numbers, in the order in which they came. The texts of one
    /// block leave one after the other, and the last of them releases its memory.
    std::deque<Block> blocks_;
    std::uint64_t first_block_ = 0;
    std::size_t bytes_ = 0;  ///< The size of all blocks.
    /// Whether places_ holds the places in the first block, which is the block of next_.
    bool knows_places_ = false;
    Places places_;
    std::unique_ptr<UnnamedFile> file_;
    std::vector<std::unique_ptr<Run>> runs_;  ///< A heap with the least number first.
};

}  // namespace berth::experiments
