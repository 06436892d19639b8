#include "experiments/program/run/in_order.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

/// The number of consecutive numbers whose texts share a block.
constexpr std::uint64_t block_numbers = 1024;
/// The head of each text in a block: its number within the block, and its length.
using Digits = std::uint16_t;
using Size = std::uint32_t;
constexpr std::size_t head_size = sizeof(Digits) + sizeof(Size);
/// The place of a number without a text.
constexpr std::size_t nowhere = std::string::npos;

template <class Bytes, class Number>
void append_bytes(Bytes& out, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.insert(out.end(), bytes, bytes + sizeof number);
}

template <class Number>
Number number_at(const char* bytes) {
    Number number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

/// Makes room for more bytes. It grows by half, because doubling would take up to twice the memory.
void make_room(std::vector<char>& block, std::size_t more) {
    if (block.capacity() - block.size() < more) {
        block.reserve(block.size() + block.size() / 2 + more);
    }
}

std::string_view text_at(const std::vector<char>& block, std::size_t place) {
    const char* const begin = block.data() + place;
    return {begin + head_size, number_at<Size>(begin + sizeof(Digits))};
}

}  // namespace

/// A sorted run of texts on the disk, by ascending number: a number, a length, a text, and so on.
class InOrder::Run {
public:
    Run(const UnnamedFile& file, std::uint64_t begin, std::uint64_t end)
        : file_(file), given_back_(begin), at_(begin), end_(end) {
        advance();
    }

    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// Goes to the next text, if there is one.
    bool advance() {
        if (at_ == end_ && from_ == block_.size()) {
            return false;
        }
        constexpr std::size_t head = sizeof(std::uint64_t) + sizeof(Size);
        const std::string bytes = take(head);
        number_ = number_at<std::uint64_t>(bytes.data());
        text_ = take(number_at<Size>(bytes.data() + sizeof number_));
        return true;
    }

private:
    [[nodiscard]] std::string take(std::size_t size) {
        std::string out;
        while (out.size() < size) {
            if (from_ == block_.size()) {
                constexpr std::uint64_t block = 1 << 15;
                block_.resize(std::min(block, end_ - at_));
                file_.read(at_, block_);
                at_ += block_.size();
                from_ = 0;
                give_back();
            }
            const std::size_t part = std::min(size - out.size(), block_.size() - from_);
            out.append(block_, from_, part);
            from_ += part;
        }
        return out;
    }

    /// Gives the disk space of everything that was read back to the system.
    void give_back() {
        constexpr std::uint64_t much = 1 << 20;
        if (at_ == end_ || at_ - given_back_ >= much) {
            file_.give_back(given_back_, at_ - given_back_);
            // The space of a file system block that was not read to its end stays for now.
            constexpr std::uint64_t block = 1 << 12;
            given_back_ = std::max(given_back_, at_ / block * block);
        }
    }

    const UnnamedFile& file_;
    std::uint64_t given_back_;  ///< The end of the space that was given back.
    std::uint64_t at_;          ///< The place in the file behind the current block.
    std::uint64_t end_;
    std::string block_;
    std::size_t from_ = 0;  ///< The place in the current block.
    std::uint64_t number_ = 0;
    std::string text_;
};

InOrder::InOrder(std::size_t memory_max, MakeFile make_file)
    : memory_max_(memory_max), make_file_(std::move(make_file)) {}

InOrder::~InOrder() = default;

void InOrder::put(std::uint64_t number, std::string_view text) {
    BERTH_ASSERT(number >= next_, "each number comes once");
    BERTH_ASSERT(std::in_range<Size>(text.size()), "a text has less than 4 GiB");
    const std::size_t size = head_size + text.size();
    if (make_file_ && bytes_ > 0 && bytes_ + size > memory_max_) {
        spill();
    }
    drop_blocks_before(next_ / block_numbers);
    const std::uint64_t at = number / block_numbers - first_block_;
    if (at >= blocks_.size()) {
        blocks_.resize(at + 1);
    }
    Block& block = blocks_[at];
    if (at == 0 && knows_places_) {
        places_[number % block_numbers] = block.size();
    }
    make_room(block, size);
    append_bytes(block, static_cast<Digits>(number % block_numbers));
    append_bytes(block, static_cast<Size>(text.size()));
    block.insert(block.end(), text.begin(), text.end());
    bytes_ += size;
}

bool InOrder::take(std::string& text) {
    if (!take_from_memory(text) && !take_from_runs(text)) {
        return false;
    }
    ++next_;
    return true;
}

bool InOrder::take_from_memory(std::string& text) {
    drop_blocks_before(next_ / block_numbers);
    if (blocks_.empty()) {
        return false;
    }
    if (!knows_places_) {
        find_places(blocks_.front(), places_);
        knows_places_ = true;
    }
    const std::size_t place = places_[next_ % block_numbers];
    if (place == nowhere) {
        return false;
    }
    text = text_at(blocks_.front(), place);
    return true;
}

bool InOrder::take_from_runs(std::string& text) {
    if (runs_.empty() || runs_.front()->number() != next_) {
        return false;
    }
    const auto number = [](const auto& run) { return run->number(); };
    text = runs_.front()->text();
    std::ranges::pop_heap(runs_, std::ranges::greater(), number);
    if (runs_.back()->advance()) {
        std::ranges::push_heap(runs_, std::ranges::greater(), number);
    } else {
        runs_.pop_back();
    }
    return true;
}

/// Drops the blocks before this one, since all their texts have been taken.
void InOrder::drop_blocks_before(std::uint64_t block) {
    while (first_block_ < block) {
        ++first_block_;
        knows_places_ = false;
        if (blocks_.empty()) {
            first_block_ = block;
            return;
        }
        bytes_ -= blocks_.front().size();
        blocks_.pop_front();
    }
}

void InOrder::find_places(const Block& block, Places& places) {
    places.assign(block_numbers, nowhere);
    for (std::size_t place = 0; place < block.size();) {
        places[number_at<Digits>(block.data() + place)] = place;
        place += head_size + text_at(block, place).size();
    }
}

/// Appends all texts in memory that were not taken to the file, as one run.
void InOrder::spill() {
    if (file_ == nullptr) {
        file_ = make_file_();
    }
    std::string run;
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    const auto write = [&] {
        const std::uint64_t at = file_->append(run);
        begin = size == 0 ? at : begin;
        size += run.size();
        run.clear();
    };
    std::uint64_t number = first_block_ * block_numbers;
    for (const Block& block : blocks_) {
        find_places(block, places_);
        for (const std::size_t place : places_) {
            if (place != nowhere && number >= next_) {
                const std::string_view text = text_at(block, place);
                append_bytes(run, number);
                append_bytes(run, static_cast<Size>(text.size()));
                run += text;
            }
            ++number;
        }
        constexpr std::size_t much = 1 << 20;
        if (run.size() > much) {
            write();
        }
    }
    blocks_.clear();
    knows_places_ = false;
    bytes_ = 0;
    if (size + run.size() == 0) {
        return;  // all texts have been taken
    }
    write();
    runs_.push_back(std::make_unique<Run>(*file_, begin, begin + size));
    std::ranges::push_heap(
        runs_, std::ranges::greater(), [](const auto& one) { return one->number(); });
}

}  // namespace berth::experiments
