#include "workloads/trace/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/support/csv_record.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/packed_stream.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

/// Whether a text is in ASCII. All of a trace is looked at, so 32 bytes are taken together.
bool is_ascii(std::string_view text) {
    std::uint64_t bits = 0;
    std::array<std::uint64_t, 4> words{};
    for (; text.size() >= sizeof words; text.remove_prefix(sizeof words)) {
        std::memcpy(words.data(), text.data(), sizeof words);
        bits |= (words[0] | words[1]) | (words[2] | words[3]);
    }
    for (const char c : text) {
        bits |= static_cast<unsigned char>(c);
    }
    return (bits & 0x8080'8080'8080'8080) == 0;
}

}  // namespace

std::vector<std::string> names_in(std::string_view header, char delimiter) {
    core::CsvRecord record({delimiter, true});
    if (record.split(header)) {  // a quote that does not end belongs to a text
        record = core::CsvRecord({delimiter, false});
        (void)record.split(header);
    }
    std::vector<std::string> names;
    for (const core::CsvField& field : record.fields()) {
        names.emplace_back(core::trimmed(field.text));
    }
    return names;
}

char delimiter_of(std::string_view header, char usual) {
    constexpr std::size_t header_bytes_max = std::size_t{1} << 16U;
    if (header.size() > header_bytes_max) {
        return usual;  // too long for a real header, and slow to split five times
    }
    char best = usual;
    std::size_t most = names_in(header, usual).size();
    for (const char other : {',', ';', '\t', '|'}) {
        if (const std::size_t count = names_in(header, other).size(); count > most) {
            best = other;
            most = count;
        }
    }
    return best;
}

std::string described_delimiter(char delimiter) {
    return delimiter == '\t' ? "tabs" : fmt::format("'{}'", delimiter);
}

bool TextBlocks::begins_with(char c) {
    try {
        return in_->rdbuf()->sgetc() == std::istream::traits_type::to_int_type(c);
    } catch (const std::exception& /*error*/) {
        return false;
    }
}

std::size_t TextBlocks::read(char* to, std::size_t size) {
    // The text is read in pieces, because a piece that was read before a failure still counts.
    constexpr std::size_t piece_bytes = std::size_t{1} << 14U;
    std::size_t count = 0;
    while (count < size && failure_.empty()) {
        const std::size_t piece = std::min(piece_bytes, size - count);
        try {
            const std::streamsize got =
                in_->rdbuf()->sgetn(to + count, static_cast<std::streamsize>(piece));
            if (got <= 0) {
                return count;
            }
            const std::string_view text(to + count, static_cast<std::size_t>(got));
            *beyond_ascii_ = *beyond_ascii_ || !is_ascii(text);
            count += text.size();
        } catch (const core::DamagedFile& error) {
            failure_ = error.what();
        } catch (const core::ReadError& error) {
            failure_ = unreadable(error.code().message());
        } catch (const std::exception& error) {
            failure_ = unreadable(error.what());
        }
    }
    if (count == 0 && !failure_.empty()) {
        throw CutShort(failure_);
    }
    return count;
}

std::string TextBlocks::unreadable(std::string_view why) const {
    return fmt::format(
        "{}: error: cannot be read to its end ({}): expected a whole file", file_, why);
}

}  // namespace berth::workloads
