#include "experiments/program/run/in_order.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

using Size = std::uint32_t;

template <class Number>
void append_bytes(std::string& out, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof number);
}

template <class Number>
Number number_at(const char* bytes) {
    Number number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

}  // namespace

/// Texts on the disk by ascending number: the number, the length, the text, and so on.
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

    /// What was read is in memory; its room on the disk is for others.
    void give_back() {
        constexpr std::uint64_t much = 1 << 20;
        if (at_ == end_ || at_ - given_back_ >= much) {
            file_.give_back(given_back_, at_ - given_back_);
            // Of a file system's block that was not read to its end the room stays, for now.
            constexpr std::uint64_t block = 1 << 12;
            given_back_ = std::max(given_back_, at_ / block * block);
        }
    }

    const UnnamedFile& file_;
    std::uint64_t given_back_;  ///< To where, from the run's begin.
    std::uint64_t at_;          ///< In the file, behind the block.
    std::uint64_t end_;
    std::string block_;
    std::size_t from_ = 0;  ///< In the block.
    std::uint64_t number_ = 0;
    std::string text_;
};

InOrder::InOrder(std::size_t memory_max, MakeFile make_file)
    : memory_max_(memory_max), make_file_(std::move(make_file)) {}

InOrder::~InOrder() = default;

std::string_view InOrder::text_of(const Waiting& waiting) const {
    const char* const begin = texts_.data() + waiting.begin;
    return {begin + sizeof(Size), number_at<Size>(begin)};
}

void InOrder::put(std::uint64_t number, std::string_view text) {
    BERTH_ASSERT(number >= next_, "each number comes once");
    if (make_file_ && texts_.capacity() < memory_max_) {
        texts_.reserve(memory_max_);  // growing would take up to twice as much
    }
    BERTH_ASSERT(std::in_range<Size>(text.size()), "a text has less than 4 GiB");
    make_room(sizeof(Size) + text.size());
    waiting_.push_back({number, texts_.size()});
    std::ranges::push_heap(waiting_, std::ranges::greater(), &Waiting::number);
    append_bytes(texts_, static_cast<Size>(text.size()));
    texts_ += text;
    live_bytes_ += sizeof(Size) + text.size();
}

bool InOrder::take(std::string& text) {
    if (!waiting_.empty() && waiting_.front().number == next_) {
        text = text_of(waiting_.front());
        live_bytes_ -= sizeof(Size) + text.size();
        std::ranges::pop_heap(waiting_, std::ranges::greater(), &Waiting::number);
        waiting_.pop_back();
        ++next_;
        return true;
    }
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
    ++next_;
    return true;
}

/// Where half of the memory holds texts that were taken, it is enough to leave them out.
void InOrder::make_room(std::size_t size) {
    constexpr std::size_t least = 1 << 16;
    if (texts_.size() + size > std::max(least, 2 * live_bytes_)) {
        compact();
    }
    if (make_file_ && texts_.size() + size > memory_max_ && !waiting_.empty()) {
        spill();
    }
}

/// In place: whoever waits for memory has none for a second copy.
void InOrder::compact() {
    std::ranges::sort(waiting_, {}, &Waiting::begin);
    std::size_t end = 0;
    for (Waiting& waiting : waiting_) {
        const std::size_t size = sizeof(Size) + text_of(waiting).size();
        std::memmove(texts_.data() + end, texts_.data() + waiting.begin, size);
        waiting.begin = std::exchange(end, end + size);
    }
    texts_.resize(end);
    std::ranges::make_heap(waiting_, std::ranges::greater(), &Waiting::number);
}

void InOrder::spill() {
    if (file_ == nullptr) {
        file_ = make_file_();
    }
    std::ranges::sort(waiting_, {}, &Waiting::number);
    std::string run;
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    const auto write = [&] {
        const std::uint64_t at = file_->append(run);
        begin = size == 0 ? at : begin;
        size += run.size();
        run.clear();
    };
    constexpr std::size_t block = 1 << 20;
    for (const Waiting& waiting : waiting_) {
        append_bytes(run, waiting.number);
        run.append(texts_, waiting.begin, sizeof(Size) + text_of(waiting).size());
        if (run.size() > block) {
            write();
        }
    }
    write();
    runs_.push_back(std::make_unique<Run>(*file_, begin, begin + size));
    std::ranges::push_heap(
        runs_, std::ranges::greater(), [](const auto& one) { return one->number(); });
    waiting_.clear();
    texts_.clear();
    live_bytes_ = 0;
}

}  // namespace berth::experiments
