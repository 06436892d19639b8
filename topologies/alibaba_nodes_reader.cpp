#include "topologies/alibaba_nodes_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "topologies/level_plan.hpp"

namespace berth::topologies {
namespace {

/// Names a machine type by its contents: `96c-384Gi-8xG2`, or `96c-384Gi` without GPUs.
std::string describe(const ListedNode& node) {
    std::string name = node.cpu_milli % 1000 == 0 ? fmt::format("{}c", node.cpu_milli / 1000)
                                                  : fmt::format("{}mc", node.cpu_milli);
    if (node.memory_bytes) {
        core::ResourceSchema schema;
        name += "-" + schema.format(schema.add("memory"), *node.memory_bytes);
    }
    if (node.gpus > 0) {
        name += fmt::format("-{}x{}", node.gpus, node.gpu_model.empty() ? "gpu" : node.gpu_model);
    }
    return name;
}

}  // namespace

NodeTable::NodeTable(std::shared_ptr<const core::SourceText> source,
                     std::vector<core::CsvColumn> columns,
                     core::Diagnostics& diagnostics)
    : source_(std::move(source)), diagnostics_(diagnostics), wanted_(std::move(columns)) {
    read_header();
}

void NodeTable::read_header() {
    if (!next_record()) {
        std::vector<std::string_view> names;
        for (const core::CsvColumn& column : wanted_) {
            names.push_back(column.name);
        }
        diagnostics_.error(
            {source_, 1, 1},
            fmt::format("empty: expected a header with {}", core::join(names, ", ")));
        sound_ = false;
        return;
    }
    core::CsvColumns found = core::find_columns(record_.fields(), wanted_);
    if (found.wrong_at) {
        diagnostics_.error(span_at(*found.wrong_at, 1), found.message);
        sound_ = false;
    }
    columns_ = std::move(found.at);
    field_count_ = record_.fields().size();
}

bool NodeTable::next() {
    while (sound_ && next_record()) {
        if (record_.fields().size() == field_count_) {
            return true;
        }
        diagnostics_.error(
            span_at(0, 1),
            fmt::format(
                "{} fields: expected {}, as in the header", record_.fields().size(), field_count_));
    }
    return false;
}

bool NodeTable::next_record() {
    const std::string_view text = source_->text;
    while (next_begin_ < text.size()) {
        const std::size_t end = std::min(text.find('\n', next_begin_), text.size());
        std::string_view line = text.substr(next_begin_, end - next_begin_);
        next_begin_ = end + 1;
        ++line_;
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty()) {
            continue;
        }
        if (const auto fault = record_.split(line)) {
            diagnostics_.error(span_at(fault->at, 1), fault->message);
            continue;
        }
        return true;
    }
    return false;
}

std::string_view NodeTable::text(std::size_t column) const {
    const std::size_t at = columns_[column];
    return at == core::CsvColumns::absent ? std::string_view()
                                          : core::trimmed(record_.fields()[at].text);
}

std::optional<std::int64_t> NodeTable::number(std::size_t column, std::int64_t max) const {
    const std::string_view cell = text(column);
    const auto value = core::parse_number<std::int64_t>(cell);
    if (!value || *value < 0 || *value > max) {
        error(column,
              fmt::format("{} '{}': expected a whole number from 0 to {}",
                          wanted_[column].name,
                          cell.substr(0, 40),
                          max));
        return std::nullopt;
    }
    return value;
}

core::SourceSpan NodeTable::span(std::size_t column) const {
    const std::size_t at = columns_[column];
    if (at == core::CsvColumns::absent) {
        return span_at(0, 1);
    }
    const core::CsvField& field = record_.fields()[at];
    return span_at(field.begin, field.length);
}

void NodeTable::error(std::size_t column, std::string_view message) const {
    diagnostics_.error(span(column), message);
}

core::SourceSpan NodeTable::span_at(std::size_t begin, std::size_t length) const {
    return {source_, line_, static_cast<int>(begin) + 1, static_cast<int>(length)};
}

void NodeList::add(const ListedNode& node, const core::SourceSpan& stood) {
    if (node.name.empty()) {
        diagnostics_.error(stood, "a node without a name: expected one");
        return;
    }
    if (!names_.insert(node.name).second) {
        diagnostics_.error(
            stood, fmt::format("two nodes are named '{}': expected distinct names", node.name));
        return;
    }
    SparseAmounts amounts;
    amounts.emplace_back(resources_.add("cpu"), node.cpu_milli);
    if (node.memory_bytes) {
        amounts.emplace_back(resources_.add("memory"), *node.memory_bytes);
    }
    std::vector<core::DeviceGroup> devices;
    const std::size_t gpu = resources_.add(resource_of_device("gpu"));
    if (node.gpus > 0) {
        amounts.emplace_back(gpu, node.gpus * resources_.per_unit(gpu));
        core::DeviceGroup& group = devices.emplace_back();
        group.kind = "gpu";
        group.count = node.gpus;
        group.model = node.gpu_model;
    }
    servers_.push_back(
        {node.name, LooseTree::none, types_.intern(describe(node), amounts, devices)});
}

