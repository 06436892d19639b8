#include "experiments/program/config/cluster/slurm_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/node_rules/labels.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/text.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/sha256.hpp"
#include "workloads/trace/host_list.hpp"
#include "workloads/trace/slurm_amounts.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view nodes_expected =
    "expected what scontrol show node prints, or with --json, sinfo --json, or slurm.conf";

/// What Slurm tells about a node, as texts.
struct SlurmNode {
    std::string name;
    std::string cpus;
    std::string memory_mib;
    std::string memory_apart_mib;  ///< Memory that is reserved for the system, so that jobs cannot
                                   ///< get it.
    std::string gres;
    std::vector<std::string> states;
    std::vector<std::string> partitions;
    std::vector<std::string> features;
};

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) {
            parts.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

/// Reads a text, a number, or a number that may not be set, as versions since 23.02 write it.
std::string text_of(const Json& node, const char* key) {
    const auto found = node.find(key);
    if (found == node.end() || found->is_null()) {
        return "";
    }
    if (found->is_object()) {
        const auto is_set = found->find("set");
        const bool is_unset = is_set != found->end() && *is_set == false;
        return !is_unset && found->contains("number") ? dumped((*found)["number"]) : "";
    }
    return found->is_string() ? found->get<std::string>() : dumped(*found);
}

std::vector<std::string> list_of(const Json& node, const char* key) {
    const auto found = node.find(key);
    if (found != node.end() && found->is_array()) {
        std::vector<std::string> out;
        for (const Json& item : *found) {
            out.push_back(item.is_string() ? item.get<std::string>() : dumped(item));
        }
        return out;
    }
    return split(text_of(node, key), ",");
}

SlurmNode node_of(const Json& json) {
    SlurmNode node;
    node.name = text_of(json, "name");
    node.cpus = text_of(json, json.contains("effective_cpus") ? "effective_cpus" : "cpus");
    node.memory_mib = text_of(json, "real_memory");
    node.memory_apart_mib = text_of(json, "specialized_memory");
    node.gres = text_of(json, "gres");
    node.states = list_of(json, "state");
    std::ranges::copy(list_of(json, "state_flags"), std::back_inserter(node.states));
    node.partitions = list_of(json, "partitions");
    node.features = list_of(json, "active_features");
    return node;
}

/// The value of a key in a record of `scontrol show node`; "" if the key is missing.
std::string value_in(std::string_view record, std::string_view key) {
    const std::string marked = fmt::format(" {}=", key);
    const std::size_t at = record.find(marked);
    if (at == std::string_view::npos) {
        return "";
    }
    const std::string_view rest = record.substr(at + marked.size());
    const std::string_view value = rest.substr(0, rest.find_first_of(" \t\r\n"));
    return value == "(null)" ? "" : std::string(value);
}

SlurmNode node_in_record(std::string_view record) {
    SlurmNode node;
    node.name = value_in(record, "NodeName");
    node.cpus = value_in(record, "CPUEfctv");
    if (node.cpus.empty()) {
        node.cpus = value_in(record, "CPUTot");
    }
    node.memory_mib = value_in(record, "RealMemory");
    node.memory_apart_mib = value_in(record, "MemSpecLimit");
    node.gres = value_in(record, "Gres");
    node.states = split(value_in(record, "State"), "+");
    node.partitions = split(value_in(record, "Partitions"), ",");
    node.features = split(value_in(record, "ActiveFeatures"), ",");
    return node;
}

/// Reads records that begin with the name of a node and may go over several lines.
std::vector<SlurmNode> nodes_in_text(std::string_view text) {
    constexpr std::string_view first_key = "NodeName=";
    std::vector<SlurmNode> nodes;
    for (std::size_t at = text.find(first_key); at != std::string_view::npos;) {
        const std::size_t next = text.find(fmt::format("\n{}", first_key), at);
        std::string record = fmt::format(" {}", text.substr(at, next - at));
        std::ranges::replace(record, '\n', ' ');
        nodes.push_back(node_in_record(record));
        at = next == std::string_view::npos ? next : next + 1;
    }
    return nodes;
}

/// The value below two keys as a text; empty if there is none.
std::string text_below_of(const Json& json, const char* key, const char* inner) {
    const auto outer = json.find(key);
    return outer != json.end() && outer->is_object() ? text_of(*outer, inner) : "";
}

/// The amount that all nodes of an entry have. Errors: core::InputError if they differ.
std::string equal_amount(const Json& entry, const char* key, const core::SourceSpan& whole) {
    std::string least = text_below_of(entry, key, "minimum");
    if (least != text_below_of(entry, key, "maximum")) {
        throw core::InputError(whole,
                               fmt::format("sinfo shows nodes with different {} together: expected "
                                           "what scontrol show node --json prints",
                                           key));
    }
    return least;
}

/// Adds the nodes of an entry of `sinfo --json`, as versions since 23.02 write it: nodes that are
/// equal in what it shows, in one partition.
void add_nodes_of_sinfo(const Json& entry,
                        const core::SourceSpan& whole,
                        std::unordered_map<std::string, std::size_t>& places,
                        std::vector<SlurmNode>& nodes) {
    SlurmNode like;
    like.cpus = equal_amount(entry, "cpus", whole);
    like.memory_mib = equal_amount(entry, "memory", whole);
    like.gres = text_below_of(entry, "gres", "total");
    like.features = split(text_below_of(entry, "features", "total"), ",");
    like.partitions = split(text_below_of(entry, "partition", "name"), ",");
    if (const auto node = entry.find("node"); node != entry.end() && node->is_object()) {
        like.states = list_of(*node, "state");
    }
    const auto named = entry.find("nodes");
    if (named == entry.end() || !named->is_object()) {
        return;
    }
    for (const std::string& names : list_of(*named, "nodes")) {
        for (const std::string& name :
             workloads::expand_host_list(names).value_or(std::vector<std::string>{names})) {
            const auto [place, is_new] = places.try_emplace(name, nodes.size());
            if (is_new) {
                nodes.push_back(like);
                nodes.back().name = name;
            } else {
                std::ranges::copy(like.partitions,
                                  std::back_inserter(nodes[place->second].partitions));
            }
        }
    }
}

std::vector<SlurmNode> nodes_in(const core::SourceText& source, const core::SourceSpan& whole) {
    for (const SchedulerDocuments& scheduler : scheduler_documents()) {
        if (const auto records = scheduler.node_records(source)) {
            return nodes_in_text(*records);
        }
    }
    const std::string_view text = source.text;
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || text[begin] != '{') {
        return nodes_in_text(text);
    }
    std::vector<SlurmNode> nodes;
    const Json json = parsed_if_json(text);
    if (!json.is_object()) {
        return nodes;
    }
    if (const auto list = json.find("nodes"); list != json.end() && list->is_array()) {
        for (const Json& one : *list) {
            nodes.push_back(node_of(one));
        }
    } else if (const auto entries = json.find("sinfo"); entries != json.end()) {
        std::unordered_map<std::string, std::size_t> places;
        for (const Json& entry : *entries) {
            add_nodes_of_sinfo(entry, whole, places, nodes);
        }
    }
    return nodes;
}

