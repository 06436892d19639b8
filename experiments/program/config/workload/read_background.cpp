#include "experiments/program/config/workload/read_background.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/support/csv_record.hpp"
#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

using core::CsvField;
using core::Diagnostics;
using Fields = std::span<const CsvField>;

class BackgroundReader {
public:
    BackgroundReader(const core::Value& csv,
                     const core::Topology& tree,
                     core::Diagnostics& diagnostics)
        : csv_(csv),
          tree_(tree),
          servers_(tree.servers_by_name()),
          diagnostics_(diagnostics),
          own_file_(csv.span.source && csv.span.source->text == csv.text) {}

    GivenBackground read() {
        std::istringstream lines(csv_.text);
        std::string line;
        core::CsvRecord record;
        for (int number = 1; std::getline(lines, line); ++number) {
            if (line.ends_with('\r')) {
                line.pop_back();
            }
            if (line.empty()) {
                continue;
            }
            line_ = number;
            if (const auto fault = record.split(line)) {
                diagnostics_.error(span_of({{}, fault->at, 1}), std::string(fault->message));
            } else if (!columns_.empty()) {
                read_row(record.fields());
            } else if (!read_header(record.fields())) {
                break;
            }
        }
        if (columns_.empty() && !diagnostics_.failed()) {
            diagnostics_.error(csv_.span, "no header: expected server,RESOURCE,...");
        }
        return std::move(given_);
    }

private:
    /// The place of a field, if the lines are those of a file itself and not those of a text in
    /// another.
    [[nodiscard]] core::SourceSpan span_of(const CsvField& field) const {
        core::SourceSpan at = csv_.span;
        if (own_file_) {
            at.line = line_;
            at.column = 1 + static_cast<int>(field.begin);
            at.length = static_cast<int>(std::max<std::size_t>(field.length, 1));
        }
        return at;
    }
    [[nodiscard]] core::SourceSpan span_of(Fields fields) const {
        const CsvField& last = fields.back();
        return span_of({{}, fields[0].begin, last.begin + last.length - fields[0].begin});
    }

    /// Reads the header. Returns whether it is one.
    bool read_header(Fields header) {
        if (header.size() < 2 || header[0].text != "server") {
            diagnostics_.error(span_of(header), "no header: expected server,RESOURCE,...");
            return false;
        }
        std::vector<std::size_t> columns;
        for (const CsvField& field : header.subspan(1)) {
            const std::string name(field.text);
            const auto resource = tree_.resources().find(name);
            if (!resource) {
                diagnostics_.error(span_of(header),
                                   fmt::format("unknown resource '{}': expected {}{}",
                                               name,
                                               core::alternatives(tree_.resources().names()),
                                               core::suggestion(name, tree_.resources().names())));
                return false;
            }
            if (std::ranges::find(columns, *resource) != columns.end()) {
                diagnostics_.error(span_of(header),
                                   fmt::format("'{}' a second time: expected it once", name));
                return false;
            }
            columns.push_back(*resource);
        }
        columns_ = std::move(columns);
        return true;
    }

    void read_row(Fields cells) {
        const std::string name(cells[0].text);
        const auto server = servers_.find(name);
        if (cells.size() != columns_.size() + 1) {
            diagnostics_.error(
                span_of(cells),
                fmt::format(
                    "{} fields: expected {} as in the header", cells.size(), columns_.size() + 1));
        } else if (server == servers_.end()) {
            diagnostics_.error(
                span_of(cells),
                fmt::format("unknown server '{}': expected one of the topology", name));
        } else if (!seen_.insert(server->second.index).second) {
            diagnostics_.error(span_of(cells),
                               fmt::format("server '{}' a second time: expected it once", name));
        } else {
            read_amounts(cells, server->second);
        }
    }

    void read_amounts(Fields cells, core::ServerId server) {
        const core::ResourceSchema& resources = tree_.resources();
        const core::Amounts& capacity = tree_.machine_type(server).capacity;
        GivenBackground::Row row{server, std::vector<core::Amount>(resources.size(), 0)};
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::size_t resource = columns_[i];
            const CsvField& cell = cells[i + 1];
            const std::string text(cell.text);
            core::Amount& amount = row.amounts[resource];
            amount = read_amount(span_of(cell), text, resource, resources, diagnostics_);
            const core::Amount whole = capacity(static_cast<Eigen::Index>(resource));
            if (amount > whole) {
                diagnostics_.error(
                    span_of(cell),
                    fmt::format("{} of {} on '{}': expected at most its capacity, {}",
                                text,
                                resources.name(resource),
                                cells[0].text,
                                resources.format(resource, whole)));
            }
        }
        given_.rows.push_back(std::move(row));
    }

    const core::Value& csv_;
    const core::Topology& tree_;
    decltype(tree_.servers_by_name()) servers_;
    core::Diagnostics& diagnostics_;
    bool own_file_;
    int line_ = 0;
    std::vector<std::size_t> columns_;  ///< The resource of each column behind the first.
    std::set<std::uint32_t> seen_;
    GivenBackground given_;
};

}  // namespace

GivenBackground read_background(const core::Value& csv,
                                const core::Topology& tree,
                                core::Diagnostics& diagnostics) {
    return BackgroundReader(csv, tree, diagnostics).read();
}

}  // namespace berth::experiments
