#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/interner.hpp"
#include "core/support/source.hpp"
#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"

namespace berth::topologies {

/// The values of one attribute of vertices as texts, whatever type the file declares. Each text is
/// stored once: even a million servers have few types and few different amounts.
class TextColumn {
public:
    void put(std::size_t vertex, std::string_view text) {
        if (numbers_.size() <= vertex) {
            numbers_.resize(vertex + 1);
        }
        const std::uint32_t last = numbers_[vertex == 0 ? 0 : vertex - 1];
        numbers_[vertex] = texts_[last] == text ? last : texts_.number(std::string(text));
    }
    /// The number of the vertex's text; 0 is the empty text of vertices without the attribute.
    [[nodiscard]] std::uint32_t number(std::size_t vertex) const {
        return vertex < numbers_.size() ? numbers_[vertex] : 0;
    }
    [[nodiscard]] const std::string& at(std::size_t vertex) const { return texts_[number(vertex)]; }
    [[nodiscard]] const std::string& text(std::uint32_t number) const { return texts_[number]; }
    [[nodiscard]] std::size_t text_count() const { return texts_.size(); }

private:
    std::vector<std::uint32_t> numbers_;
    core::Interner<std::string> texts_{std::string()};
};

/// The content of a GraphML file, before it is interpreted.
struct GraphmlTexts {
    std::vector<LooseTree::Node> nodes;         ///< Name and parent of each vertex.
    std::map<std::string, TextColumn> columns;  ///< The other attributes, by name.
};

/// Errors: recorded at `whole_file`; nothing is returned if there were any.
[[nodiscard]] std::optional<core::Topology> topology_of_graphml(GraphmlTexts texts,
                                                                const core::ResourceSchema& also,
                                                                const core::SourceSpan& whole_file,
                                                                core::Diagnostics& diagnostics);

}  // namespace berth::topologies
