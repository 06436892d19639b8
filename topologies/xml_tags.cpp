#include "topologies/xml_tags.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace berth::topologies {
namespace {

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool is_name(std::string_view text) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == ':';
    };
    return !text.empty() && std::ranges::all_of(text, is_letter);
}

}  // namespace

bool XmlTags::next() {
    while (true) {
        const std::size_t open = find("<", 0);
        if (open == std::string_view::npos) {
            plain_ = plain_ && trimmed(ahead()).empty();
            return false;
        }
        constexpr std::size_t mark_length = 6;  // `<?xml `
        while (ahead().size() < open + mark_length && refill()) {
        }
        const std::string_view tag = ahead().substr(open);
        const bool comment = tag.starts_with("<!--");
        const bool declaration = tag.starts_with("<?xml ");
        if (comment || declaration) {
            const std::string_view mark = comment ? "-->" : "?>";
            const std::size_t end = find(mark, open + 4);
            plain_ =
                plain_ && end != std::string_view::npos && trimmed(ahead().substr(0, open)).empty();
            if (!plain_) {
                return false;
            }
            begin_ += end + mark.size();
            continue;
        }
        const std::size_t end = find_tag_end(open);
        if (end == std::string_view::npos) {
            plain_ = false;
            return false;
        }
        before_ = ahead().substr(0, open);
        split(ahead().substr(open + 1, end - open - 2));
        begin_ += end;
        return plain_;
    }
}

std::size_t XmlTags::find(std::string_view wanted, std::size_t from) {
    while (true) {
        const std::size_t found = ahead().find(wanted, from);
        if (found != std::string_view::npos) {
            return found;
        }
        const std::size_t known = ahead().size();
        if (!refill()) {
            return std::string_view::npos;
        }
        from = std::max(from, known < wanted.size() ? 0 : known - wanted.size() + 1);
    }
}

std::size_t XmlTags::find_tag_end(std::size_t from) {
    char quote = '\0';
    std::size_t at = from;
    do {
        for (const std::string_view text = ahead(); at < text.size(); ++at) {
            const char c = text[at];
            if (quote != '\0') {
                quote = c == quote ? '\0' : quote;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '>') {
                return at + 1;
            }
        }
    } while (refill());
    return std::string_view::npos;
}

bool XmlTags::refill() {
    constexpr std::size_t tag_max = std::size_t{1} << 26U;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    if (end_ > tag_max) {
        return false;
    }
    buffer_.resize(std::max(buffer_.size(), end_ + block));
    const auto got = in_.rdbuf()->sgetn(buffer_.data() + end_,
                                        static_cast<std::streamsize>(buffer_.size() - end_));
    end_ += static_cast<std::size_t>(got);
    return got > 0;
}

void XmlTags::split(std::string_view tag) {
    closes_ = tag.starts_with('/');
    tag.remove_prefix(closes_ ? 1 : 0);
    empty_ = tag.ends_with('/');
    tag.remove_suffix(empty_ ? 1 : 0);
    const auto end = static_cast<std::size_t>(std::ranges::find_if(tag, is_blank) - tag.begin());
    name_ = tag.substr(0, end);
    attributes_.clear();
    plain_ = plain_ && is_name(name_) && !(closes_ && empty_);
    split_attributes(trimmed(tag.substr(end)));
    plain_ = plain_ && !(closes_ && !attributes_.empty());
}

void XmlTags::split_attributes(std::string_view text) {
    while (!text.empty()) {
        const std::size_t equals = std::min(text.find('='), text.size() - 1);
        const std::string_view name = trimmed(text.substr(0, equals));
        text = trimmed(text.substr(equals + 1));
        const char quote = text.empty() ? '\0' : text.front();
        const std::size_t end = text.find(quote, 1);
        const bool quoted = (quote == '"' || quote == '\'') && end != std::string_view::npos;
        if (!quoted || !is_name(name) ||
            std::ranges::find(attributes_, name, &decltype(attributes_)::value_type::first) !=
                attributes_.end()) {
            plain_ = false;
            return;
        }
        attributes_.emplace_back(name, text.substr(1, end - 1));
        text = trimmed(text.substr(end + 1));
    }
}

std::optional<std::string_view> XmlTags::attribute(std::string_view name) {
    const auto found =
        std::ranges::find(attributes_, name, &decltype(attributes_)::value_type::first);
    return found == attributes_.end() ? std::nullopt
                                      : std::optional(decoded(found->second, decoded_attribute_));
}

std::string_view XmlTags::text() {
    const std::string_view text = trimmed(before_);
    // Readers differ in how they treat runs of blanks and line ends within a text.
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool blank = text[i] == ' ';
        plain_ =
            plain_ && static_cast<unsigned char>(text[i]) >= ' ' && !(blank && text[i + 1] == ' ');
    }
    return decoded(text, decoded_text_);
}

std::string_view XmlTags::decoded(std::string_view written, std::string& room) {
    if (written.find('&') == std::string_view::npos) {
        return written;
    }
    constexpr std::array<std::pair<std::string_view, char>, 5> names{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    room.clear();
    while (!written.empty()) {
        const std::size_t plain = std::min(written.find('&'), written.size());
        room += written.substr(0, plain);
        written.remove_prefix(plain);
        if (written.empty()) {
            break;
        }
        const auto* const named = std::ranges::find_if(
            names, [&](const auto& each) { return written.starts_with(each.first); });
        if (named == names.end()) {
            plain_ = false;
            return room;
        }
        room += named->second;
        written.remove_prefix(named->first.size());
    }
    return room;
}

}  // namespace berth::topologies
