#include "experiments/program/support/document_parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <new>
#include <string_view>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/json_text.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/yaml_values.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

using core::JsonText;
using core::Value;
using Source = std::shared_ptr<const core::SourceText>;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Thrown if the document has to be read as a whole; always caught here.
struct ReadWhole {};

/// Counts the line ends in a text. It works in blocks of a constant length, so that the compiler
/// can compare many bytes at once.
int count_line_ends(std::string_view text) {
    constexpr std::size_t block = 64;
    int count = 0;
    for (; text.size() >= block; text.remove_prefix(block)) {
        std::array<char, block> bytes{};
        std::memcpy(bytes.data(), text.data(), block);
        unsigned char ends = 0;
        for (const char byte : bytes) {
            ends = static_cast<unsigned char>(ends + (byte == '\n' ? 1 : 0));
        }
        count += ends;
    }
    return count + static_cast<int>(std::ranges::count(text, '\n'));
}

/// Goes through a JSON text value by value. Only a block and the current value are in memory.
class JsonCursor {
public:
    JsonCursor(Source source, std::size_t block_bytes)
        : source_(std::move(source)),
          in_(workloads::open_text(source_->name)),
          block_bytes_(block_bytes) {
        refill();
        begin_ = ahead().starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    }

    /// The next byte that is not blank, without taking it; -1 at the end of the text.
    int peek() {
        while (true) {
            const std::size_t found =
                std::min(ahead().find_first_not_of(" \t\r\n"), ahead().size());
            pass(found);
            if (begin_ < end_) {
                return static_cast<unsigned char>(buffer_[begin_]);
            }
            if (!refill()) {
                return -1;
            }
        }
    }
    void need(char c) {
        if (peek() != c) {
            throw ReadWhole();
        }
        pass(1);
    }
    /// Reads the next value, which lies within `depth` others.
    Value value(std::size_t depth, const std::vector<WantedKeys>& wanted) {
        (void)peek();
        while (true) {
            // A value at the end of the block may continue in the next one: 12 may be the beginning
            // of 123.
            const auto length = json_.parse_first(ahead(), depth);
            if (length && (*length < ahead().size() || ended_)) {
                JsonValues values(source_, json_, ahead().substr(0, *length), line_, column_);
                Value value = values.value(wanted);
                pass(*length);
                return value;
            }
            if (ahead().size() > value_max || !refill()) {
                throw ReadWhole();
            }
        }
    }
    /// The place of the map or list that comes next.
    [[nodiscard]] core::SourceSpan here() const { return {source_, line_, column_, 1}; }

private:
    static constexpr std::size_t value_max = std::size_t{1} << 28U;

    [[nodiscard]] std::string_view ahead() const {
        return {buffer_.data() + begin_, end_ - begin_};
    }

    /// Reads another block behind the text at hand. Returns false at the end of the text.
    bool refill() {
        if (ended_) {
            return false;
        }
        if (begin_ > 0) {  // otherwise it is in its place, or nothing was read yet
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        }
        end_ -= begin_;
        begin_ = 0;
        // A larger value is read in pieces that keep growing, because each time it is parsed from
        // its beginning.
        const std::size_t wanted = std::max(block_bytes_, end_);
        buffer_.resize(std::max(buffer_.size(), end_ + wanted));
        const auto got =
            in_->rdbuf()->sgetn(buffer_.data() + end_, static_cast<std::streamsize>(wanted));
        end_ += static_cast<std::size_t>(got);
        size_ += static_cast<std::size_t>(got);
        ended_ = static_cast<std::size_t>(got) < wanted;
        check_document_size(source_->name, size_);
        return got > 0;
    }

    void pass(std::size_t count) {
        const std::string_view passed = ahead().substr(0, count);
        const std::size_t last_break = passed.rfind('\n');
        if (last_break == std::string_view::npos) {
            column_ += static_cast<int>(count);
        } else {
            line_ += count_line_ends(passed);
            column_ = static_cast<int>(count - last_break);
        }
        begin_ += count;
    }

