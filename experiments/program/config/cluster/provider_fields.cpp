#include "experiments/program/config/cluster/provider_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/allocation_candidates/provider_rules.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/support/document_parts.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// Reads a file once. Parents can be found by their names only if `resolve_names` is set: most
/// files have uuids, and the names of all providers take as much memory as everything else.
class PartsReader {
public:
    PartsReader(bool keep_names, bool resolve_names, core::Diagnostics diagnostics)
        : keep_names_(keep_names),
          resolve_names_(resolve_names),
          diagnostics_(std::move(diagnostics)) {}

    std::optional<ProvidersToAsk> read(const std::filesystem::path& file) {
        DocumentParts parts(file);
        const auto take = [this](const Value& provider, const Value&) { return add(provider); };
        const LongList whole{{}, {}, take};
        const LongList member{{"providers"}, {}, take};
        const auto document = parts.read({whole, member});
        if (!document || !add_orphans()) {
            return std::nullopt;
        }
        bool is_list = true;
        fields_.read_document(*document, [&](const Value& list) { is_list = list.is_list(); });
        if (!is_list || diagnostics_.failed() || !builder_.is_forest()) {
            return std::nullopt;
        }
        if (fields_.last_line_warned_of() > 0) {
            parts.keep_lines(fields_.last_line_warned_of());
        }
        fields_.warn_of_names();
        for (const std::string& trait : names_.extra_traits) {
            builder_.know_trait(trait);
        }
        for (const std::string& type : names_.extra_classes) {
            builder_.know_resource_class(type);
        }
        return ProvidersToAsk{builder_.build(), std::move(names_)};
    }

    /// Whether a provider names its parent although names were not kept.
    [[nodiscard]] bool wants_names() const { return wants_names_; }
    [[nodiscard]] const core::Diagnostics& diagnostics() const { return diagnostics_; }

private:
    /// The provider that a name belongs to.
    struct Named {
        std::string uuid;
        bool alone = true;
        bool is_parent = false;
    };

    bool add(const Value& value) {
        ProviderFields::Read read = fields_.read(value);
        core::ResourceProvider& provider = read.provider;
        // Whether its parent exists is only known at the end.
        auto parent_uuid = std::exchange(provider.parent_uuid, std::nullopt);
        if (diagnostics_.failed() || !core::check_providers({&provider, 1}).empty()) {
            return false;
        }
        provider.parent_uuid = std::move(parent_uuid);
        if (keep_names_) {
            core::ResourceProvider& kept = names_.providers.emplace_back();
            kept.name = provider.name;
            kept.uuid = provider.uuid;
        }
        if (resolve_names_ && !note_name(provider)) {
            return false;
        }
        if (read.parent == nullptr) {
            builder_.add(provider);
            return true;
        }
        wants_names_ = !resolve_names_;
        if (wants_names_ || !read.parent->is_scalar()) {
            return false;
        }
        return add_child(std::move(provider), read.parent->text);
    }

    bool note_name(const core::ResourceProvider& provider) {
        const auto [named, fresh] = named_.try_emplace(provider.name, Named{provider.uuid});
        named->second.alone = fresh;
        return fresh || !named->second.is_parent;
    }

    bool add_child(core::ResourceProvider provider, const std::string& parent) {
        const auto named = named_.find(parent);
        if (named == named_.end()) {
            orphans_.emplace_back(std::move(provider), parent);
            return true;
        }
        named->second.is_parent = true;
        provider.parent_uuid = named->second.uuid;
        builder_.add(provider);
        return named->second.alone;
    }

    /// Adds children that came before their parents, and children that name a parent by its uuid.
    bool add_orphans() {
        for (auto& [provider, parent] : std::exchange(orphans_, {})) {
            if (named_.contains(parent)) {
                if (!add_child(std::move(provider), parent)) {
                    return false;
                }
                continue;
            }
            if (!core::looks_like_uuid(parent)) {
                return false;
            }
            provider.parent_uuid = parent;
            builder_.add(provider);
        }
        return true;
    }

    bool keep_names_;
    bool resolve_names_;
    bool wants_names_ = false;
    core::Diagnostics diagnostics_;
    ProviderList names_;
    ProviderFields fields_{names_, diagnostics_};
    core::ProviderForestBuilder builder_;
    std::unordered_map<std::string, Named> named_;
    /// Providers whose parents were not known, with the parents' names.
    std::vector<std::pair<core::ResourceProvider, std::string>> orphans_;
};

}  // namespace

