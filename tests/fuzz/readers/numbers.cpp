/// Readers of quantities, durations and times.

#include <string>
#include <variant>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/resources.hpp"
#include "sim/clock/time.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/slurm_amounts.hpp"

namespace berth::tests {

void fuzz_quantities(std::string_view bytes) {
    for (const core::Amount per_unit : {core::Amount{1}, core::Amount{1000}}) {
        const auto amount = core::parse_quantity(bytes, per_unit);
        const auto* value = std::get_if<core::Amount>(&amount);
        BERTH_ASSERT(value == nullptr || *value >= 0, "an amount is not negative");
    }
    const auto exact = core::parse_exact_quantity(bytes);
    const std::string canonical = core::canonical_quantity(bytes);
    if (const auto* quantity = std::get_if<core::Quantity>(&exact)) {
        (void)core::format_quantity("memory", *quantity);
        (void)core::format_quantity("cpu", *quantity);
        const auto again = core::parse_exact_quantity(canonical);
        const auto* same = std::get_if<core::Quantity>(&again);
        BERTH_ASSERT(same != nullptr && *same == *quantity,
                     "a quantity as Kubernetes writes it is the same");
    }
    core::ResourceSchema schema;
    const std::size_t cpu = schema.add("cpu");
    const auto amount = core::parse_quantity(bytes, schema.per_unit(cpu));
    if (const auto* milli = std::get_if<core::Amount>(&amount)) {
        BERTH_ASSERT(
            core::parse_quantity(schema.format(cpu, *milli), schema.per_unit(cpu)) == amount,
            "an amount that is written is read as the same");
    }
}

void fuzz_durations(std::string_view bytes) {
    if (const auto time = sim::parse_duration(bytes)) {
        BERTH_ASSERT(time->count() >= 0, "a duration is not negative");
        BERTH_ASSERT(sim::parse_duration(sim::format_seconds(*time) + "s") == time,
                     "a duration that is written is read as the same");
    }
    (void)workloads::parse_seconds(bytes);
    (void)workloads::parse_instant(bytes);
    (void)workloads::parse_date_time(bytes);
    (void)workloads::parse_clock(bytes);
    for (const workloads::AmountUnit& unit :
         {workloads::cpu_in_cores, workloads::memory_in_gib, workloads::member_count}) {
        const auto amount = workloads::parse_amount(bytes, unit);
        const auto* value = std::get_if<std::int64_t>(&amount);
        BERTH_ASSERT(value == nullptr || (*value >= 0 && *value <= unit.max),
                     "an amount is within its unit's bounds");
    }
    std::vector<std::string> models;
    (void)workloads::parse_tres(bytes, models);
    (void)workloads::parse_requested_memory(bytes, 1000, 2);
}

}  // namespace berth::tests