bool is_any(std::string_view state, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, state) != words.end();
}

/// Writes whether a node works, and whether it accepts jobs.
void put_state(const SlurmNode& node, Json& out) {
    bool works = true;
    bool takes_jobs = true;
    for (std::string state : node.states) {
        works = works && !state.ends_with('*');  // the node does not answer
        while (!state.empty() && std::isalpha(static_cast<unsigned char>(state.back())) == 0) {
            state.pop_back();
        }
        std::ranges::transform(
            state, state.begin(), [](unsigned char c) { return std::toupper(c); });
        works = works && !is_any(state,
                                 {"DOWN",
                                  "ERROR",
                                  "FAIL",
                                  "FAILING",
                                  "FUTURE",
                                  "UNKNOWN",
                                  "NOT_RESPONDING",
                                  "INVALID_REG",
                                  "REBOOT",
                                  "REBOOT_ISSUED"});
        takes_jobs =
            takes_jobs &&
            !is_any(
                state,
                {"DRAIN", "DRAINED", "DRAINING", "MAINT", "MAINTENANCE", "RESERVED", "BLOCKED"});
    }
    if (!takes_jobs) {
        out["spec"]["unschedulable"] = true;
    }
    out["status"]["conditions"] = {{{"type", "Ready"}, {"status", works ? "True" : "False"}}};
}

