#include "experiments/program/report/device_setup.hpp"

namespace berth::report {
namespace {

/// `text` after `key` and `: `, when it begins with that.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
    if (!text.starts_with(key) || !text.substr(key.size()).starts_with(": ")) {
        return std::nullopt;
    }
    return text.substr(key.size() + 2);
}

/// Lines of the block that `key:` opened at `indent` go on until a line that stands as far left.
struct Block {
    std::string_view key;
    std::size_t indent = std::string_view::npos;  ///< npos: outside.

    /// Takes the next line; whether it is within the block.
    bool holds(std::size_t at, std::string_view text) {
        const bool inside =
            indent != std::string_view::npos && (at > indent || (at == indent && text[0] == '-'));
        if (!inside) {
            indent = text == key ? at : std::string_view::npos;
        }
        return inside;
    }
};

}  // namespace

DeviceSetup device_setup(std::string_view configuration) {
    DeviceSetup setup;
    Block reserve{"reserve:"};
    Block metadata{"metadata:"};
    std::string solver;
    std::string rules;
    while (!configuration.empty()) {
        const std::size_t end = configuration.find('\n');
        const std::string_view line = configuration.substr(0, end);
        configuration.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string_view::npos) {
            continue;
        }
        std::string_view text = line.substr(indent);
        if (metadata.holds(indent, text) && value_of(text, "name")) {
            continue;
        }
        if (reserve.holds(indent, text)) {
            const bool item = text.starts_with("- ");
            text.remove_prefix(item ? 2 : 0);
            if (item && text.find(": ") == std::string_view::npos) {
                // Named alone: the same as with a map around it.
                setup.allocator = text;
                setup.otherwise += std::string(indent, ' ') + "- name: " + std::string(text) + '\n';
                continue;
            }
            if (const auto name = value_of(text, "name")) {
                setup.allocator = *name;
            } else if (const auto which = value_of(text, "solver")) {
                solver = *which;
                continue;
            } else if (const auto whose = value_of(text, "rules")) {
                rules = *whose;
            }
        }
        setup.otherwise += std::string(line) + '\n';
    }
    setup.exact = solver == "exact";
    if (!setup.allocator.empty() && setup.allocator != "first-fit") {
        setup.allocator += setup.exact ? ", exact" : ", greedy";
        setup.allocator += rules.empty() ? "" : ", " + rules + " rules";
    }
    return setup;
}

std::vector<std::optional<std::size_t>> exact_partners(const std::vector<DeviceSetup>& setups) {
    std::vector<std::optional<std::size_t>> partners(setups.size());
    for (std::size_t run = 0; run < setups.size(); ++run) {
        for (std::size_t other = 0; other < setups.size() && !partners[run]; ++other) {
            if (!setups[run].exact && setups[other].exact && !setups[run].allocator.empty() &&
                setups[run].otherwise == setups[other].otherwise) {
                partners[run] = other;
            }
        }
    }
    return partners;
}

}  // namespace berth::report
