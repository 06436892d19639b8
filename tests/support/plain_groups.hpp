#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/group_allocator/group_key.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/group_machine.hpp"

namespace berth::tests {

/// A machine as the reader delivers it.
struct PlainGroupMachine {
    core::GroupAmounts allocatable;
    core::GroupAmounts used;
    core::GroupScorers scorers;

    [[nodiscard]] const core::GroupScorer& scorer(const std::string& name) const {
        const auto named = scorers.find(name);
        return named == scorers.end() ? core::default_group_scorer(name) : *named->second;
    }
    [[nodiscard]] core::Amount used_of(const std::string& name) const {
        const auto found = used.find(name);
        return found == used.end() ? 0 : found->second;
    }
};

/// Full names by their keys in a group.
using PlainGroup = std::map<std::string, std::string>;

/// The content of a group: base resources, and subgroups by name and index.
struct PlainSplit {
    PlainGroup base;
    std::map<std::string, std::map<std::string, PlainGroup>> subgroups;
};

inline PlainSplit plain_split(const std::string& name, const PlainGroup& group) {
    PlainSplit out;
    for (const auto& [key, full] : group) {
        const bool below = full.starts_with(name + "/");
        const std::string rest = below ? full.substr(name.size() + 1) : "";
        const std::size_t first = rest.find('/');
        const std::size_t second = first == std::string::npos ? first : rest.find('/', first + 1);
        if (second == std::string::npos) {
            out.base[key] = full;
        } else {
            out.subgroups[rest.substr(0, first)][rest.substr(first + 1, second - first - 1)]
                         [rest.substr(second + 1)] = full;
        }
    }
    return out;
}

/// All group resources by their full names.
inline PlainGroup plain_group(const core::GroupAmounts& amounts) {
    PlainGroup out;
    for (const auto& [name, amount] : amounts) {
        out[name] = name;
    }
    return out;
}

/// The keys of a map, sorted by the given rules.
template <class Value>
std::vector<std::string> ordered_keys(const std::map<std::string, Value>& map,
                                      core::GroupOrder order) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) {
        keys.push_back(key);
    }
    std::ranges::sort(keys, [order](const std::string& a, const std::string& b) {
        return core::compare_names(a, b, order) == std::strong_ordering::less;
    });
    return keys;
}

/// The sizes of random machines and pods.
struct PlainSizes {
    int gpus = 12;
    int running = 2;
    int init = 1;
    int requests = 4;      ///< Greatest number of requested GPUs of each container.
    bool oddities = true;  ///< Single scorers, negative and excessive usage.
};

class RandomGroups {
public:
    RandomGroups(Dice& dice, const PlainSizes& sizes)
        : dice_(dice),
          sizes_(sizes),
          levels_(dice.roll(0, 2)),
          memory_(dice.chance(50)),
          kinds_(dice.chance(30)) {}

    PlainGroupMachine machine() {
        PlainGroupMachine out;
        const std::int64_t gpus = dice_.roll(1, sizes_.gpus);
        const std::int64_t inner = dice_.roll(1, 3);
        const std::int64_t outer = dice_.roll(1, 2);
        const int busy = static_cast<int>(dice_.roll(0, 60));
        const auto add = [&](const std::string& name, core::Amount amount) {
            const std::string full = "resource/group/" + name;
            out.allocatable[full] = amount;
            if (dice_.chance(busy)) {
                out.used[full] = dice_.chance(40) ? amount : dice_.roll(0, amount);
            }
            if (sizes_.oddities && dice_.chance(2)) {
                out.used[full] = dice_.chance(50) ? -1 : amount + 1;
            }
            if (sizes_.oddities && dice_.chance(5)) {
                out.scorers[full] = any_scorer();
            }
        };
        for (std::int64_t i = 0; i < gpus; ++i) {
            std::string at;
            for (std::int64_t level = levels_; level-- > 0;) {
                const std::int64_t index = level == 0 ? i / inner : i / (inner * outer);
                at += "gpugrp" + std::to_string(level) + "/" + std::to_string(index) + "/";
                if (dice_.chance(6)) {
                    add(at + "slots", dice_.roll(1, 4));
                }
            }
            at += "gpu/dev" + std::to_string(i) + "/";
            add(at + "cards", dice_.chance(90) ? 1 : 2);
            if (memory_) {
                add(at + "memory", 4 * dice_.roll(1, 3));
            }
            if (kinds_) {
                add(at + "enumType", dice_.roll(1, 7));
            }
        }
        if (dice_.chance(20)) {
            add("cpu", dice_.roll(1, 8));
        }
        return out;
    }

    GroupAsks asks(const PlainGroupMachine& machine) {
        GroupAsks out;
        const std::int64_t running = dice_.roll(sizes_.init == 0 ? 1 : 0, sizes_.running);
        const std::int64_t init = dice_.roll(running == 0 ? 1 : 0, sizes_.init);
        for (std::int64_t c = 0; c < running + init; ++c) {
            GroupAsk& ask = out.emplace_back();
            ask.init = c >= running;
            ask.name = (ask.init ? "init" : "run") + std::to_string(c);
            fill(ask, machine);
        }
        return out;
    }

private:
    const core::GroupScorer* any_scorer() {
        return &core::group_scorers()[static_cast<std::size_t>(dice_.roll(0, 2))].get();
    }

    void fill(GroupAsk& ask, const PlainGroupMachine& machine) {
        const auto add = [&](const std::string& name, core::Amount amount) {
            const std::string full = "resource/group/" + name;
            ask.requests[full] = amount;
            if (sizes_.oddities && dice_.chance(5)) {
                ask.scorers[full] = any_scorer();
            }
        };
        const std::int64_t requests = dice_.chance(8) ? 0 : dice_.roll(1, sizes_.requests);
        const bool together = dice_.chance(50);
        for (std::int64_t i = 0; i < requests; ++i) {
            std::string at;
            for (std::int64_t level = levels_; level-- > 0;) {
                const std::int64_t index = together ? dice_.roll(0, 1) : i;
                at += "gpugrp" + std::to_string(level) + "/R" + std::to_string(index) + "/";
                if (dice_.chance(4)) {
                    add(at + "slots", dice_.roll(0, 2));
                }
            }
            at += (dice_.chance(98) ? "gpu/" : "tpu/") + std::to_string(i) + "/";
            add(at + "cards", dice_.chance(95) ? 1 : dice_.roll(0, 2));
            if (memory_ && dice_.chance(60)) {
                add(at + "memory", dice_.roll(1, 10));
            }
            if (kinds_ && dice_.chance(60)) {
                add(at + "enumType", dice_.roll(0, 7));
            }
        }
        if (dice_.chance(10)) {
            add("cpu", dice_.roll(0, 4));
        }
        if (!ask.requests.empty() && dice_.chance(5)) {
            ask.from.emplace();
            for (const auto& [name, amount] : ask.requests) {
                const auto at =
                    dice_.roll(0, static_cast<std::int64_t>(machine.allocatable.size()));
                const auto resource =
                    std::next(machine.allocatable.begin(),
                              std::min<std::ptrdiff_t>(at, std::ssize(machine.allocatable) - 1));
                if (dice_.chance(97)) {
                    (*ask.from)[name] = resource->first;
                }
            }
        }
    }

    Dice& dice_;
    PlainSizes sizes_;
    std::int64_t levels_;
    bool memory_;
    bool kinds_;
};

}  // namespace berth::tests
