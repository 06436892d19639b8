#include "experiments/config/fields.hpp"

#include <fmt/format.h>

#include <variant>

#include "core/ledger.hpp"

namespace berth::experiments {

using core::Amount;
using core::Diagnostics;
using core::MapReader;
using core::ResourceSchema;
using core::Value;

std::string read_header(MapReader& document,
                        const std::string& api_version,
                        std::string_view otherwise) {
    if (const Value* version = document.take("apiVersion");
        version != nullptr && version->text != api_version) {
        expected(*version, api_version, document.diagnostics());
    }
    (void)document.take("kind");
    const Value* metadata = document.take("metadata");
    if (metadata != nullptr && !metadata->is_map()) {
        expected(*metadata, "a map: metadata", document.diagnostics());
    }
    const Value* name = metadata != nullptr ? metadata->find("name") : nullptr;
    return name != nullptr && name->is_scalar() ? name->text : std::string(otherwise);
}

std::optional<sim::SimTime> read_duration(const Value& value, Diagnostics& diagnostics) {
    const auto duration = value.is_scalar() ? sim::parse_duration(value.text) : std::nullopt;
    if (!duration) {
        expected(value, "a duration such as 10ms, 10s, 5m, 24h or 7d", diagnostics);
    }
    return duration;
}

void check_sums(const std::shared_ptr<const core::Topology>& topology,
                const core::SourceSpan& span,
                Diagnostics& diagnostics) {
    try {
        const core::Ledger whole(topology);
    } catch (const core::InputError& error) {
        diagnostics.error(span, error.what());
    }
}

std::optional<sim::SimTime> read_duration(MapReader& map, const std::string& key) {
    const Value* value = map.take(key);
    return value != nullptr ? read_duration(*value, map.diagnostics()) : std::nullopt;
}

Amount read_amount(const core::SourceSpan& span,
                   std::string_view text,
                   std::size_t resource,
                   const ResourceSchema& schema,
                   Diagnostics& diagnostics) {
    const auto parsed = core::parse_quantity(text, schema.per_unit(resource));
    if (const auto* amount = std::get_if<Amount>(&parsed)) {
        return *amount;
    }
    const auto fault = std::get<core::QuantityFault>(parsed);
    diagnostics.error(span,
                      fmt::format("{} of {}: expected {}",
                                  text.empty() ? "nothing" : fmt::format("'{}'", text),
                                  schema.name(resource),
                                  describe(fault, schema.unit(resource))));
    return 0;
}

std::vector<Amount> read_amounts(const Value& value,
                                 const ResourceSchema& schema,
                                 Diagnostics& diagnostics) {
    std::vector<Amount> amounts(schema.size(), 0);
    if (!value.is_map()) {
        expected(value, "amounts such as {cpu: 2, memory: 32Gi}", diagnostics);
        return amounts;
    }
    for (const core::Member& member : value.members) {
        const auto resource = schema.find(member.key);
        if (!resource) {
            diagnostics.error(member.key_span,
                              fmt::format("unknown resource '{}': expected {}{}",
                                          member.key,
                                          core::alternatives(schema.names()),
                                          core::suggestion(member.key, schema.names())));
            continue;
        }
        amounts[*resource] =
            read_amount(member.value.span, member.value.text, *resource, schema, diagnostics);
    }
    return amounts;
}

void PodTypes::add_resources(const Value* types, ResourceSchema& schema) {
    if (types == nullptr || !types->is_map()) {
        return;
    }
    for (const core::Member& type : types->members) {
        for (const core::Member& amount : type.value.members) {
            schema.add(amount.key);
        }
    }
}

PodTypes::PodTypes(const Value* types, const ResourceSchema& schema, Diagnostics& diagnostics)
    : schema_(&schema) {
    if (types == nullptr) {
        return;
    }
    if (!types->is_map()) {
        expected(*types, "types by name, such as {small: {cpu: 1}}", diagnostics);
        return;
    }
    for (const core::Member& type : types->members) {
        demands_[type.key] = read_amounts(type.value, schema, diagnostics);
    }
}

std::vector<Amount> PodTypes::demand(const Value& name, Diagnostics& diagnostics) const {
    if (const auto known = demands_.find(name.text); known != demands_.end()) {
        return known->second;
    }
    std::vector<Amount> demand(schema_->size(), 0);
    const std::size_t dash = name.text.rfind('-');
    const std::size_t times = name.text.find('x', dash == std::string::npos ? 0 : dash);
    const auto cpu = schema_->find("cpu");
    const auto memory = schema_->find("memory");
    if (dash != std::string::npos && times != std::string::npos && cpu) {
        const auto cpus = core::parse_quantity(name.text.substr(dash + 1, times - dash - 1), 1000);
        const auto bytes = core::parse_quantity(name.text.substr(times + 1) + "Gi", 1);
        if (std::holds_alternative<Amount>(cpus) && std::holds_alternative<Amount>(bytes)) {
            demand[*cpu] = std::get<Amount>(cpus);
            if (memory) {
                demand[*memory] = std::get<Amount>(bytes);
            }
            return demand;
        }
    }
    std::vector<std::string> names;
    for (const auto& [type, amounts] : demands_) {
        names.push_back(type);
    }
    diagnostics.error(
        name.span,
        fmt::format("unknown type '{}': expected {}{}",
                    name.text,
                    names.empty() ? "one that spec.types names" : core::alternatives(names),
                    core::suggestion(name.text, names)));
    return demand;
}

}  // namespace berth::experiments
