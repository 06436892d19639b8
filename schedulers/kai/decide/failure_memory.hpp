#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

/// Remembers which jobs found no victims, so that a job which is not easier is not tried.
class FailureMemory {
public:
    explicit FailureMemory(const Session& session) : session_(session) {}

    /// Whether no job like this one failed that asks for as little.
    [[nodiscard]] bool is_worth_a_try(const Job& job) const;
    void remember(const Job& job);

private:
    /// The constraints of each leaf and its ancestors, with its number of pods that are not active.
    using Signature =
        std::vector<std::pair<std::vector<std::optional<TopologyConstraint>>, std::int64_t>>;

    [[nodiscard]] Signature signature(const Job& job) const;
    [[nodiscard]] std::vector<Vector> requests(const Job& job) const;

    const Session& session_;
    std::map<Signature, const Job*> failed_;
};

}  // namespace berth::core::kai
