#include "experiments/program/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/sha256.hpp"

namespace berth::experiments {
namespace {

constexpr std::size_t key_digits = 32;

bool excluded(const SweepSpec& sweep, const std::vector<std::size_t>& values) {
    return std::ranges::any_of(sweep.exclusions, [&](const Exclusion& exclusion) {
        return std::ranges::all_of(exclusion.conditions, [&](const auto& condition) {
            return condition.excludes[values[condition.axis]];
        });
    });
}

/// Adds a text that is unique for the value: every part of variable length has its length in front.
void add_value(const core::Value& value, Sha256& digest) {
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
                add_value(item, digest);
            }
            break;
        case core::Value::Kind::map:
            digest.add(fmt::format("m{}:", value.members.size()));
            for (const core::Member& member : value.members) {
                add_text('k', member.key);
                add_value(member.value, digest);
            }
            break;
    }
}

}  // namespace

SweepPoints::SweepPoints(const SweepSpec& sweep) : sweep_(sweep) {
    const std::uint64_t all = product(sweep);
    if (sweep.exclusions.empty()) {
        size_ = all;
        return;
    }
    for (std::uint64_t combination = 0; combination < all; ++combination) {
        if (!excluded(sweep, values_of(combination))) {
            combinations_.push_back(combination);
        }
    }
    size_ = combinations_.size();
}

std::uint64_t SweepPoints::product(const SweepSpec& sweep) {
    constexpr std::uint64_t most = INT64_MAX;
    std::uint64_t out = 1;
    for (const ZippedAxes& dimension : sweep.dimensions) {
        out =
            dimension.length != 0 && out > most / dimension.length ? most : out * dimension.length;
    }
    return out;
}

std::vector<std::size_t> SweepPoints::values_of(std::uint64_t combination) const {
    std::vector<std::size_t> values(sweep_.axes.size());
    for (auto dimension = sweep_.dimensions.rbegin(); dimension != sweep_.dimensions.rend();
         ++dimension) {
        for (const std::size_t axis : dimension->axes) {
            values[axis] = static_cast<std::size_t>(combination % dimension->length);
        }
        combination /= dimension->length;
    }
    return values;
}

std::vector<std::size_t> SweepPoints::values(std::size_t point) const {
    return values_of(combinations_.empty() ? point : combinations_[point]);
}

std::vector<std::string> SweepPoints::texts(std::size_t point) const {
    const std::vector<std::size_t> at = values(point);
    std::vector<std::string> out;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        out.push_back(sweep_.axes[axis].values[at[axis]].text);
    }
    return out;
}

std::vector<Override> SweepPoints::changes(std::size_t point) const {
    const std::vector<std::size_t> at = values(point);
    std::vector<Override> out;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const auto& changes = sweep_.axes[axis].values[at[axis]].changes;
        out.insert(out.end(), changes.begin(), changes.end());
    }
    return out;
}

std::string SweepPoints::name(std::size_t point) const {
    const std::vector<std::string> of = texts(point);
    std::string out;
    for (std::size_t axis = 0; axis < of.size(); ++axis) {
        out += fmt::format("{}{}={}", axis == 0 ? "" : ", ", sweep_.axes[axis].name, of[axis]);
    }
    return out.empty() ? "the only point" : out;
}

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

bool is_point_key(std::string_view text) {
    return text.size() == key_digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

PointKey key_of(const core::Value& resolved,
                std::string_view sources,
                std::string_view program_version) {
    Sha256 digest;
    digest.add(fmt::format("berth {} {}\n", program_version, sources));
    add_value(resolved, digest);
    return digest.hex().substr(0, key_digits);
}

}  // namespace berth::experiments
