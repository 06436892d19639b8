#include "experiments/program/config/cluster/read_providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_rules.hpp"
#include "experiments/program/config/cluster/provider_fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

/// The place of a fault that the rules found: the innermost part of the field that is written
/// there.
core::SourceSpan place_of(const Value& provider, const std::vector<std::string>& field) {
    const Value* at = &provider;
    core::SourceSpan span = provider.span;
    for (const std::string& name : field) {
        const auto member = std::ranges::find_if(at->members, [&](const core::Member& written) {
            return written.key == name || (name == "parent_uuid" && written.key == "parent");
        });
        const auto item = std::ranges::find(at->items, name, &Value::text);
        if (member == at->members.end() && item == at->items.end()) {
            break;
        }
        at = member != at->members.end() ? &member->value : &*item;
        // A fault of an inventory as a whole is shown at the name of its class.
        const bool is_class = member != at->members.end() && field.size() == 2 &&
                              field.front() == "inventories" && &name == &field.back();
        span = is_class ? member->key_span : at->span;
    }
    return span;
}

class ProviderReader {
public:
    explicit ProviderReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    ProviderList read(std::span<const Value> documents) {
        for (const Value& document : documents) {
            fields_.read_document(document, [&](const Value& list) { read_list(list); });
        }
        find_parents();
        report_faults();
        fields_.warn_of_names();
        return std::move(list_);
    }

private:
    /// Where a provider was read, and what the rules cannot know about it.
    struct Written {
        const Value* value = nullptr;
        const Value* parent = nullptr;  ///< The parent, if it is named.
        bool has_errors = false;
    };

    void read_list(const Value& providers) {
        if (!providers.is_list()) {
            expected(providers, "a list of providers", diagnostics_);
        }
        for (const Value& provider : providers.items) {
            const std::size_t errors_before = diagnostics_.error_count();
            ProviderFields::Read read = fields_.read(provider);
            written_.push_back(
                {&provider, read.parent, diagnostics_.error_count() > errors_before});
            list_.providers.push_back(std::move(read.provider));
        }
    }

    /// Finds the parents once all names are known: children may come before their parents.
    void find_parents() {
        if (std::ranges::all_of(written_, [](const Written& each) { return !each.parent; })) {
            return;
        }
        for (std::size_t i = 0; i < list_.providers.size(); ++i) {
            by_name_[list_.providers[i].name].push_back(i);
        }
        for (std::size_t i = 0; i < written_.size(); ++i) {
            if (written_[i].parent != nullptr) {
                list_.providers[i].parent_uuid = find_parent(*written_[i].parent);
                written_[i].has_errors |= !list_.providers[i].parent_uuid;
            }
        }
    }

    std::optional<std::string> find_parent(const Value& parent) {
        auto name = core::read_text(parent, diagnostics_);
        if (!name) {
            return std::nullopt;
        }
        const auto named = by_name_.find(*name);
        if (named == by_name_.end()) {
            if (core::looks_like_uuid(*name)) {
                return name;
            }
            report_unknown_parent(parent);
            return std::nullopt;
        }
        if (named->second.size() > 1) {
            diagnostics_.error(parent.span,
                               fmt::format("{} providers are named '{}': expected parent_uuid",
                                           named->second.size(),
                                           *name));
            return std::nullopt;
        }
        return list_.providers[named->second.front()].uuid;
    }

    void report_unknown_parent(const Value& parent) {
        std::vector<std::string> names;
        if (diagnostics_.error_count() < Diagnostics::errors_shown_max) {
            std::ranges::transform(
                list_.providers, std::back_inserter(names), &core::ResourceProvider::name);
        }
        diagnostics_.error(
            parent.span,
            fmt::format("unknown parent '{}': expected the name of another provider{}",
                        parent.text,
                        core::suggestion(parent.text, names)));
    }

    /// Reports what the rules find, except for providers that could not be read: faults of these
    /// would not be real.
    void report_faults() {
        for (const core::ProviderFault& fault : core::check_providers(list_.providers)) {
            const Written& written = written_[fault.provider];
            if (!written.has_errors) {
                diagnostics_.error(place_of(*written.value, fault.field), fault.message);
            }
        }
    }

    Diagnostics& diagnostics_;
    ProviderList list_;
    ProviderFields fields_{list_, diagnostics_};
    std::vector<Written> written_;  ///< One for each provider.
    std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
};

}  // namespace

bool holds_providers(const Value& document) {
    const Value* kind = document.find("kind");
    return kind != nullptr && kind->text == "Providers";
}

ProviderList read_providers(std::span<const Value> documents, Diagnostics& diagnostics) {
    return ProviderReader(diagnostics).read(documents);
}

core::ProviderForest provider_forest(const ProviderList& list) {
    core::ProviderForestBuilder builder;
    for (const std::string& trait : list.extra_traits) {
        builder.know_trait(trait);
    }
    for (const std::string& type : list.extra_classes) {
        builder.know_resource_class(type);
    }
    for (const core::ResourceProvider& provider : list.providers) {
        builder.add(provider);
    }
    return builder.build();
}

std::string uuid_of_name(std::string_view kind, std::string_view name) {
    boost::uuids::name_generator_sha1 generate(boost::uuids::ns::url());
    return boost::uuids::to_string(generate(fmt::format("berth:{}/{}", kind, name)));
}

}  // namespace berth::experiments
