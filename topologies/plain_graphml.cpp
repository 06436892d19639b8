#include "topologies/plain_graphml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topologies/xml_tags.hpp"

namespace berth::topologies {
namespace {

/// Thrown where the graph library has to read the file; nobody sees it.
struct NotPlain {};

void require(bool plain) {
    if (!plain) {
        throw NotPlain();
    }
}

/// Whether a value of this type is for everybody the text that is written. Other numbers are
/// written anew by those who read them as numbers: 1.50 is 1.5.
bool is_as_written(std::string_view text, std::string_view type) {
    if (type == "string") {
        return true;
    }
    constexpr std::array<std::string_view, 4> numbers{"int", "long", "float", "double"};
    constexpr std::size_t digits_max = 6;  // as many as a float holds, and writes without exponent
    const bool number = std::ranges::find(numbers, type) != numbers.end();
    const bool digits = !text.empty() && text.size() <= digits_max &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return number && digits && (text == "0" || text.front() != '0');
}

/// The vertices' numbers by their ids.
class VertexIds {
public:
    /// Takes the next id. Returns false for one that was there before.
    bool add(std::string_view id) {
        if (counted_ && number_in(id) != count_) {
            counted_ = false;
            for (std::uint32_t vertex = 0; vertex < count_; ++vertex) {
                ids_.emplace("n" + std::to_string(vertex), vertex);
            }
        }
        const bool fresh = counted_ || ids_.emplace(std::string(id), count_).second;
        ++count_;
        return fresh;
    }
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const {
        if (counted_) {
            const auto vertex = number_in(id);
            return vertex && *vertex < count_ ? vertex : std::nullopt;
        }
        const auto known = ids_.find(std::string(id));
        return known == ids_.end() ? std::nullopt : std::optional(known->second);
    }

private:
    /// 12 for n12.
    static std::optional<std::uint32_t> number_in(std::string_view id) {
        std::uint32_t number = 0;
        if (!id.starts_with('n') || (id.size() > 2 && id[1] == '0')) {
            return std::nullopt;
        }
        const char* const end = id.data() + id.size();
        const auto [at, wrong] = std::from_chars(id.data() + 1, end, number);
        return wrong == std::errc() && at == end ? std::optional(number) : std::nullopt;
    }

    bool counted_ = true;  ///< The ids are n0, n1, ..., and not kept.
    std::uint32_t count_ = 0;
    std::unordered_map<std::string, std::uint32_t> ids_;
};

class PlainReader {
public:
    explicit PlainReader(std::istream& in) : tags_(in) {}

    GraphmlTexts read() {
        open("graphml");
        while (next() == "key") {
            read_key();
        }
        require(tags_.name() == "graph" && !tags_.closes() && !tags_.is_empty() &&
                tags_.attribute("edgedefault") == "directed");
        while (next() == "node" && !tags_.closes()) {
            read_node();
        }
        while (tags_.name() == "edge" && !tags_.closes()) {
            read_edge();
            next();
        }
        require(tags_.name() == "graph" && tags_.closes());
        close("graphml");
        require(!tags_.next() && tags_.is_plain() && !texts_.nodes.empty());
        return std::move(texts_);
    }

private:
    struct Key {
        std::string type;
        TextColumn* column = nullptr;  ///< Nothing: the vertex' name.
        std::string name;
    };

    /// The next tag, with nothing but blanks before it.
    std::string_view next() {
        require(tags_.next() && tags_.text().empty());
        return tags_.name();
    }
    void open(std::string_view name) {
        require(next() == name && !tags_.closes() && !tags_.is_empty());
    }
    void close(std::string_view name) { require(next() == name && tags_.closes()); }

    std::string attribute(std::string_view name) {
        const auto value = tags_.attribute(name);
        require(value.has_value() && tags_.is_plain());
        return std::string(*value);
    }

    void read_key() {
        require(!tags_.closes());
        const std::string what = attribute("for");
        require(what == "node" || what == "edge" || what == "graph" || what == "all");
        const std::string id = attribute("id");
        const bool fresh =
            keys_.emplace(id, Key{attribute("attr.type"), nullptr, attribute("attr.name")}).second;
        require(fresh);
        if (!tags_.is_empty()) {
            close("key");
        }
    }

    void read_node() {
        require(vertices_.add(attribute("id")));
        LooseTree::Node& node = texts_.nodes.emplace_back();
        if (!tags_.is_empty()) {
            while (next() == "data") {
                read_data();
            }
            require(tags_.name() == "node" && tags_.closes());
        }
        require(!node.name.empty());
    }

    void read_data() {
        require(!tags_.closes() && !tags_.is_empty());
        const auto id = tags_.attribute("key");
        require(id && tags_.is_plain());
        Key& key = key_of(*id);
        require(tags_.next() && tags_.name() == "data" && tags_.closes());
        const std::string_view text = tags_.text();
        require(tags_.is_plain() && is_as_written(text, key.type));
        if (key.name == "name") {
            texts_.nodes.back().name = text;
            return;
        }
        if (key.column == nullptr) {
            key.column = &texts_.columns[key.name];
        }
        key.column->put(texts_.nodes.size() - 1, text);
    }

    /// Vertices have their data in one order, mostly.
    Key& key_of(std::string_view id) {
        if (last_key_ != keys_.end() && ++last_key_ != keys_.end() && last_key_->first == id) {
            return last_key_->second;
        }
        last_key_ = keys_.find(id);
        require(last_key_ != keys_.end());
        return last_key_->second;
    }

    void read_edge() {
        require(!tags_.attribute("directed"));
        const auto source = vertex_of("source");
        const auto target = vertex_of("target");
        LooseTree::Node& child = texts_.nodes[target];
        require(child.parent == LooseTree::none);
        child.parent = source;
        if (!tags_.is_empty()) {
            close("edge");
        }
    }

    std::uint32_t vertex_of(std::string_view end) {
        const auto id = tags_.attribute(end);
        require(id && tags_.is_plain());
        const auto vertex = vertices_.find(*id);
        require(vertex.has_value());
        return *vertex;
    }

    XmlTags tags_;
    GraphmlTexts texts_;
    std::map<std::string, Key, std::less<>> keys_;  ///< By id.
    std::map<std::string, Key, std::less<>>::iterator last_key_ = keys_.end();
    VertexIds vertices_;
};

}  // namespace

std::optional<GraphmlTexts> read_plain_graphml_texts(std::istream& in) {
    try {
        return PlainReader(in).read();
    } catch (const NotPlain&) {
        return std::nullopt;
    }
}

}  // namespace berth::topologies
