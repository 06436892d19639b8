#pragma once

#include <cstdint>
#include <optional>

#include "core/ledger/change_log.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// Decides, in addition to the amounts, whether a server can take a pod of one shape, by its
/// devices or providers. The answer for a server changes only when the ledger logs a change of that
/// server, or when the rule does.
class ServerRule {
public:
    virtual ~ServerRule() = default;
    /// What the rule adds to the server's score if the server can take one more pod; nothing if it
    /// cannot. The amounts are known to suffice.
    [[nodiscard]] virtual std::optional<std::int64_t> score(ServerId server) const = 0;
    /// How many more pods the server can take: at most `fit`, the number that the amounts allow.
    [[nodiscard]] virtual Members most(ServerId server, Members fit) const = 0;
    /// Servers whose score() changed although nothing on them did, because of something that they
    /// share with others. nullptr: there never are any.
    [[nodiscard]] virtual const ChangeLog* score_changes() const { return nullptr; }
    /// The same for most().
    [[nodiscard]] virtual const ChangeLog* most_changes() const { return nullptr; }
};

/// Two rules at once. Both outlive this object. Changes that only `second` knows of are not
/// reported.
class BothRules final : public ServerRule {
public:
    BothRules(const ServerRule& first, const ServerRule& second) : first_(first), second_(second) {}
    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        const auto one = first_.score(server);
        const auto other = one ? second_.score(server) : std::nullopt;
        return other ? std::optional(*one + *other) : std::nullopt;
    }
    [[nodiscard]] Members most(ServerId server, Members fit) const override {
        return second_.most(server, first_.most(server, fit));
    }
    [[nodiscard]] const ChangeLog* score_changes() const override { return first_.score_changes(); }
    [[nodiscard]] const ChangeLog* most_changes() const override { return first_.most_changes(); }

private:
    const ServerRule& first_;
    const ServerRule& second_;
};

}  // namespace berth::core
