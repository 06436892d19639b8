#include "experiments/program/bench/uniform_tree.hpp"

#include <fmt/format.h>

#include "core/support/assert.hpp"
#include "core/support/value.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/read_topology.hpp"

namespace berth::experiments {

std::shared_ptr<const core::Topology> uniform_tree(
    const std::vector<std::pair<std::string, std::uint32_t>>& levels,
    const std::vector<std::pair<std::string, core::Amount>>& capacity) {
    auto source = std::make_shared<core::SourceText>();
    source->text = "levels:\n";
    for (const auto& [name, count] : levels) {
        source->text += fmt::format("- {{name: {}, count: {}}}\n", name, count);
    }
    source->text += "machines: [{type: any}]\nmachineTypes:\n  any:\n    capacity:\n";
    core::ResourceSchema schema;
    for (const auto& [name, amount] : capacity) {
        source->text +=
            fmt::format("      {}: {}\n", name, schema.format(schema.add(name), amount));
    }
    core::Diagnostics diagnostics;
    auto tree = topologies::read_spec(parse_documents(source).front(), {}, diagnostics);
    diagnostics.throw_if_failed();
    return std::make_shared<const core::Topology>(std::move(*tree));
}

}  // namespace berth::experiments
