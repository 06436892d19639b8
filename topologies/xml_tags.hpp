#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::topologies {

/// The tags of an XML text, one by one, each with the text before it. It supports as much of XML as
/// is found in files that programs write: no document types, no CDATA sections, and no character
/// entities except the five of XML itself. A text with more than that, or one that is no XML, is
/// not plain, and reading ends there.
///
/// Cost: memory for a block and the longest tag.
class XmlTags {
public:
    explicit XmlTags(std::istream& in) : in_(in), buffer_(block) {}

    /// Goes to the next tag, skipping declarations and comments. Returns false at the end.
    [[nodiscard]] bool next();
    /// Whether everything was plain so far. Only then is what the text says known.
    [[nodiscard]] bool is_plain() const { return plain_; }

    /// The name of the tag, valid until the next tag: `node` for `<node id="n0">`, `</node>` and
    /// `<node/>`.
    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] bool closes() const { return closes_; }
    [[nodiscard]] bool is_empty() const { return empty_; }  ///< Such as `<node/>`.
    /// The value of an attribute; nothing if the tag does not have it.
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name);
    /// The text before the tag, without the blanks around it.
    [[nodiscard]] std::string_view text();

private:
    static constexpr std::size_t block = std::size_t{1} << 18U;

    /// Where `wanted` begins behind `from`, both as offsets from begin_; npos if it is not found.
    std::size_t find(std::string_view wanted, std::size_t from);
    /// The place behind the `>` of a tag that begins at `from`; npos if there is none.
    std::size_t find_tag_end(std::size_t from);
    bool refill();
    void split(std::string_view tag);
    void split_attributes(std::string_view text);
    /// The written text with its entities replaced.
    std::string_view decoded(std::string_view written, std::string& room);
    [[nodiscard]] std::string_view ahead() const {
        return {buffer_.data() + begin_, end_ - begin_};
    }

    std::istream& in_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool plain_ = true;
    std::string_view before_;
    std::string_view name_;
    std::vector<std::pair<std::string_view, std::string_view>> attributes_;  ///< Not decoded.
    bool closes_ = false;
    bool empty_ = false;
    std::string decoded_attribute_;
    std::string decoded_text_;
};

}  // namespace berth::topologies
