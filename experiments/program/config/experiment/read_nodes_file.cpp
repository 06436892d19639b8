#include "experiments/program/config/experiment/read_nodes_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <vector>

#include "core/support/file_reader.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/cluster/slurm_nodes.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/alibaba_nodes_reader.hpp"
#include "topologies/kubernetes_nodes.hpp"
#include "workloads/trace/text_blocks.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

/// A format of nodes, and the columns that only its tables have.
struct NodesFormat {
    const char* name;
    const char* first;
    const char* second;
};
constexpr std::array tables{NodesFormat{"openb", "sn", "cpu_milli"},
                            NodesFormat{"spot", "gpu_capacity_num", "cpu_num"}};

constexpr std::size_t header_bytes_max = std::size_t{1} << 16U;

/// The beginning of a file; empty if it cannot be read, because the reader of the whole file
/// reports why.
std::string beginning_of(const std::filesystem::path& file) {
    if (file == "-") {
        return read_source(file)->text.substr(0, header_bytes_max);
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    std::string text(header_bytes_max + byte_order_mark.size(), '\0');
    try {
        const auto in = workloads::open_text(file.string());
        const auto got = in->rdbuf()->sgetn(text.data(), std::ssize(text));
        text.resize(static_cast<std::size_t>(got));
    } catch (const core::ReadError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        return {};
    }
    return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

/// The format of a table by its header; nullptr if it is no table of nodes, and may be a document.
const NodesFormat* format_by_header(std::string_view text) {
    const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
    const auto names = workloads::names_in(header.substr(0, header_bytes_max), ',');
    const auto* const at = std::ranges::find_if(tables, [&](const NodesFormat& format) {
        return std::ranges::find(names, format.first) != names.end() &&
               std::ranges::find(names, format.second) != names.end();
    });
    return at == tables.end() ? nullptr : at;
}

}  // namespace

std::optional<core::Topology> read_nodes_file(const std::filesystem::path& file,
                                              const std::string& format,
                                              std::string_view option,
                                              core::Diagnostics& diagnostics) {
    const std::vector<std::string> known{"kubernetes", "openb", "slurm", "spot"};
    if (!format.empty() && std::ranges::find(known, format) == known.end()) {
        throw core::InputError(fmt::format("{}: error: unknown format '{}' of nodes: expected {}{}",
                                           file.string(),
                                           format,
                                           core::alternatives(known),
                                           core::suggestion(format, known)));
    }
    if (format == "kubernetes") {
        return read_topology_file(file, diagnostics);
    }
    const std::string beginning = format.empty() ? beginning_of(file) : "";
    if (format == "slurm" || begins_as_slurm_nodes(beginning)) {
        return topologies::read_kubernetes_nodes(read_slurm_nodes(read_source(file)),
                                                 topologies::default_label_levels(),
                                                 {},
                                                 diagnostics);
    }
    const NodesFormat* likely = format.empty() ? format_by_header(beginning) : nullptr;
    if (format.empty() && likely == nullptr) {
        return read_topology_file(file, diagnostics);
    }
    const auto source = read_source(file);
    if (likely != nullptr) {
        diagnostics.warning({source, 0, 0, 0},
                            fmt::format("read as nodes of the format {}, since its header has {} "
                                        "and {}; {} names another",
                                        likely->name,
                                        likely->first,
                                        likely->second,
                                        option));
    }
    const std::string of = likely != nullptr ? likely->name : format;
    return of == "openb" ? topologies::read_openb_nodes(source, {}, {}, diagnostics)
                         : topologies::read_spot_nodes(source, {}, {}, diagnostics);
}

}  // namespace berth::experiments
