#include "experiments/program/config/profile/read_outside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

using core::MapReader;
using core::Value;

const std::vector<OutsideKind>& outside_kinds() {
    static const std::vector<OutsideKind> kinds{
        {"batsim", "FILE.so, a shared library", true, false, false},
        {"python", "FILE.py:CLASS", true, true, true},
        {"caller", "a name of letters, digits and _", false, true, false},
    };
    return kinds;
}

const OutsideKind* outside_kind(const Value& scheduler) {
    for (const OutsideKind& kind : outside_kinds()) {
        if (scheduler.is_map() && scheduler.find(kind.key) != nullptr) {
            return &kind;
        }
    }
    return nullptr;
}

std::optional<OutsideName> outside_name(std::string_view text, const OutsideKind& kind) {
    if (!kind.names_file) {
        return std::nullopt;
    }
    const std::size_t colon = kind.names_object ? text.rfind(':') : text.size();
    const bool has_object =
        !kind.names_object || (colon != std::string_view::npos && colon + 1 < text.size());
    if (!has_object || colon == 0) {
        return std::nullopt;
    }
    return OutsideName{text.substr(0, colon), text.substr(colon)};
}

namespace {

bool is_of_profile(std::string_view key) {
    return key == "period" || key == "retry" || key == "profile";
}

/// The keys of a profile and of berth's cycles, and those that name other schedulers. A scheduler
/// with objects that places jobs may have another beside it that only admits them.
std::vector<std::string_view> keys_of_others(std::string_view own) {
    std::vector<std::string_view> keys{"period",
                                       "retry",
                                       "profile",
                                       "queueSort",
                                       "preFilter",
                                       "filter",
                                       "postFilter",
                                       "placementGroup",
                                       "score",
                                       "reserve",
                                       "policy",
                                       "policies"};
    const auto with_objects = scheduler_documents();
    const bool has_objects =
        std::ranges::find(with_objects, own, &SchedulerDocuments::key) != with_objects.end();
    for (const SchedulerDocuments& one : with_objects) {
        if (one.read_scheduler != nullptr || !has_objects) {
            keys.push_back(one.key);
        }
    }
    for (const OutsideKind& other : outside_kinds()) {
        keys.push_back(other.key);
    }
    std::erase(keys, own);
    return keys;
}

/// Whether a text can name an object without its file, which the program that runs the experiment
/// knows.
bool is_plain_name(std::string_view text) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    return !text.empty() && std::ranges::all_of(text, is_letter);
}

void read_library(MapReader& scheduler, OutsideScheduler& out) {
    if (const Value* init = scheduler.take("init")) {
        if (init->is_scalar()) {
            out.init = init->text;
        } else {
            core::expected(*init,
                           "a text in quotes, such as '{\"format_json\": true}'",
                           scheduler.diagnostics());
        }
    }
    const Value* timeout = scheduler.take("timeout");
    if (timeout != nullptr) {
        out.timeout = read_duration(*timeout, scheduler.diagnostics());
        if (out.timeout == sim::SimTime(0)) {
            core::expected(*timeout, "a duration above 0", scheduler.diagnostics());
        }
    }
}

void read_params(MapReader& scheduler, OutsideScheduler& out) {
    if (const Value* params = scheduler.take("params")) {
        out.params = *params;
        if (!params->is_map()) {
            core::expected(*params, "a map, such as {patience: 3}", scheduler.diagnostics());
        }
    }
}

}  // namespace

void refuse_other_schedulers(MapReader& map,
                             const Value& scheduler,
                             std::string_view own,
                             bool may_have_profile) {
    const std::vector<std::string_view> others = keys_of_others(own);
    for (const core::Member& member : scheduler.members) {
        if (may_have_profile && is_of_profile(member.key)) {
            continue;
        }
        if (std::ranges::find(others, member.key) != others.end()) {
            (void)map.take(member.key);
            map.diagnostics().error(
                member.key_span,
                fmt::format(
                    "'{0}' cannot be used with '{1}', which decides everything: expected {1} alone",
                    member.key,
                    own));
        }
    }
}

std::optional<OutsideScheduler> read_outside(MapReader& scheduler, const Value& value) {
    const OutsideKind* kind = outside_kind(value);
    if (kind == nullptr) {
        return std::nullopt;
    }
    refuse_other_schedulers(scheduler, value, kind->key, kind->may_have_profile);
    OutsideScheduler out;
    out.kind = static_cast<OutsideScheduler::Kind>(kind - outside_kinds().data());
    const Value* named = scheduler.take(std::string(kind->key));
    if (kind->names_file) {
        (void)scheduler.take("sha256");
    }
    const std::string text = scheduler.text(std::string(kind->key), "");
    const auto name = outside_name(text, *kind);
    if (named != nullptr && kind->names_object && is_plain_name(text)) {
        out.object = text;
    } else if (named == nullptr || !name) {
        core::expected(*value.find(kind->key), kind->example, scheduler.diagnostics());
        return std::nullopt;
    }
    if (name) {
        out.file = name->file;
        out.object = name->rest.substr(kind->names_object ? 1 : 0);
    }
    out.span = named->span;
    const auto beside = std::ranges::find_if(
        value.members, [](const core::Member& member) { return is_of_profile(member.key); });
    if (beside != value.members.end()) {
        out.profile = beside->key_span;
    }
    if (out.kind == OutsideScheduler::Kind::batsim) {
        read_library(scheduler, out);
    } else if (out.kind == OutsideScheduler::Kind::python) {
        read_params(scheduler, out);
    }
    return out;
}

}  // namespace berth::experiments
