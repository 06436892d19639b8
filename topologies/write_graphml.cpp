#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <boost/property_tree/detail/xml_parser_utils.hpp>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/writers.hpp"

namespace berth::topologies {
namespace {

using core::NodeId;
using core::Topology;

std::string encoded(std::string_view text) {
    return boost::property_tree::xml_parser::encode_char_entities(std::string(text));
}

/// An attribute of vertices: one of berth's own, or the amount of a resource, which may have the
/// same name as one of berth's own.
struct Attribute {
    enum class Of : std::uint8_t { name, level, type, resource };
    std::string name;
    Of of = Of::resource;
    std::size_t resource = 0;
    std::size_t key = 0;  ///< Number of the key; attributes with equal names all use the key of the
                          ///< last of them.
};

/// All attributes, sorted by name.
std::vector<Attribute> attributes_of(const Topology& topology) {
    std::vector<Attribute> all{{"name", Attribute::Of::name, 0, 0},
                               {"level", Attribute::Of::level, 0, 0},
                               {"type", Attribute::Of::type, 0, 0}};
    for (std::size_t i = 0; i < topology.resources().size(); ++i) {
        all.push_back({topology.resources().name(i), Attribute::Of::resource, i, 0});
    }
    std::ranges::stable_sort(all, {}, &Attribute::name);
    for (std::size_t i = all.size(); i-- > 0;) {
        const bool repeated = i + 1 < all.size() && all[i + 1].name == all[i].name;
        all[i].key = repeated ? all[i + 1].key : i;
    }
    return all;
}

/// The text around the name of each node of a level, or of each server of a machine type.
struct Around {
    std::string before;
    std::string behind;
};

/// `type` is nullptr above the servers.
Around around(const Topology& topology,
              const std::vector<Attribute>& attributes,
              const std::string& level,
              const core::MachineType* type) {
    Around out;
    std::string* to = &out.before;
    for (const Attribute& attribute : attributes) {
        *to += fmt::format("      <data key=\"key{}\">", attribute.key);
        if (attribute.of == Attribute::Of::name) {
            to = &out.behind;
        } else if (attribute.of == Attribute::Of::level) {
            *to += encoded(level);
        } else if (type != nullptr && attribute.of == Attribute::Of::type) {
            *to += encoded(type->name);
        } else if (type != nullptr) {
            const auto index = static_cast<Eigen::Index>(attribute.resource);
            *to += encoded(topology.resources().format(attribute.resource, type->capacity[index]));
        }
        *to += "</data>\n";
    }
    return out;
}

/// The texts by level, then by machine type.
std::vector<Around> all_around(const Topology& topology, const std::vector<Attribute>& attributes) {
    std::vector<Around> out;
    for (const std::string& level : topology.level_names()) {
        out.push_back(around(topology, attributes, level, nullptr));
    }
    for (const core::MachineType& type : topology.machine_types()) {
        out.push_back(around(topology, attributes, topology.level_names().back(), &type));
    }
    return out;
}

/// Collects text and passes it to a stream in blocks.
class Blocks {
public:
    explicit Blocks(std::ostream& out) : out_(out) {}
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;
    ~Blocks() { out_ << text; }

    void end_piece() {
        constexpr std::size_t block = std::size_t{1} << 16U;
        if (text.size() > block) {
            out_ << text;
            text.clear();
        }
    }
    std::string text;

private:
    std::ostream& out_;
};

void write_nodes(std::ostream& out, const Topology& topology) {
    const std::vector<Attribute> attributes = attributes_of(topology);
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        out << fmt::format(
            "  <key id=\"key{}\" for=\"node\" attr.name=\"{}\" attr.type=\"string\" />\n",
            i,
            attributes[i].name);
    }
    out << "  <graph id=\"G\" edgedefault=\"directed\" parse.nodeids=\"canonical\" "
           "parse.edgeids=\"canonical\" parse.order=\"nodesfirst\">\n";
    const std::vector<Around> all = all_around(topology, attributes);
    Blocks blocks(out);
    for (const NodeId node : core::node_range(0, topology.node_count())) {
        const bool server = topology.is_server(node);
        const Around& rest = all[server ? topology.level_count() +
                                              topology.machine_type_index(topology.server_of(node))
                                        : topology.level_of(node).index];
        fmt::format_to(std::back_inserter(blocks.text), "    <node id=\"n{}\">\n", node.index);
        blocks.text += rest.before;
        blocks.text += encoded(topology.name(node));
        blocks.text += rest.behind;
        blocks.text += "    </node>\n";
        blocks.end_piece();
    }
}

void write_edges(std::ostream& out, const Topology& topology) {
    Blocks blocks(out);
    for (std::uint32_t child = 1; child < topology.node_count(); ++child) {
        fmt::format_to(std::back_inserter(blocks.text),
                       "    <edge id=\"e{}\" source=\"n{}\" target=\"n{}\">\n    </edge>\n",
                       child - 1,
                       topology.parent(NodeId{child}).index,
                       child);
        blocks.end_piece();
    }
}

}  // namespace

void write_graphml(std::ostream& out, const Topology& topology) {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
           "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
           "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";
    write_nodes(out, topology);
    write_edges(out, topology);
    out << "  </graph>\n</graphml>\n";
}

}  // namespace berth::topologies
