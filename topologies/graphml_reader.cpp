#include "topologies/graphml_reader.hpp"

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/make_shared.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/support/source.hpp"
#include "topologies/drawn_graph.hpp"
#include "topologies/graphml_texts.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/xml_tags.hpp"

namespace berth::topologies {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

/// Thrown if the graph library has to read the file; always caught here.
struct NotPlain {};

void require(bool plain) {
    if (!plain) {
        throw NotPlain();
    }
}

/// Whether every reader takes a value of this type as the text that is written. Readers that parse
/// other numbers write them differently: 1.50 becomes 1.5.
bool is_as_written(std::string_view text, std::string_view type) {
    if (type == "string") {
        return true;
    }
    constexpr std::array<std::string_view, 4> numbers{"int", "long", "float", "double"};
    constexpr std::size_t digits_max = 6;  // a float holds these without an exponent
    const bool number = std::ranges::find(numbers, type) != numbers.end();
    const bool digits = !text.empty() && text.size() <= digits_max &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return number && digits && (text == "0" || text.front() != '0');
}

/// The numbers of the vertices, by id.
class VertexIds {
public:
    /// Adds the next id. Returns false if the id was added before.
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
    /// The number in an id: 12 for n12.
    static std::optional<std::uint32_t> number_in(std::string_view id) {
        std::uint32_t number = 0;
        if (!id.starts_with('n') || (id.size() > 2 && id[1] == '0')) {
            return std::nullopt;
        }
        const char* const end = id.data() + id.size();
        const auto [at, wrong] = std::from_chars(id.data() + 1, end, number);
        return wrong == std::errc() && at == end ? std::optional(number) : std::nullopt;
    }

    bool counted_ = true;  ///< Whether the ids are n0, n1, ..., which need not be stored.
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
        TextColumn* column = nullptr;  ///< nullptr: the key is for the name of the vertex.
        std::string name;
    };

    /// Goes to the next tag, which must have only blanks before it.
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

    /// Finds a key by its id. Most vertices have their data in the same order.
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
    std::map<std::string, Key, std::less<>> keys_;  ///< Keyed by id.
    std::map<std::string, Key, std::less<>>::iterator last_key_ = keys_.end();
    VertexIds vertices_;
};

/// Reads GraphML as programs write it, a tag at a time: a graph with vertices followed by directed
/// edges, whose data are texts and whole numbers, without any other tags.
///
/// Returns: nothing for any other GraphML, and if anything is wrong: read_graphml() then reads the
///          file with the graph library, which takes many times the memory.
/// Cost:    memory for the result, and for the ids of the vertices unless they are n0, n1, ...
std::optional<GraphmlTexts> read_plain_graphml_texts(std::istream& in) {
    try {
        return PlainReader(in).read();
    } catch (const NotPlain&) {
        return std::nullopt;
    }
}

template <class... Numbers>
std::string number_text(const boost::any& value) {
    std::string text;
    const auto try_one = [&]<class Number>(Number) {
        if (const auto* number = boost::any_cast<Number>(&value)) {
            text = fmt::format("{}", *number);
        }
    };
    (try_one(Numbers{}), ...);
    return text;
}

/// A column that the graph library fills.
class ColumnOfProperties final : public boost::dynamic_property_map {
public:
    explicit ColumnOfProperties(TextColumn& column) : column_(column) {}

    boost::any get(const boost::any& key) override { return get_string(key); }
    std::string get_string(const boost::any& key) override {
        return column_.at(boost::any_cast<Vertex>(key));
    }
    void put(const boost::any& key, const boost::any& value) override {
        const auto* text = boost::any_cast<std::string>(&value);
        column_.put(boost::any_cast<Vertex>(key),
                    text ? *text : number_text<bool, int, long, float, double>(value));
    }
    [[nodiscard]] const std::type_info& key() const override { return typeid(Vertex); }
    [[nodiscard]] const std::type_info& value() const override { return typeid(std::string); }

private:
    TextColumn& column_;
};

class GraphmlReader {
public:
    GraphmlReader(const std::string& file, const core::ResourceSchema& also)
        : also_(also),
          whole_file_{std::make_shared<core::SourceText>(core::SourceText{file, {}}), 0, 0, 1} {}

