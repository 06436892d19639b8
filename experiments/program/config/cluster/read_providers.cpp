#include "experiments/program/config/cluster/read_providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_rules.hpp"
#include "core/allocation_candidates/standard_names.hpp"
#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Where a fault of the rules stands: as much of the field as is written there.
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
        // What is wrong with an inventory as a whole is its name.
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
            read_document(document);
        }
        find_parents();
        report_faults();
        warn_of_names();
        return std::move(list_);
    }

private:
    /// Where a provider was read, and what the rules cannot say of it.
    struct Written {
        const Value* value = nullptr;
        const Value* parent = nullptr;  ///< A parent that is named.
        bool has_errors = false;
    };
    /// Names of resource classes or traits, each where it was first met.
    using Met = std::map<std::string, core::SourceSpan>;

    void read_document(const Value& document) {
        if (document.is_list()) {
            read_list(document);
            return;
        }
        const Value* kind = document.find("kind");
        if (kind != nullptr && kind->text != "Providers") {
            diagnostics_.error(kind->span,
                               fmt::format("unknown kind '{}': expected Providers", kind->text));
            return;
        }
        MapReader map(document, "a list of providers", diagnostics_);
        (void)read_header(map, "berth/v1", "");
        if (const Value* providers = map.need("providers")) {
            read_list(*providers);
        }
        read_names(map.take("extra_traits"), "trait", list_.extra_traits);
        read_names(map.take("extra_rcs"), "resource class", list_.extra_classes);
        (void)map.take("queries");  // a request is a file of providers
        map.report_unknown_keys();
    }

    void read_list(const Value& providers) {
        if (!providers.is_list()) {
            expected(providers, "a list of providers", diagnostics_);
        }
        for (const Value& provider : providers.items) {
            const std::size_t errors_before = diagnostics_.error_count();
            written_.push_back({&provider, nullptr, false});
            read_provider(provider);
            written_.back().has_errors = diagnostics_.error_count() > errors_before;
        }
    }

    void read_provider(const Value& value) {
        MapReader map(value, "a provider", diagnostics_);
        core::ResourceProvider& provider = list_.providers.emplace_back();
        if (!value.is_map()) {
            return;
        }
        provider.name = map.text("name", "");
        read_uuid(map, provider);
        written_.back().parent = map.take("parent");
        if (const Value* parent = map.take("parent_uuid")) {
            if (written_.back().parent != nullptr) {
                expected(*parent, "parent or parent_uuid, not both", diagnostics_);
            }
            provider.parent_uuid = core::read_text(*parent, diagnostics_);
        }
        if (const Value* inventories = map.take("inventories")) {
            read_inventories(*inventories, provider);
        }
        if (const Value* usages = map.take("usages")) {
            if (!usages->is_map()) {
                expected(*usages, "amounts such as {VCPU: 2}", diagnostics_);
            }
            for (const core::Member& usage : usages->members) {
                provider.usages[usage.key] = amount(usage.value, 0);
            }
        }
        for (const Value* trait : texts(map.take("traits"), "traits")) {
            provider.traits.push_back(trait->text);
            traits_met_.emplace(trait->text, trait->span);
        }
        for (const Value* aggregate : texts(map.take("aggregates"), "aggregates")) {
            provider.aggregates.push_back(aggregate_uuid(aggregate->text));
        }
        map.report_unknown_keys();
    }

    void read_uuid(MapReader& map, core::ResourceProvider& provider) {
        if (const Value* uuid = map.take("uuid")) {
            provider.uuid = core::read_text(*uuid, diagnostics_).value_or("");
        } else if (provider.name.empty()) {
            diagnostics_.error(map.span(), "a provider has no 'name' and no 'uuid': expected one");
        } else {
            provider.uuid = uuid_of_name("provider", provider.name);
            if (!derived_.insert(provider.name).second) {
                diagnostics_.error(map.take("name")->span,
                                   fmt::format("a second provider is named '{}': expected distinct "
                                               "names, or a uuid for each",
                                               provider.name));
            }
        }
    }

    void read_inventories(const Value& inventories, core::ResourceProvider& provider) {
        if (!inventories.is_map()) {
            expected(
                inventories, "inventories such as {VCPU: 8, DISK_GB: {total: 100}}", diagnostics_);
        }
        for (const core::Member& member : inventories.members) {
            provider.inventories.emplace(member.key, read_inventory(member.value));
            classes_met_.emplace(member.key, member.key_span);
        }
    }

    /// A total alone, or a map.
    core::ProviderInventory read_inventory(const Value& value) {
        core::ProviderInventory inventory;
        if (value.is_scalar()) {
            inventory.total = amount(value, 0);
            return inventory;
        }
        MapReader map(value, "an inventory", diagnostics_);
        const auto field = [&](const char* name, core::Amount& field_amount, core::Amount min) {
            if (const Value* written = map.take(name)) {
                field_amount = amount(*written, min);
            }
        };
        if (const Value* total = map.need("total")) {
            inventory.total = amount(*total, 0);
        }
        field("reserved", inventory.reserved, 0);
        field("min_unit", inventory.min_unit, 1);
        field("max_unit", inventory.max_unit, 1);
        field("step_size", inventory.step_size, 1);
        if (const Value* ratio = map.take("allocation_ratio")) {
            const auto number =
                core::read_number(*ratio, diagnostics_, 0, std::numeric_limits<double>::infinity());
            inventory.allocation_ratio = number.value_or(1);
        }
        map.report_unknown_keys();
        return inventory;
    }

    core::Amount amount(const Value& value, core::Amount min) {
        return core::read_integer(value, diagnostics_, min, core::provider_amount_max)
            .value_or(min);
    }

    /// The texts of a list.
    std::vector<const Value*> texts(const Value* list, std::string_view what) {
        std::vector<const Value*> found;
        if (list != nullptr && !list->is_list()) {
            expected(*list, fmt::format("a list of {}", what), diagnostics_);
        }
        for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
            if (core::read_text(list->items[i], diagnostics_)) {
                found.push_back(&list->items[i]);
            }
        }
        return found;
    }

    void read_names(const Value* list, std::string_view what, std::vector<std::string>& names) {
        for (const Value* name : texts(list, fmt::format("names, each of a {}", what))) {
            names.push_back(name->text);
            if (!core::is_placement_name(name->text)) {
                diagnostics_.error(
                    name->span,
                    fmt::format("{} '{}': expected 1 to 255 of A-Z, 0-9 and _", what, name->text));
            }
        }
    }

    std::string aggregate_uuid(const std::string& text) {
        if (core::looks_like_uuid(text)) {
            return text;
        }
        const auto [known, fresh] = list_.aggregates.try_emplace(text);
        if (fresh) {
            known->second = uuid_of_name("aggregate", text);
        }
        return known->second;
    }

    /// Once all names are known: children may stand before their parents.
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

    /// Of a provider that could not be read the rules would say what is not so.
    void report_faults() {
        for (const core::ProviderFault& fault : core::check_providers(list_.providers)) {
            const Written& written = written_[fault.provider];
            if (!written.has_errors) {
                diagnostics_.error(place_of(*written.value, fault.field), fault.message);
            }
        }
    }

    void warn_of_names() {
        warn(traits_met_, "trait", core::standard_traits(), list_.extra_traits);
        warn(
            classes_met_, "resource class", core::standard_resource_classes(), list_.extra_classes);
    }

    void warn(const Met& met,
              std::string_view what,
              std::span<const std::string_view> standard,
              const std::vector<std::string>& extra) {
        for (const auto& [name, span] : met) {
            if (name.starts_with("CUSTOM_") || std::ranges::binary_search(standard, name) ||
                std::ranges::find(extra, name) != extra.end()) {
                continue;
            }
            diagnostics_.warning(
                span,
                fmt::format("{} '{}' is not a standard one: expected one of those, or CUSTOM_...{}",
                            what,
                            name,
                            core::suggestion(name, {standard.begin(), standard.end()})));
        }
    }

    Diagnostics& diagnostics_;
    ProviderList list_;
    std::vector<Written> written_;  ///< By provider.
    std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
    std::set<std::string> derived_;  ///< Names that are the only identity of a provider.
    Met traits_met_;
    Met classes_met_;
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
