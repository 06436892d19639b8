#include "core/group_allocator/group_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/group_allocator/group_key.hpp"
#include "core/support/assert.hpp"
#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

constexpr std::string_view gpu_group = "gpu";
constexpr std::string_view gpu_base = "cards";

struct GroupPath {
    std::vector<std::string> names;    ///< The names of the groups, from the outermost inwards.
    std::vector<std::string> indices;  ///< The index in each of these groups.
    std::string base;
};

GroupPath path_of(std::string_view name) {
    GroupPath path;
    std::string_view rest = below_group_prefix(name);
    while (const auto key = split_group_key(rest)) {
        path.names.emplace_back(key->name);
        path.indices.emplace_back(key->index);
        rest = key->rest;
    }
    path.base = rest;
    return path;
}

bool is_gpu(const GroupPath& path) {
    return !path.names.empty() && path.names.back() == gpu_group && path.base == gpu_base;
}

/// New numbers for groups of each name, above those that a request uses itself.
class FreshIndices {
public:
    void see(const std::string& group, const std::string& index) {
        const auto number = parse_number<std::int64_t>(index);
        if (number && *number >= 0 && *number < INT64_MAX) {
            next_[group] = std::max(next_[group], static_cast<std::uint64_t>(*number) + 1);
        }
    }
    std::uint64_t take(const std::string& group) { return next_[group]++; }

private:
    std::map<std::string, std::uint64_t> next_;
};

}  // namespace

GroupLevels::GroupLevels(const GroupAmounts& node) {
    for (const auto& [name, amount] : node) {
        const GroupPath path = path_of(name);
        has_gpus_ = has_gpus_ || is_gpu(path);
        Names names;
        for (const std::string& group : path.names) {
            names.push_back(group);
            paths_.insert(names);
        }
    }
}

/// The machine's path to the innermost of these groups that passes through all of them in order and
/// adds the fewest other groups; the groups themselves if the machine has no such path.
const GroupLevels::Names& GroupLevels::complete(const Names& names) const {
    BERTH_ASSERT(!names.empty(), "a path leads to the innermost group");
    const auto leads_through = [&](const Names& path) {
        auto next = names.begin();
        for (const std::string& group : path) {
            next += next != names.end() && *next == group ? 1 : 0;
        }
        return next == names.end() && path.back() == names.back();
    };
    const Names* best = &names;
    for (const Names& path : paths_) {
        if (leads_through(path) && (best == &names || path.size() < best->size())) {
            best = &path;
        }
    }
    return *best;
}

GroupAmounts GroupLevels::translate(std::int64_t count, const GroupAmounts& requests) const {
    FreshIndices fresh;
    std::int64_t named = 0;
    for (const auto& [name, amount] : requests) {
        const GroupPath path = path_of(name);
        named += is_gpu(path) ? 1 : 0;
        for (std::size_t i = 0; i < path.names.size(); ++i) {
            fresh.see(path.names[i], path.indices[i]);
        }
    }
    GroupAmounts all = requests;
    for (std::int64_t i = named; has_gpus_ && i < count; ++i) {
        const std::uint64_t index = fresh.take(std::string(gpu_group));
        all.emplace(fmt::format("{}/{}/{}/{}", group_prefix, gpu_group, index, gpu_base), 1);
    }
    GroupAmounts translated;
    // For each group that is asked for, the groups put around it.
    std::map<std::string, std::string> around;
    for (const auto& [name, amount] : all) {
        const GroupPath path = path_of(name);
        if (path.names.empty()) {
            translated.emplace(name, amount);
            continue;
        }
        std::string full_name(group_prefix);
        std::string asked = full_name;
        const Names& full = complete(path.names);
        auto missing = full.begin();
        for (std::size_t i = 0; i < path.names.size(); ++i, ++missing) {
            asked += fmt::format("/{}/{}", path.names[i], path.indices[i]);
            const auto [groups, first] = around.try_emplace(asked);
            for (; *missing != path.names[i]; ++missing) {
                BERTH_ASSERT(missing + 1 != full.end(),
                             "the machine's path has the groups that are asked for, in order");
                if (first) {
                    groups->second += fmt::format("/{}/{}", *missing, fresh.take(*missing));
                }
            }
            full_name += groups->second + fmt::format("/{}/{}", path.names[i], path.indices[i]);
        }
        translated.emplace(fmt::format("{}/{}", full_name, path.base), amount);
    }
    return translated;
}

}  // namespace berth::core