    core::Topology read(std::istream& in) {
        parse(in);
        const std::size_t count = boost::num_vertices(graph_);
        if (count == 0) {
            fail("no nodes: expected a tree");
        }
        texts_.nodes.resize(count);
        const TextColumn names = std::exchange(texts_.columns["name"], {});
        texts_.columns.erase("name");
        for (std::size_t vertex = 0; vertex < count; ++vertex) {
            texts_.nodes[vertex].name = names.at(vertex);
            if (texts_.nodes[vertex].name.empty()) {
                fail(fmt::format("node {} of the file has no 'name': expected one", vertex));
            }
        }
        read_parents();
        auto topology = topology_of_graphml(std::move(texts_), also_, whole_file_, diagnostics_);
        diagnostics_.throw_if_failed();
        return std::move(*topology);
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw core::InputError(whole_file_, message);
    }

    /// The library recurses for each element inside another.
    void refuse_deep(std::string_view text) const {
        constexpr std::size_t levels_max = 1000;
        std::size_t levels = 0;
        for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at + 1)) {
            const char next = at + 1 < text.size() ? text[at + 1] : '\0';
            const std::size_t end = std::min(text.find('>', at), text.size());
            if (next == '/') {
                levels -= levels > 0 ? 1 : 0;
            } else if (next != '!' && next != '?' && text[end - 1] != '/') {
                ++levels;
            }
            if (levels > levels_max) {
                fail(fmt::format("elements inside elements, more than {} deep: expected fewer",
                                 levels_max));
            }
        }
    }

    void parse(std::istream& in) {
        boost::dynamic_properties properties(
            [this](const std::string& name, const boost::any& key, const boost::any&) {
                // Attributes of edges and of the graph are left out.
                boost::shared_ptr<boost::dynamic_property_map> column;
                if (key.type() == typeid(Vertex)) {
                    column = boost::make_shared<ColumnOfProperties>(texts_.columns[name]);
                }
                return column;
            });
        const std::string text(std::istreambuf_iterator<char>(in), {});
        refuse_deep(text);
        std::istringstream whole(text);
        try {
            boost::property_tree::ptree document;
            boost::property_tree::read_xml(whole,
                                           document,
                                           boost::property_tree::xml_parser::no_comments |
                                               boost::property_tree::xml_parser::trim_whitespace);
            if (const auto graphml = document.get_child_optional("graphml")) {
                simplify_drawn_graph(*graphml);
            }
            std::stringstream simple;
            boost::property_tree::write_xml(simple, document);
            boost::read_graphml(simple, graph_, properties);
        } catch (const boost::property_tree::xml_parser_error& error) {
            core::SourceSpan span = whole_file_;
            span.line = static_cast<int>(error.line());
            span.column = 1;
            throw core::InputError(
                span, fmt::format("no well-formed XML ({}): expected GraphML", error.message()));
        } catch (const boost::undirected_graph_error&) {
            fail(
                "an undirected graph: expected edges from parent to child, edgedefault='directed'");
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            fail(fmt::format("no GraphML ({}): expected a directed tree", error.what()));
        }
    }

    void read_parents() {
        for (const auto& edge : boost::make_iterator_range(boost::edges(graph_))) {
            const auto parent = static_cast<std::uint32_t>(boost::source(edge, graph_));
            LooseTree::Node& child = texts_.nodes[boost::target(edge, graph_)];
            if (child.parent != LooseTree::none) {
                diagnostics_.error(whole_file_,
                                   fmt::format("'{}' has two parents, '{}' and '{}': expected one",
                                               child.name,
                                               texts_.nodes[child.parent].name,
                                               texts_.nodes[parent].name));
            }
            child.parent = parent;
        }
        diagnostics_.throw_if_failed();
    }

    const core::ResourceSchema& also_;
    core::SourceSpan whole_file_;
    core::Diagnostics diagnostics_;
    Graph graph_;
    GraphmlTexts texts_;
};

}  // namespace

std::optional<core::Topology> read_plain_graphml(std::istream& in,
                                                 const core::ResourceSchema& also) {
    auto texts = read_plain_graphml_texts(in);
    if (!texts) {
        return std::nullopt;
    }
    core::Diagnostics faults;  // a second reading reports them, with the name of the file
    return topology_of_graphml(std::move(*texts), also, {}, faults);
}

core::Topology read_graphml(std::istream& in,
                            const std::string& file,
                            const core::ResourceSchema& also) {
    return GraphmlReader(file, also).read(in);
}

}  // namespace berth::topologies
