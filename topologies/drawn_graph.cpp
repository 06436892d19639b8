#include "topologies/drawn_graph.hpp"

#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace berth::topologies {
namespace {

namespace xml = boost::property_tree;

std::string attribute_of(const xml::ptree& element, const std::string& name) {
    return element.get(xml::ptree::path_type("<xmlattr>/" + name, '/'), "");
}

void set_attribute(xml::ptree& element, const std::string& name, const std::string& value) {
    element.put(xml::ptree::path_type("<xmlattr>/" + name, '/'), value);
}

bool is_any(const xml::ptree& /*element*/) {
    return true;
}

/// Removes the elements with this tag for which `goes` returns true.
template <class Goes>
void erase(xml::ptree& from, std::string_view tag, Goes goes) {
    for (auto at = from.begin(); at != from.end();) {
        at = at->first == tag && goes(at->second) ? from.erase(at) : std::next(at);
    }
}

class DrawnGraph {
public:
    explicit DrawnGraph(xml::ptree& graphml) : graphml_(graphml) {}

    void simplify() {
        for (auto& [tag, key] : graphml_) {
            if (tag == "key") {
                read_key(key);
            }
        }
        erase(graphml_, "key", [this](const xml::ptree& key) {
            return dropped_.contains(attribute_of(key, "id"));
        });
        erase(graphml_, "data", &is_any);
        choose_names();
        for (auto& [tag, graph] : graphml_) {
            if (tag == "graph") {
                simplify_graph(graph);
            }
        }
    }

private:
    void read_key(xml::ptree& key) {
        constexpr std::array<std::string_view, 6> types{
            "boolean", "double", "float", "int", "long", "string"};
        const std::string id = attribute_of(key, "id");
        const std::string of = attribute_of(key, "for");
        const std::string name = attribute_of(key, "attr.name");
        if (name.empty() || (of != "node" && of != "all")) {
            dropped_.insert(id);
            return;
        }
        if (std::ranges::find(types, attribute_of(key, "attr.type")) == types.end()) {
            set_attribute(key, "attr.type", "string");
        }
        if (attribute_of(key, "attr.type") != "string") {
            numbers_.insert(id);
        }
        if (name == "name") {
            name_ = id;
        } else if (name == "label" || name == "Label") {
            label_ = &key;
        }
    }

    /// Takes names from the attribute `name`, or else from labels in an attribute, or else from
    /// yEd's labels.
    void choose_names() {
        if (name_.empty() && label_ != nullptr) {
            set_attribute(*label_, "attr.name", "name");
            name_ = attribute_of(*label_, "id");
        } else if (name_.empty()) {
            name_ = "name of the label";
            xml::ptree key;
            set_attribute(key, "id", name_);
            set_attribute(key, "for", "node");
            set_attribute(key, "attr.name", "name");
            set_attribute(key, "attr.type", "string");
            graphml_.push_front({"key", key});
        }
    }

    void simplify_graph(xml::ptree& graph) {
        erase(graph, "data", &is_any);
        for (auto& [tag, part] : graph) {
            if (tag == "edge") {
                erase(part, "data", &is_any);
            } else if (tag == "node") {
                simplify_node(part);
            }
        }
    }

    void simplify_node(xml::ptree& node) {
        std::string label;
        for (const auto& [tag, part] : node) {
            if (tag == "graph") {
                throw std::runtime_error("a node with a graph inside");
            }
            label = label.empty() ? label_in(part) : label;
        }
        erase(node, "data", [this](const xml::ptree& data) {
            const std::string key = attribute_of(data, "key");
            return dropped_.contains(key) || (numbers_.contains(key) && data.data().empty());
        });
        erase(node, "port", &is_any);
        const bool is_named = std::ranges::any_of(node, [this](const auto& part) {
            return part.first == "data" && attribute_of(part.second, "key") == name_;
        });
        if (!is_named && !label.empty()) {
            xml::ptree data(label);
            set_attribute(data, "key", name_);
            node.push_back({"data", data});
        }
    }

    /// The text of the first NodeLabel at any depth.
    static std::string label_in(const xml::ptree& element) {
        for (const auto& [tag, part] : element) {
            std::string label = tag.ends_with(":NodeLabel") ? part.data() : label_in(part);
            label.erase(0, label.find_first_not_of(" \t\r\n"));
            label.erase(label.find_last_not_of(" \t\r\n") + 1);
            if (!label.empty()) {
                return label;
            }
        }
        return {};
    }

    xml::ptree& graphml_;
    std::set<std::string> dropped_;  ///< Ids of the keys to remove.
    std::set<std::string> numbers_;  ///< Ids of the keys with a type other than string: their empty
                                     ///< data mean no value.
    std::string name_;               ///< The id of the key for names.
    xml::ptree* label_ = nullptr;
};

}  // namespace

void simplify_drawn_graph(xml::ptree& graphml) {
    DrawnGraph(graphml).simplify();
}

}  // namespace berth::topologies
