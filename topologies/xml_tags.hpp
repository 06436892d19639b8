#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::topologies {

/// The tags of an XML text, one by one, each with the text before it. It knows as much of XML as
/// files have that programs write: no document types, no sections of characters, no names of
/// characters but the five of XML itself. A text with more than that, or that is no XML, is not
/// plain, and ends there.
///
/// Cost: memory for a block and the longest tag.
class XmlTags {
public:
    explicit XmlTags(std::istream& in) : in_(in), buffer_(block) {}

    /// Goes to the next tag; declarations and comments are passed over. Returns false at the end.
    [[nodiscard]] bool next();
    /// Whether all was plain so far. Texts are then what they say; of others nothing is known.
    [[nodiscard]] bool is_plain() const { return plain_; }

    /// Of the tag, until the next one: `node` of `<node id="n0">`, `</node>` and `<node/>`.
    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] bool closes() const { return closes_; }
    [[nodiscard]] bool is_empty() const { return empty_; }  ///< `<node/>`.
    /// The attribute's value; nothing if there is none.
    [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name);
    /// The text before the tag, without blanks around it.
    [[nodiscard]] std::string_view text();

private:
    static constexpr std::size_t block = std::size_t{1} << 18U;

    /// Where `wanted` begins behind `from`, both counted from begin_; npos at the end.
    std::size_t find(std::string_view wanted, std::size_t from);
    /// The end of a tag that begins at `from`, behind its `>`; npos: there is none.
    std::size_t find_tag_end(std::size_t from);
    bool refill();
    void split(std::string_view tag);
    void split_attributes(std::string_view text);
    /// What is written, with the characters that stand by name.
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
    std::vector<std::pair<std::string_view, std::string_view>> attributes_;  ///< As written.
    bool closes_ = false;
    bool empty_ = false;
    std::string decoded_attribute_;
    std::string decoded_text_;
};

}  // namespace berth::topologies
