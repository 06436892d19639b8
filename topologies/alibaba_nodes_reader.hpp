#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/csv_record.hpp"
#include "core/support/source.hpp"
#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"

namespace berth::topologies {

/// The rows of a node list with a header. Cells are named by the columns that a reader asked for.
/// Errors are recorded with their line and column.
class NodeTable {
public:
    NodeTable(std::shared_ptr<const core::SourceText> source,
              std::vector<core::CsvColumn> columns,
              core::Diagnostics& diagnostics);

    /// Goes to the next row, skipping empty lines. Rows with another number of fields than the
    /// header are recorded as errors and skipped. Returns false after the last row, and if the
    /// header is wrong.
    [[nodiscard]] bool next();
    /// The cell without the blanks around it; empty if the table has no such column.
    [[nodiscard]] std::string_view text(std::size_t column) const;
    /// A whole number in [0, max]; anything else is recorded as an error.
    [[nodiscard]] std::optional<std::int64_t> number(std::size_t column, std::int64_t max) const;
    /// The place of the cell.
    [[nodiscard]] core::SourceSpan span(std::size_t column) const;
    void error(std::size_t column, std::string_view message) const;

private:
    void read_header();
    /// Returns false at the end of the text.
    bool next_record();
    [[nodiscard]] core::SourceSpan span_at(std::size_t begin, std::size_t length) const;

    std::shared_ptr<const core::SourceText> source_;
    core::Diagnostics& diagnostics_;
    std::vector<core::CsvColumn> wanted_;
    core::CsvRecord record_;
    std::vector<std::size_t> columns_;
    std::size_t field_count_ = 0;
    std::size_t next_begin_ = 0;  ///< Offset in the text at which the next line begins.
    int line_ = 0;
    bool sound_ = true;
};

/// A level that a node list lacks and that is made up. Its nodes are filled in the order of the
/// file, each with `children` nodes of the level below; the last one gets the rest.
struct InventedLevel {
    std::string name;  ///< The nodes are named `NAME-0`, `NAME-1`, ...
    std::uint32_t children = 1;
};

/// Upper bounds for a server in a list: larger numbers are mistakes, and sums below them do not
/// overflow.
inline constexpr std::int64_t node_cpu_milli_max = 1'000'000'000;
inline constexpr std::int64_t node_memory_bytes_max = std::int64_t{1} << 50U;
inline constexpr std::int64_t node_gpus_max = 10'000;

/// A server of a node list: its name and its contents.
struct ListedNode {
    std::string name;
    core::Amount cpu_milli = 0;
    std::optional<core::Amount> memory_bytes;  ///< Nothing if the list does not tell it.
    std::int64_t gpus = 0;
    std::string gpu_model;
};

/// Gathers the servers of a node list into a topology.
///
/// Shape: `cluster`, then the invented levels top-down, then `server` in the order of the file. The
///        resources are cpu, memory if the list has it, nvidia.com/gpu, then those of `also`.
///        Machine types are named by their contents: `96c-384Gi-8xG2`.
class NodeList {
public:
    NodeList(std::vector<InventedLevel> levels, core::Diagnostics& diagnostics)
        : levels_(std::move(levels)), diagnostics_(diagnostics) {}

    /// Adds a server. `stood`: the place of the node's name.
    /// Errors: recorded for an empty name, and for a name that is not new.
    void add(const ListedNode& node, const core::SourceSpan& stood);
    /// Errors: recorded for a list without nodes, for two levels of the same name, and for too many
    ///         levels.
    [[nodiscard]] std::optional<core::Topology> finish(const core::ResourceSchema& also,
                                                       const core::SourceSpan& whole);

private:
    void check_levels(const core::SourceSpan& whole);
    [[nodiscard]] LooseTree tree();

    std::vector<InventedLevel> levels_;
    core::Diagnostics& diagnostics_;
    core::ResourceSchema resources_;
    MachineTypePool types_;
    std::set<std::string> names_;
    std::vector<LooseTree::Node> servers_;
};

/// Reads a node list of Alibaba's GPU sharing trace (cluster-trace-gpu-v2023): a table with the
/// columns `sn,cpu_milli,memory_mib,gpu,model` and one server per row. The list has no levels
/// between the cluster and the servers: `levels` are made up, top-down.
///
/// Shape:  as for NodeList.
/// Errors: recorded, the first one of each row: a wrong header or row, a name that occurs twice, or
///         no rows.
[[nodiscard]] std::optional<core::Topology> read_openb_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

/// Reads the node list of Alibaba's trace of spot GPUs (cluster-trace-v2026-spot-gpu): a table with
/// the columns `gpu_model,gpu_capacity_num,cpu_num,node_name` and one server per row. It does not
/// tell the memory. Everything else is as for read_openb_nodes().
[[nodiscard]] std::optional<core::Topology> read_spot_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