    Source source_;
    std::unique_ptr<std::istream> in_;
    std::size_t block_bytes_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t size_ = 0;  ///< Bytes of the text read so far.
    bool ended_ = false;
    int line_ = 1;  ///< Line of the next byte.
    int column_ = 1;
    JsonText json_;
};

class PartsReader {
public:
    PartsReader(JsonCursor& cursor, const std::vector<LongList>& lists)
        : cursor_(cursor), lists_(lists) {}

    Value document() {
        Value root = value({});
        if (cursor_.peek() != -1) {
            throw ReadWhole();
        }
        return root;
    }

private:
    Value value(const Value& around) {
        const int c = cursor_.peek();
        const auto is_long = [&](const LongList& list) { return list.path == path_; };
        const auto has_long = [&](const LongList& list) {
            return list.path.size() > path_.size() &&
                   std::equal(path_.begin(), path_.end(), list.path.begin());
        };
        if (const auto list = std::ranges::find_if(lists_, is_long);
            c == '[' && list != lists_.end()) {
            return long_list(*list, around);
        }
        return c == '{' && std::ranges::any_of(lists_, has_long) ? map()
                                                                 : cursor_.value(path_.size(), {});
    }

    Value map() {
        Value map;
        map.kind = Value::Kind::map;
        map.span = cursor_.here();
        cursor_.need('{');
        while (cursor_.peek() != '}') {
            if (!map.members.empty()) {
                cursor_.need(',');
            }
            if (cursor_.peek() != '"') {
                throw ReadWhole();
            }
            Value key = cursor_.value(path_.size(), {});
            cursor_.need(':');
            path_.push_back(key.text);
            Value below = value(map);
            path_.pop_back();
            map.members.push_back({std::move(key.text), key.span, std::move(below)});
        }
        cursor_.need('}');
        reject_duplicate_keys(map);
        return map;
    }

    Value long_list(const LongList& list, const Value& around) {
        Value out;
        out.kind = Value::Kind::list;
        out.span = cursor_.here();
        cursor_.need('[');
        for (bool first = true; cursor_.peek() != ']'; first = false) {
            if (!first) {
                cursor_.need(',');
            }
            if (!list.take(cursor_.value(path_.size() + 1, list.wanted), around)) {
                throw ReadWhole();
            }
        }
        cursor_.need(']');
        return out;
    }

    JsonCursor& cursor_;
    const std::vector<LongList>& lists_;
    std::vector<std::string> path_;  ///< The keys that lead to the cursor.
};

}  // namespace

DocumentParts::DocumentParts(const std::filesystem::path& file, std::size_t block_bytes)
    : file_(file.string()),
      block_bytes_(block_bytes),
      source_(std::make_shared<core::SourceText>()) {
    source_->name = file_;
}

std::optional<Value> DocumentParts::read(const std::vector<LongList>& lists) {
    if (!core::is_file(file_)) {  // a pipe can be read only once
        return std::nullopt;
    }
    try {
        JsonCursor cursor(source_, block_bytes_);
        const int first = cursor.peek();
        if (first != '{' && first != '[') {
            return std::nullopt;
        }
        return PartsReader(cursor, lists).document();
    } catch (const core::ReadError&) {
        throw;  // an error of the disk, not of its content
    } catch (const std::bad_alloc&) {
        throw;  // an error of the machine, not of the file
    } catch (const ReadWhole&) {
        return std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;  // parse_documents() then says what is wrong, and where
    }
}

void DocumentParts::keep_lines(int count) {
    const auto in = workloads::open_text(file_);
    std::string line;
    for (int at = 0; at < count && std::getline(*in, line); ++at) {
        source_->text += line;
        source_->text += '\n';
    }
    if (source_->text.starts_with(byte_order_mark)) {
        source_->text.erase(0, byte_order_mark.size());
    }
}

}  // namespace berth::experiments