using core::MapReader;
using core::Value;

namespace {

/// Whether a name is a standard one, a custom one or an extra one.
bool is_known(const std::string& name,
              std::span<const std::string_view> standard,
              const std::vector<std::string>& extra) {
    return name.starts_with("CUSTOM_") || std::ranges::binary_search(standard, name) ||
           std::ranges::find(extra, name) != extra.end();
}

}  // namespace

ProviderFields::Read ProviderFields::read(const Value& value) {
    MapReader map(value, "a provider", diagnostics_);
    Read read;
    if (!value.is_map()) {
        return read;
    }
    core::ResourceProvider& provider = read.provider;
    provider.name = map.text("name", "");
    read_uuid(map, provider);
    read.parent = map.take("parent");
    if (const Value* parent = map.take("parent_uuid")) {
        if (read.parent != nullptr) {
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
        traits_met_.try_emplace(trait->text, trait->span);
    }
    for (const Value* aggregate : texts(map.take("aggregates"), "aggregates")) {
        provider.aggregates.push_back(aggregate_uuid(aggregate->text));
    }
    map.report_unknown_keys();
    return read;
}

void ProviderFields::read_uuid(MapReader& map, core::ResourceProvider& provider) {
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

void ProviderFields::read_inventories(const Value& inventories, core::ResourceProvider& provider) {
    if (!inventories.is_map()) {
        expected(inventories, "inventories such as {VCPU: 8, DISK_GB: {total: 100}}", diagnostics_);
    }
    for (const core::Member& member : inventories.members) {
        provider.inventories.emplace(member.key, read_inventory(member.value));
        classes_met_.try_emplace(member.key, member.key_span);
    }
}

core::ProviderInventory ProviderFields::read_inventory(const Value& value) {
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

core::Amount ProviderFields::amount(const Value& value, core::Amount min) {
    return core::read_integer(value, diagnostics_, min, core::provider_amount_max).value_or(min);
}

std::vector<const Value*> ProviderFields::texts(const Value* list, std::string_view what) {
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

void ProviderFields::read_names(const Value* list,
                                std::string_view what,
                                std::vector<std::string>& names) {
    for (const Value* name : texts(list, fmt::format("names, each of a {}", what))) {
        names.push_back(name->text);
        if (!core::is_placement_name(name->text)) {
            diagnostics_.error(
                name->span,
                fmt::format("{} '{}': expected 1 to 255 of A-Z, 0-9 and _", what, name->text));
        }
    }
}

std::string ProviderFields::aggregate_uuid(const std::string& text) {
    if (core::looks_like_uuid(text)) {
        return text;
    }
    const auto [known, fresh] = list_.aggregates.try_emplace(text);
    if (fresh) {
        known->second = uuid_of_name("aggregate", text);
    }
    return known->second;
}

void ProviderFields::read_document(const Value& document,
                                   const std::function<void(const Value&)>& read_list) {
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
    (void)map.take("queries");  // a file of queries is also a file of providers
    map.report_unknown_keys();
}

void ProviderFields::warn_of_names() {
    warn(traits_met_, "trait", core::standard_traits(), list_.extra_traits);
    warn(classes_met_, "resource class", core::standard_resource_classes(), list_.extra_classes);
}

int ProviderFields::last_line_warned_of() const {
    int line = 0;
    for (const auto& [name, span] : traits_met_) {
        const bool known = is_known(name, core::standard_traits(), list_.extra_traits);
        line = known ? line : std::max(line, span.line);
    }
    for (const auto& [name, span] : classes_met_) {
        const bool known = is_known(name, core::standard_resource_classes(), list_.extra_classes);
        line = known ? line : std::max(line, span.line);
    }
    return line;
}

void ProviderFields::warn(const Met& met,
                          std::string_view what,
                          std::span<const std::string_view> standard,
                          const std::vector<std::string>& extra) {
    for (const auto& [name, span] : met) {
        if (is_known(name, standard, extra)) {
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

std::optional<ProvidersToAsk> read_providers_in_parts(const std::filesystem::path& file,
                                                      bool keep_names,
                                                      core::Diagnostics& diagnostics) {
    for (const bool resolve_names : {false, true}) {
        PartsReader reader(keep_names, resolve_names, diagnostics);
        auto read = reader.read(file);
        if (read) {
            diagnostics = reader.diagnostics();
        }
        if (read || !reader.wants_names()) {
            return read;
        }
    }
    return std::nullopt;
}

}  // namespace berth::experiments
