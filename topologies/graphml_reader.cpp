#include "topologies/graphml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/make_shared.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <variant>

#include "core/support/source.hpp"
#include "topologies/level_plan.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"

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

/// The values of one vertex attribute as text, whatever type the file declares.
class TextColumn final : public boost::dynamic_property_map {
public:
    boost::any get(const boost::any& key) override { return get_string(key); }
    std::string get_string(const boost::any& key) override {
        return at(boost::any_cast<Vertex>(key));
    }
    void put(const boost::any& key, const boost::any& value) override {
        const auto vertex = boost::any_cast<Vertex>(key);
        if (values_.size() <= vertex) {
            values_.resize(vertex + 1);
        }
        const auto* text = boost::any_cast<std::string>(&value);
        values_[vertex] = text ? *text : number_text<bool, int, long, float, double>(value);
    }
    [[nodiscard]] const std::type_info& key() const override { return typeid(Vertex); }
    [[nodiscard]] const std::type_info& value() const override { return typeid(std::string); }

    [[nodiscard]] std::string at(std::size_t vertex) const {
        return vertex < values_.size() ? values_[vertex] : std::string();
    }

private:
    std::vector<std::string> values_;
};

/// By name; an attribute of edges or of the graph is none of ours.
using Columns = std::map<std::string, boost::shared_ptr<TextColumn>>;

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
        tree_.nodes.resize(count);
        for (std::size_t vertex = 0; vertex < count; ++vertex) {
            tree_.nodes[vertex].name = text("name", vertex);
            if (tree_.nodes[vertex].name.empty()) {
                fail(fmt::format("node {} of the file has no 'name': expected one", vertex));
            }
        }
        read_parents();
        const NodeFault fault = [this](std::uint32_t, const std::string& message) {
            diagnostics_.error(whole_file_, message);
        };
        const auto order = order_breadth_first(tree_.nodes, fault);
        diagnostics_.throw_if_failed();
        read_levels(*order);
        read_servers(*order);
        diagnostics_.throw_if_failed();
        auto topology = assemble(std::move(tree_), *order, fault);
        diagnostics_.throw_if_failed();
        return std::move(*topology);
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw core::InputError(whole_file_, message);
    }

    [[nodiscard]] std::string text(const std::string& column, std::size_t vertex) const {
        const auto at = columns_.find(column);
        return at == columns_.end() ? std::string() : at->second->at(vertex);
    }

    void parse(std::istream& in) {
        boost::dynamic_properties properties(
            [this](const std::string& name, const boost::any& key, const boost::any&) {
                boost::shared_ptr<boost::dynamic_property_map> column;
                if (key.type() == typeid(Vertex)) {
                    column = columns_[name] = boost::make_shared<TextColumn>();
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
            LooseTree::Node& child = tree_.nodes[boost::target(edge, graph_)];
            if (child.parent != LooseTree::none) {
                diagnostics_.error(whole_file_,
                                   fmt::format("'{}' has two parents, '{}' and '{}': expected one",
                                               child.name,
                                               tree_.nodes[child.parent].name,
                                               tree_.nodes[parent].name));
            }
            child.parent = parent;
        }
        diagnostics_.throw_if_failed();
    }

    void read_levels(const BreadthFirst& order) {
        const std::size_t count = order.level_begin.size() - 1;
        if (count < 2 || count > levels_max) {
            fail(fmt::format("found {} levels: expected 2 to {}", count, levels_max));
        }
        for (std::size_t depth = 0; depth < count; ++depth) {
            std::string level;
            for (std::uint32_t at = order.level_begin[depth]; at < order.level_begin[depth + 1];
                 ++at) {
                check_level(order.nodes[at], depth, level);
            }
            if (level.empty()) {
                level = depth == 0 ? "cluster" : fmt::format("level-{}", depth);
            }
            if (std::ranges::count(tree_.level_names, level) > 0) {
                diagnostics_.error(
                    whole_file_,
                    fmt::format("level '{}' occurs at two depths: expected distinct names", level));
            }
            tree_.level_names.push_back(std::move(level));
        }
    }

    /// Holds a node's own `level` and `depth` against where it is; the first name is the level's.
    void check_level(std::uint32_t vertex, std::size_t depth, std::string& level) {
        const std::string own = text("level", vertex);
        if (level.empty()) {
            level = own;
        } else if (!own.empty() && own != level) {
            diagnostics_.error(whole_file_,
                               fmt::format("'{}' is of level '{}' at depth {}: expected '{}'",
                                           tree_.nodes[vertex].name,
                                           own,
                                           depth,
                                           level));
        }
        const std::string own_depth = text("depth", vertex);
        if (!own_depth.empty() && own_depth != fmt::format("{}", depth)) {
            diagnostics_.error(
                whole_file_,
                fmt::format(
                    "'{}' says depth {}: expected {}", tree_.nodes[vertex].name, own_depth, depth));
        }
    }

    void read_servers(const BreadthFirst& order) {
        std::vector<std::pair<std::size_t, const TextColumn*>> resources;
        for (const auto& [name, column] : columns_) {
            const bool is_resource =
                name != "name" && name != "level" && name != "depth" && name != "type";
            if (is_resource && check_resource_name(name, whole_file_, diagnostics_)) {
                resources.emplace_back(tree_.resources.add(name), column.get());
            }
        }
        for (const std::string& name : also_.names()) {
            tree_.resources.add(name);
        }
        MachineTypePool pool;
        for (const std::uint32_t vertex : order.nodes) {
            SparseAmounts amounts;
            for (const auto& [resource, column] : resources) {
                read_amount_of(vertex, resource, column->at(vertex), amounts);
            }
            const bool server = order.child_count[vertex] == 0;
            if (server) {
                tree_.nodes[vertex].machine_type = pool.intern(text("type", vertex), amounts, {});
            } else if (!amounts.empty()) {
                diagnostics_.error(whole_file_,
                                   fmt::format("'{}' has children and an amount of '{}': expected "
                                               "amounts of servers alone",
                                               tree_.nodes[vertex].name,
                                               tree_.resources.name(amounts.front().first)));
            }
        }
        tree_.machine_types = pool.finish(tree_.resources);
    }

    void read_amount_of(std::uint32_t vertex,
                        std::size_t resource,
                        const std::string& quantity,
                        SparseAmounts& amounts) {
        if (quantity.empty()) {
            return;
        }
        const auto parsed = core::parse_quantity(quantity, tree_.resources.per_unit(resource));
        if (const auto* amount = std::get_if<core::Amount>(&parsed)) {
            amounts.emplace_back(resource, *amount);
            return;
        }
        diagnostics_.error(whole_file_,
                           fmt::format("'{}' of '{}' is '{}': expected {}",
                                       tree_.resources.name(resource),
                                       tree_.nodes[vertex].name,
                                       quantity,
                                       core::describe(std::get<core::QuantityFault>(parsed),
                                                      tree_.resources.unit(resource))));
    }

    const core::ResourceSchema& also_;
    core::SourceSpan whole_file_;
    core::Diagnostics diagnostics_;
    Graph graph_;
    Columns columns_;
    LooseTree tree_;
};

}  // namespace

core::Topology read_graphml(std::istream& in,
                            const std::string& file,
                            const core::ResourceSchema& also) {
    return GraphmlReader(file, also).read(in);
}

}  // namespace berth::topologies
