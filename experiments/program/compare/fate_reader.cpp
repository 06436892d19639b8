#include "experiments/program/compare/fate_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <system_error>

#include "core/support/text.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::experiments {
namespace {

/// The nodes that a group used, from its columns LEVEL_used: `1 rack, 8 servers`.
std::string nodes_used(const report::CsvReader& csv) {
    constexpr std::string_view used = "_used";
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        const std::string_view name = csv.header()[c];
        const std::string& count = csv.field(c);
        if (name.ends_with(used) && !count.empty()) {
            parts.push_back(fmt::format("{} {}{}",
                                        count,
                                        name.substr(0, name.size() - used.size()),
                                        count == "1" ? "" : "s"));
        }
    }
    return core::join(parts, ", ");
}

/// The field of a column; empty in a table without that column.
std::string text(const report::CsvReader& csv, std::string_view column) {
    const auto found = csv.find_column(column);
    return found ? csv.field(*found) : "";
}

std::optional<double> number(const report::CsvReader& csv, std::string_view column) {
    const auto found = csv.find_column(column);
    return found ? csv.number(*found) : std::nullopt;
}

}  // namespace

void FateReader::Table::open(const std::filesystem::path& file) {
    if (report::has_table(file)) {
        csv.emplace(file);
        at_row = csv->next();
    }
}

void FateReader::Table::rows_of(std::int64_t replication, const std::function<void()>& row) {
    if (!csv) {
        return;
    }
    const std::size_t column = csv->column("replication");
    const auto wanted = static_cast<double>(replication);
    while (at_row && csv->required_number(column) <= wanted) {
        if (csv->required_number(column) == wanted) {
            row();
        }
        at_row = csv->next();
    }
}

FateReader::FateReader(const std::filesystem::path& run) {
    pods_.open(run / "pods.csv");
    groups_.open(run / "groups.csv");
}

Fate FateReader::read_pod() const {
    const report::CsvReader& csv = *pods_.csv;
    return {.name = csv.field(csv.column("pod")),
            .group = text(csv, "group"),
            .outcome = text(csv, "outcome"),
            .place = text(csv, "node"),
            .reason = text(csv, "reason"),
            .wait_s = number(csv, "wait_s"),
            .jct_s = number(csv, "jct_s")};
}

Fate FateReader::read_group() const {
    const report::CsvReader& csv = *groups_.csv;
    Fate fate;
    fate.name = csv.field(csv.column("group"));
    fate.wait_s = number(csv, "wait_s");
    const bool started = number(csv, "start_s").has_value();
    const auto submit = number(csv, "submit_s");
    const auto finish = number(csv, "finish_s");
    if (submit && finish) {
        fate.jct_s = *finish - *submit;
    }
    fate.outcome = finish ? "finished" : started ? "running" : "not started";
    fate.place = started ? nodes_used(csv) : "";
    return fate;
}

FateReader::Replication FateReader::read(std::int64_t replication) {
    Replication out;
    // groups.csv does not state why a group did not start, but the rows of its members do.
    std::map<std::string, std::size_t> first_member;
    pods_.rows_of(replication, [&] {
        out.pods.push_back(read_pod());
        if (!out.pods.back().group.empty()) {
            first_member.try_emplace(out.pods.back().group, out.pods.size() - 1);
        }
    });
    groups_.rows_of(replication, [&] {
        Fate& group = out.groups.emplace_back(read_group());
        const auto member = first_member.find(group.name);
        if (group.place.empty() && member != first_member.end()) {
            group.outcome = out.pods[member->second].outcome;
            group.reason = out.pods[member->second].reason;
        }
    });
    return out;
}

}  // namespace berth::experiments
