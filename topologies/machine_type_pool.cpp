#include "topologies/machine_type_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>

namespace berth::topologies {
namespace {

void append(std::string& key, char before, std::uint64_t number) {
    std::array<char, 24> text{before};
    const auto end = std::to_chars(text.data() + 1, text.data() + text.size(), number).ptr;
    key.append(text.data(), end);
}

std::string key_of(const std::string& name,
                   const SparseAmounts& amounts,
                   const std::vector<core::DeviceGroup>& devices) {
    std::string key = name;
    for (const auto& [resource, amount] : amounts) {
        if (amount != 0) {
            append(key, '\n', resource);
            append(key, ':', static_cast<std::uint64_t>(amount));
        }
    }
    for (const core::DeviceGroup& group : devices) {
        key += fmt::format("\n{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                           group.kind,
                           group.count,
                           group.model,
                           group.memory_bytes,
                           group.numa,
                           group.pcie,
                           group.nvlink,
                           group.virtual_functions,
                           group.traits);
    }
    return key;
}

}  // namespace

std::uint32_t MachineTypePool::intern(const std::string& name,
                                      const SparseAmounts& amounts,
                                      const std::vector<core::DeviceGroup>& devices) {
    const auto [at, fresh] = index_.try_emplace(key_of(name, amounts, devices),
                                                static_cast<std::uint32_t>(types_.size()));
    if (fresh) {
        types_.push_back({unused_name(name.empty() ? "machine" : name), {}, devices});
        amounts_.push_back(amounts);
    }
    return at->second;
}

std::string MachineTypePool::unused_name(const std::string& name) {
    std::string unused = name;
    for (int number = 2; !names_.insert(unused).second; ++number) {
        unused = fmt::format("{}-{}", name, number);
    }
    return unused;
}

std::vector<core::MachineType> MachineTypePool::finish(const core::ResourceSchema& resources) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
        types_[i].capacity = dense(amounts_[i], resources.size());
    }
    return std::move(types_);
}

}  // namespace berth::topologies