std::optional<core::Topology> NodeList::finish(const core::ResourceSchema& also,
                                               const core::SourceSpan& whole) {
    if (servers_.empty() && !diagnostics_.failed()) {
        diagnostics_.error(whole, "no nodes: expected one row at least below the header");
    }
    check_levels(whole);
    if (diagnostics_.failed()) {
        return std::nullopt;
    }
    for (const std::string& name : also.names()) {
        resources_.add(name);
    }
    LooseTree built = tree();
    const NodeFault fault = [&](std::uint32_t, const std::string& message) {
        diagnostics_.error(whole, message);
    };
    const auto order = order_breadth_first(built.nodes, fault);
    return order ? assemble(std::move(built), *order, fault) : std::nullopt;
}

void NodeList::check_levels(const core::SourceSpan& whole) {
    std::vector<std::string> names{"cluster", "server"};
    for (const InventedLevel& level : levels_) {
        BERTH_ASSERT(level.children > 0, "an invented node has children");
        names.push_back(level.name);
    }
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size() ||
        names.size() > levels_max) {
        diagnostics_.error(whole,
                           fmt::format("levels {}: expected distinct names, {} at most",
                                       core::alternatives(names),
                                       levels_max));
    }
}

LooseTree NodeList::tree() {
    LooseTree out;
    out.resources = resources_;
    out.machine_types = types_.finish(resources_);
    out.level_names.emplace_back("cluster");
    std::vector<std::uint64_t> sizes;  // sizes of the invented levels, from the lowest up
    std::uint64_t below = servers_.size();
    for (std::size_t level = levels_.size(); level-- > 0;) {
        below = (below + levels_[level].children - 1) / levels_[level].children;
        sizes.push_back(below);
    }
    out.nodes.push_back({"cluster", LooseTree::none, LooseTree::none});
    std::uint32_t above = 0;  // index of the first node of the level above
    std::uint32_t per_parent = UINT32_MAX;
    const auto parent_of = [&](std::uint64_t node) {
        return above + static_cast<std::uint32_t>(node / per_parent);
    };
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const auto begin = static_cast<std::uint32_t>(out.nodes.size());
        for (std::uint64_t node = 0; node < sizes[levels_.size() - 1 - level]; ++node) {
            out.nodes.push_back({fmt::format("{}-{}", levels_[level].name, node),
                                 parent_of(node),
                                 LooseTree::none});
        }
        out.level_names.push_back(levels_[level].name);
        above = begin;
        per_parent = levels_[level].children;
    }
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        servers_[server].parent = parent_of(server);
        out.nodes.push_back(std::move(servers_[server]));
    }
    out.level_names.emplace_back("server");
    return out;
}

std::optional<core::Topology> read_openb_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics) {
    enum Column : std::size_t { sn, cpu_milli, memory_mib, gpu, model };
    NodeTable table(
        source, {{"sn"}, {"cpu_milli"}, {"memory_mib"}, {"gpu"}, {"model"}}, diagnostics);
    NodeList nodes(levels, diagnostics);
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;
    while (table.next()) {
        const auto cpu = table.number(cpu_milli, node_cpu_milli_max);
        const auto memory = table.number(memory_mib, node_memory_bytes_max / mebibyte);
        const auto gpus = table.number(gpu, node_gpus_max);
        if (!cpu || !memory || !gpus) {
            continue;
        }
        nodes.add({std::string(table.text(sn)),
                   *cpu,
                   *memory * mebibyte,
                   *gpus,
                   std::string(*gpus > 0 ? table.text(model) : "")},
                  table.span(sn));
    }
    return nodes.finish(also, {source, 1, 1});
}

std::optional<core::Topology> read_spot_nodes(const std::shared_ptr<const core::SourceText>& source,
                                              const std::vector<InventedLevel>& levels,
                                              const core::ResourceSchema& also,
                                              core::Diagnostics& diagnostics) {
    enum Column : std::size_t { gpu_model, gpu_capacity_num, cpu_num, node_name };
    NodeTable table(
        source, {{"gpu_model"}, {"gpu_capacity_num"}, {"cpu_num"}, {"node_name"}}, diagnostics);
    NodeList nodes(levels, diagnostics);
    while (table.next()) {
        const auto gpus = table.number(gpu_capacity_num, node_gpus_max);
        const auto cores = table.number(cpu_num, node_cpu_milli_max / 1000);
        if (!gpus || !cores) {
            continue;
        }
        nodes.add({std::string(table.text(node_name)),
                   1000 * *cores,
                   std::nullopt,
                   *gpus,
                   std::string(*gpus > 0 ? table.text(gpu_model) : "")},
                  table.span(node_name));
    }
    return nodes.finish(also, {source, 1, 1});
}

}  // namespace berth::topologies
