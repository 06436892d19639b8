#include "topologies/graphml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/make_shared.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <utility>

#include "core/support/source.hpp"
#include "topologies/graphml_texts.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/plain_graphml.hpp"

namespace berth::topologies {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

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

    void parse(std::istream& in) {
        boost::dynamic_properties properties(
            [this](const std::string& name, const boost::any& key, const boost::any&) {
                // An attribute of edges or of the graph is none of ours.
                boost::shared_ptr<boost::dynamic_property_map> column;
                if (key.type() == typeid(Vertex)) {
                    column = boost::make_shared<ColumnOfProperties>(texts_.columns[name]);
                }
                return column;
            });
        try {
            boost::read_graphml(in, graph_, properties);
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
    core::Diagnostics faults;  // whoever reads the file again says them at its name
    return topology_of_graphml(std::move(*texts), also, {}, faults);
}

core::Topology read_graphml(std::istream& in,
                            const std::string& file,
                            const core::ResourceSchema& also) {
    return GraphmlReader(file, also).read(in);
}

}  // namespace berth::topologies