/// `gpu:a100:4(S:0-1)` without the part that names the sockets.
std::string without_sockets(std::string_view gres) {
    std::string out;
    bool inside = false;
    for (const char c : gres) {
        inside = inside || c == '(';
        if (!inside) {
            out += c;
        }
        inside = inside && c != ')';
    }
    return out;
}

Json as_kubernetes(const SlurmNode& node, const core::SourceSpan& whole) {
    const auto number = [&](const std::string& text, const char* what) {
        const auto read = core::parse_number<std::int64_t>(text);
        if (!read || *read < 0) {
            throw core::InputError(
                whole,
                fmt::format(
                    "node '{}' has {} '{}': expected a whole number", node.name, what, text));
        }
        return *read;
    };
    Json out{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", node.name}}}};
    Json& labels = out["metadata"]["labels"] = Json::object();
    for (const std::string& name : node.partitions) {
        labels[fmt::format("{}{}", partition_label, label_part(name))] = "true";
    }
    for (const std::string& name : node.features) {
        labels[fmt::format("slurm.feature/{}", label_part(name))] = "true";
    }
    Json& amounts = out["status"]["allocatable"];
    amounts["cpu"] = std::to_string(number(node.cpus, "CPUs"));
    if (!node.memory_mib.empty()) {
        const std::int64_t apart =
            node.memory_apart_mib.empty() ? 0 : number(node.memory_apart_mib, "MemSpecLimit");
        amounts["memory"] = fmt::format(
            "{}Mi", std::max<std::int64_t>(number(node.memory_mib, "memory") - apart, 0));
    }
    std::vector<std::string> models;
    const auto gpus = workloads::parse_gres(without_sockets(node.gres), models);
    if (!gpus) {
        throw core::InputError(whole,
                               fmt::format("node '{}' has generic resources '{}': expected such as "
                                           "gpu:a100:4",
                                           node.name,
                                           node.gres));
    }
    if (*gpus > 0) {
        amounts["nvidia.com/gpu"] = std::to_string(*gpus);
    }
    if (!models.empty()) {
        labels["nvidia.com/gpu.product"] = label_part(core::join(models, "_"));
    }
    put_state(node, out);
    return out;
}

}  // namespace

std::string label_part(std::string_view name) {
    if (!name.empty() && core::is_label_value(name)) {
        return std::string(name);
    }
    std::string part;
    for (const char c : name) {
        const bool is_kept = core::is_label_value(std::string(1, c));  // a letter or a digit
        part += is_kept || (!part.empty() && (c == '-' || c == '.')) ? c : '_';
    }
    part.erase(0, part.find_first_not_of('_'));
    constexpr std::size_t most = 54;  // of 63, less the digest
    part.resize(std::min(part.size(), most));
    Sha256 digest;
    digest.add(name);
    return fmt::format("{}{}{}", part, part.empty() ? "" : "-", digest.hex().substr(0, 8));
}

core::Value read_slurm_nodes(const std::shared_ptr<const core::SourceText>& source) {
    const core::SourceSpan whole{source, 1, 1, 1};
    const std::vector<SlurmNode> nodes = nodes_in(*source, whole);
    if (nodes.empty()) {
        throw core::InputError(whole, fmt::format("found no node of Slurm: {}", nodes_expected));
    }
    Json list{{"apiVersion", "v1"}, {"kind", "NodeList"}, {"items", Json::array()}};
    for (const SlurmNode& node : nodes) {
        list["items"].push_back(as_kubernetes(node, whole));
    }
    auto text = std::make_shared<core::SourceText>();
    text->name = source->name;
    text->text = dumped(list, 1);
    return parse_documents(text).front();
}

bool begins_as_slurm_nodes(std::string_view text) {
    return text.starts_with("NodeName=") ||
           (text.find("\"real_memory\"") != text.npos && text.find("\"threads\"") != text.npos) ||
           text.find("\"sinfo\"") != text.npos;
}

}  // namespace berth::experiments
