#include "topologies/graphml_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "core/tree/gpu_resource.hpp"
#include "topologies/level_plan.hpp"
#include "topologies/machine_type_pool.hpp"

namespace berth::topologies {
namespace {

/// Whether an attribute of nodes is one that Gephi, yEd and igraph use for drawing or as an id.
bool is_of_drawing(std::string_view name) {
    constexpr std::array<std::string_view, 17> names{"Id",
                                                     "Label",
                                                     "a",
                                                     "b",
                                                     "color",
                                                     "description",
                                                     "g",
                                                     "height",
                                                     "id",
                                                     "label",
                                                     "r",
                                                     "shape",
                                                     "size",
                                                     "url",
                                                     "width",
                                                     "x",
                                                     "y"};
    return std::ranges::find(names, name) != names.end() || name.starts_with("label.") ||
           name.starts_with("frame.");
}

/// A resource of servers, and the amounts that its texts stand for, as far as they were parsed.
struct ResourceColumn {
    std::size_t resource = 0;
    const TextColumn* column = nullptr;
    std::vector<std::optional<core::Amount>> amounts;
};

class TreeOfTexts {
public:
    TreeOfTexts(GraphmlTexts texts,
                const core::SourceSpan& whole_file,
                core::Diagnostics& diagnostics)
        : columns_(std::move(texts.columns)), whole_file_(whole_file), diagnostics_(diagnostics) {
        tree_.nodes = std::move(texts.nodes);
    }

    std::optional<core::Topology> run(const core::ResourceSchema& also) {
        const NodeFault fault = [this](std::uint32_t, const std::string& message) {
            error(message);
        };
        const auto order = order_breadth_first(tree_.nodes, fault);
        if (diagnostics_.failed() || !read_levels(*order)) {
            return std::nullopt;
        }
        read_servers(*order, also);
        return diagnostics_.failed() ? std::nullopt : assemble(std::move(tree_), *order, fault);
    }

private:
    void error(std::string_view message) { diagnostics_.error(whole_file_, message); }

    [[nodiscard]] const TextColumn& column(const std::string& name) const {
        static const TextColumn nobody_has_it;
        const auto at = columns_.find(name);
        return at == columns_.end() ? nobody_has_it : at->second;
    }

    /// Returns false if there are too few or too many levels: then nothing else is worth reporting.
    bool read_levels(const BreadthFirst& order) {
        const std::size_t count = order.level_begin.size() - 1;
        if (count < 2 || count > levels_max) {
            error(fmt::format("found {} levels: expected 2 to {}", count, levels_max));
            return false;
        }
        const TextColumn& levels = column("level");
        const TextColumn& depths = column("depth");
        for (std::size_t depth = 0; depth < count; ++depth) {
            std::string level;
            for (std::uint32_t at = order.level_begin[depth]; at < order.level_begin[depth + 1];
                 ++at) {
                const std::uint32_t vertex = order.nodes[at];
                check_level(vertex, levels.at(vertex), depth, level);
                check_depth(vertex, depths.at(vertex), depth);
            }
            if (level.empty()) {
                level = depth == 0 ? "cluster" : fmt::format("level-{}", depth);
            }
            if (std::ranges::count(tree_.level_names, level) > 0) {
                error(
                    fmt::format("level '{}' occurs at two depths: expected distinct names", level));
            }
            tree_.level_names.push_back(std::move(level));
        }
        return true;
    }

    /// Checks a node's own `level` against its depth; the first name found is the name of the
    /// level.
    void check_level(std::uint32_t vertex,
                     const std::string& own,
                     std::size_t depth,
                     std::string& level) {
        if (level.empty()) {
            level = own;
        } else if (!own.empty() && own != level) {
            error(fmt::format("'{}' is of level '{}' at depth {}: expected '{}'",
                              tree_.nodes[vertex].name,
                              own,
                              depth,
                              level));
        }
    }

    void check_depth(std::uint32_t vertex, const std::string& own, std::size_t depth) {
        if (!own.empty() && own != fmt::format("{}", depth)) {
            error(fmt::format(
                "'{}' says depth {}: expected {}", tree_.nodes[vertex].name, own, depth));
        }
    }

    void read_servers(const BreadthFirst& order, const core::ResourceSchema& also) {
        std::vector<ResourceColumn> resources = resource_columns();
        for (const std::string& name : also.names()) {
            tree_.resources.add(name);
        }
        const TextColumn& types = column("type");
        MachineTypePool pool;
        std::vector<std::uint32_t> last;  // texts of the last server, which most share
        std::vector<std::uint32_t> numbers;
        std::uint32_t last_type = 0;
        for (const std::uint32_t vertex : order.nodes) {
            const bool server = order.child_count[vertex] == 0;
            numbers.assign(1, types.number(vertex));
            for (const ResourceColumn& resource : resources) {
                numbers.push_back(resource.column->number(vertex));
            }
            if (server && numbers == last) {
                tree_.nodes[vertex].machine_type = last_type;
                continue;
            }
            SparseAmounts amounts;
            for (ResourceColumn& resource : resources) {
                read_amount_of(vertex, resource, amounts);
            }
            if (server) {
                last_type = pool.intern(types.at(vertex), amounts, {});
                tree_.nodes[vertex].machine_type = last_type;
                last = numbers;
            } else if (!amounts.empty()) {
                error(
                    fmt::format("'{}' has children and an amount of '{}': expected amounts of "
                                "servers alone",
                                tree_.nodes[vertex].name,
                                tree_.resources.name(amounts.front().first)));
            }
            if (diagnostics_.failed()) {
                last.clear();  // so that an error in one server is reported for each such server
            }
        }
        tree_.machine_types = pool.finish(tree_.resources);
    }

    std::vector<ResourceColumn> resource_columns() {
        std::vector<ResourceColumn> resources;
        for (const auto& [name, column] : columns_) {
            const bool is_resource =
                name != "level" && name != "depth" && name != "type" && !is_of_drawing(name);
            if (is_resource && check_resource_name(name, whole_file_, diagnostics_)) {
                resources.push_back({tree_.resources.add(name), &column, {}});
                resources.back().amounts.resize(column.text_count());
            }
        }
        return resources;
    }

    void read_amount_of(std::uint32_t vertex, ResourceColumn& from, SparseAmounts& amounts) {
        const std::uint32_t number = from.column->number(vertex);
        const std::string& quantity = from.column->text(number);
        if (quantity.empty()) {
            return;
        }
        std::optional<core::Amount>& known = from.amounts[number];
        if (!known) {
            const auto parsed = core::parse_amount(tree_.resources, from.resource, quantity);
            if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
                error(fmt::format("'{}' of '{}' is '{}': expected {}",
                                  tree_.resources.name(from.resource),
                                  tree_.nodes[vertex].name,
                                  quantity,
                                  core::describe(*fault, tree_.resources.unit(from.resource))));
                return;
            }
            known = std::get<core::Amount>(parsed);
        }
        amounts.emplace_back(from.resource, *known);
    }

    std::map<std::string, TextColumn> columns_;
    const core::SourceSpan& whole_file_;
    core::Diagnostics& diagnostics_;
    LooseTree tree_;
};

}  // namespace

std::optional<core::Topology> topology_of_graphml(GraphmlTexts texts,
                                                  const core::ResourceSchema& also,
                                                  const core::SourceSpan& whole_file,
                                                  core::Diagnostics& diagnostics) {
    return TreeOfTexts(std::move(texts), whole_file, diagnostics).run(also);
}

}  // namespace berth::topologies
