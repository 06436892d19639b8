#include "experiments/program/run/provider_names.hpp"

#include <fmt/format.h>

#include <iterator>

#include "core/support/text.hpp"

namespace berth::experiments {

std::string provider_names(const sim::ProviderGrant& grant) {
    std::string out;
    for (std::size_t i = 0; grant != nullptr && i < grant->parts.size(); ++i) {
        const auto& [provider, type, amount] = grant->parts[i];
        core::append(out,
                     "{}{}:{}={}",
                     i == 0 ? "" : " ",
                     grant->forest->name(provider),
                     grant->forest->classes().name(type),
                     amount);
    }
    return out;
}

}  // namespace berth::experiments
