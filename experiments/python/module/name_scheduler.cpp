#include "experiments/python/module/name_scheduler.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::python {

namespace {

/// Wraps a text as a value whose place in messages is the argument `scheduler`.
core::Value argument(const std::string& text) {
    core::Value value;
    value.kind = core::Value::Kind::scalar;
    value.text = text;
    value.span.source = std::make_shared<const core::SourceText>(
        core::SourceText{.name = "scheduler", .text = text});
    return value;
}

bool stays(const core::Member& member, bool keep_profile) {
    constexpr std::array<std::string_view, 3> always{"lostWork", "onFailure", "typicalPods"};
    constexpr std::array<std::string_view, 3> profile{"period", "retry", "profile"};
    return std::ranges::find(always, member.key) != always.end() ||
           (keep_profile && std::ranges::find(profile, member.key) != profile.end());
}

}  // namespace

void name_scheduler(core::Value& experiment, const std::string& scheduler, bool keep_profile) {
    core::Value* spec = experiment.find("spec");
    if (spec == nullptr || !spec->is_map()) {
        return;  // the reader reports this error
    }
    core::Value named;
    named.kind = core::Value::Kind::map;
    named.span = spec->span;
    if (const core::Value* before = spec->find("scheduler");
        before != nullptr && before->is_map()) {
        named.span = before->span;
        std::ranges::copy_if(
            before->members, std::back_inserter(named.members), [&](const core::Member& member) {
                return stays(member, keep_profile);
            });
    }
    const core::Value value = argument(scheduler);
    named.members.push_back({"python", value.span, value});
    std::erase_if(spec->members,
                  [](const core::Member& member) { return member.key == "scheduler"; });
    spec->members.push_back({"scheduler", named.span, std::move(named)});
}

}  // namespace berth::python
