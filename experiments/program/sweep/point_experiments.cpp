#include "experiments/program/sweep/point_experiments.hpp"

#include <fmt/format.h>

#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

/// Text that no other value has: lengths stand before what has one.
void add(const core::Value& value, Sha256& digest) {
    const auto add_text = [&](char kind, const std::string& text) {
        digest.add(fmt::format("{}{}:", kind, text.size()));
        digest.add(text);
    };
    switch (value.kind) {
        case core::Value::Kind::null:
            digest.add("n");
            break;
        case core::Value::Kind::scalar:
            add_text('s', value.text);
            break;
        case core::Value::Kind::list:
            digest.add(fmt::format("l{}:", value.items.size()));
            for (const core::Value& item : value.items) {
                add(item, digest);
            }
            break;
        case core::Value::Kind::map:
            digest.add(fmt::format("m{}:", value.members.size()));
            for (const core::Member& member : value.members) {
                add_text('k', member.key);
                add(member.value, digest);
            }
            break;
    }
}

}  // namespace

core::Value PointExperiments::resolved(std::size_t point) {
    std::vector<Override> changes = points_.changes(point);
    if (sweep_.replications) {
        core::Value replications;
        replications.kind = core::Value::Kind::scalar;
        replications.text = fmt::format("{}", *sweep_.replications);
        replications.span = sweep_.experiment.span;
        changes.insert(changes.begin(),
                       {"spec.replications", std::move(replications), sweep_.experiment.span});
    }
    return resolve_document(sweep_.experiment, {}, changes, files_);
}

PointKey key_of(const core::Value& resolved, std::string_view sources) {
    constexpr std::size_t digits = 32;
    Sha256 digest;
    digest.add(fmt::format("berth {} {}\n", version, sources));
    add(resolved, digest);
    return digest.hex().substr(0, digits);
}

}  // namespace berth::experiments
