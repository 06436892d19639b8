#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/document/scheduler_documents.hpp"
#include "schedulers/slurm/documents/check_jobs.hpp"
#include "schedulers/slurm/documents/conf_file.hpp"
#include "schedulers/slurm/documents/node_records.hpp"
#include "schedulers/slurm/documents/slurm_cluster.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::array<std::string_view, 3> text_files{"conf", "gres", "accounting"};

/// The text of a file that stands behind a key, and its name for messages.
struct NamedText {
    std::string name;
    std::string text;
};

std::optional<NamedText> take_text(MapReader& map, const std::string& key) {
    const Value* value = map.take(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    MapReader file(*value, "file", map.diagnostics());
    const Value* text = file.take("text");
    file.report_unknown_keys();
    if (text == nullptr || !text->is_scalar()) {
        expected(*value, "the name of a file", map.diagnostics());
        return std::nullopt;
    }
    const bool is_of_file = text->span.source != value->span.source;
    return NamedText{is_of_file ? text->span.source->name : key, text->text};
}

std::vector<ConfLine> take_lines(MapReader& map, const std::string& key) {
    const auto file = take_text(map, key);
    return file ? conf_lines(file->text, file->name) : std::vector<ConfLine>();
}

/// The lines of sacctmgr.
std::vector<SlurmSetting> take_accounting(MapReader& map) {
    std::vector<SlurmSetting> lines;
    if (const auto file = take_text(map, "accounting")) {
        std::string_view rest = file->text;
        for (int number = 1; !rest.empty(); ++number) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            const std::string_view trimmed = line.substr(0, line.find_last_not_of(" \r\t") + 1);
            if (!trimmed.empty()) {
                lines.push_back(
                    {fmt::format("{}:{}", file->name, number), "the line", std::string(trimmed)});
            }
        }
    }
    return lines;
}

/// Keys of slurm.conf as a map.
std::vector<SlurmSetting> take_settings(MapReader& map) {
    std::vector<SlurmSetting> settings;
    const Value* value = map.take("settings");
    if (value == nullptr) {
        return settings;
    }
    if (!value->is_map()) {
        expected(*value, "keys of slurm.conf, such as {DefMemPerCPU: 1000}", map.diagnostics());
        return settings;
    }
    for (const core::Member& member : value->members) {
        const std::string& key = member.key;
        if (!member.value.is_scalar() || same_word(key, "NodeName") ||
            same_word(key, "PartitionName")) {
            expected(member.value,
                     "one text for each key, and nodes and partitions in conf",
                     map.diagnostics());
            continue;
        }
        settings.push_back({fmt::format("settings.{}", key), key, member.value.text});
    }
    return settings;
}

SlurmVersion take_version(MapReader& map) {
    const Value* value = map.take("version");
    const auto version = value == nullptr ? SlurmVersion() : version_in(value->text);
    if (!version) {
        expected(*value, "a version from '20.11' to '26.05'", map.diagnostics());
    }
    return version.value_or(SlurmVersion());
}

std::shared_ptr<const sim::SchedulerSettings> read_slurm(const Value& value,
                                                         const Value& /*topology*/,
                                                         const core::Topology& tree,
                                                         Diagnostics& diagnostics) {
    MapReader map(value, "slurm", diagnostics);
    auto settings = std::make_shared<sim::SlurmSettings>();
    std::vector<std::string> not_followed;
    try {
        SlurmFiles files;
        files.conf = take_lines(map, "conf");
        files.gres = take_lines(map, "gres");
        files.accounting = take_accounting(map);
        files.settings = take_settings(map);
        files.version = take_version(map);
        settings = slurm_settings_of(files, tree, not_followed);
    } catch (const SlurmFault& fault) {
        diagnostics.error(value.span, fault.what());
    }
    settings->members_are_tasks = map.choice("members", {"nodes", "tasks"}, 0) == 1;
    settings->priorities_are_stated = map.choice("priorities", {"computed", "stated"}, 0) == 1;
    map.report_unknown_keys();
    for (const std::string& sentence : not_followed) {
        diagnostics.warning(value.span, fmt::format("not followed: {}", sentence));
    }
    return settings;
}

}  // namespace

extern constinit const SchedulerDocuments slurm_documents;
constinit const SchedulerDocuments slurm_documents{
    .key = "slurm",
    .file_key = "conf",
    .text_files = text_files,
    .group = "slurm/",
    .example = "{slurm: slurm.conf}, or {slurm: {conf: slurm.conf, gres: gres.conf}}",
    .no_object = "",
    .schema = R"({
 "slurmText": {
  "title": "file",
  "description": "The text of a file of Slurm.",
  "type": "object",
  "properties": {"text": {"type": "string", "description": "The text itself."}},
  "additionalProperties": false
 },
 "slurm": {
  "title": "slurm",
  "description": "Slurm starts jobs: its files, and how jobs of a run are submitted to it.",
  "type": ["string", "object"],
  "properties": {
   "conf": {
    "anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/slurmText"}],
    "description": "slurm.conf. Without nodes in it, each server is one."
   },
   "gres": {
    "anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/slurmText"}],
    "description": "gres.conf."
   },
   "accounting": {
    "anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/slurmText"}],
    "description": "QOS and associations, as `sacctmgr -nP show` prints them."
   },
   "settings": {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "description": "Keys of slurm.conf that count after those of `conf`."
   },
   "version": {
    "type": ["string", "number"],
    "description": "The version of which defaults are, from 20.11 to 26.05; by default 22.05."
   },
   "members": {
    "enum": ["nodes", "tasks"],
    "description": "Whether members of a job have a node each, as by default, or are tasks."
   },
   "priorities": {
    "enum": ["computed", "stated"],
    "description": "Whether Slurm computes priorities, as by default, or jobs state them."
   }
  },
  "additionalProperties": false
 }
})",
    .holds_objects = [](const Value& /*document*/) { return false; },
    .check_objects = [](const std::vector<Value>& /*documents*/, Diagnostics& /*diagnostics*/) {},
    .read_scheduler = &read_slurm,
    .node_records = &records_of_conf,
    .check_experiment = &check_jobs_of_slurm};

}  // namespace berth::experiments
