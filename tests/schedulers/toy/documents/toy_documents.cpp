#include <cstdint>
#include <memory>
#include <vector>

#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "tests/schedulers/toy/run/toy_settings.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

bool is_tickets(const Value& document) {
    return document.is_map() && text_below(document, {"apiVersion"}) == "toy.example/v1" &&
           text_below(document, {"kind"}) == "Tickets";
}

void read_tickets(const Value& object, sim::ToySettings& settings, Diagnostics& diagnostics) {
    if (!is_tickets(object)) {
        diagnostics.error(object.span,
                          "an object that is not the toy's: expected apiVersion: toy.example/v1 "
                          "and kind: Tickets");
        return;
    }
    MapReader map(object, "Tickets", diagnostics);
    (void)map.take("apiVersion");
    (void)map.take("kind");
    constexpr std::int64_t tickets_max = 1'000'000;
    settings.tickets = static_cast<std::uint32_t>(map.integer("count", 1, 1, tickets_max));
    map.report_unknown_keys();
}

std::shared_ptr<const sim::AdmissionSettings> read_toy(const Value& value,
                                                       const core::Topology* /*tree*/,
                                                       bool /*placer_reads_labels*/,
                                                       Diagnostics& diagnostics) {
    auto settings = std::make_shared<sim::ToySettings>();
    MapReader map(value, "toy", diagnostics);
    (void)map.take("file");
    const Value* objects = map.take("objects");
    map.report_unknown_keys();
    if (objects == nullptr || objects->items.size() != 1) {
        diagnostics.error(value.span, "toy needs tickets: expected objects: [{kind: Tickets}]");
    } else {
        read_tickets(objects->items.front(), *settings, diagnostics);
    }
    return settings;
}

}  // namespace

extern constinit const SchedulerDocuments toy_documents;
constinit const SchedulerDocuments toy_documents{
    .key = "toy",
    .group = "toy.example/",
    .example = "{toy: FILE}, with the file of its tickets",
    .no_object = "found no tickets: expected kind: Tickets",
    .schema = R"({"toy": {"title": "toy", "type": "object", "additionalProperties": false,
        "properties": {"file": {"type": "string"}, "objects": {"type": "array"}}}})",
    .holds_objects = &is_tickets,
    .check_objects =
        [](const std::vector<Value>& documents, Diagnostics& diagnostics) {
            sim::ToySettings settings;
            for (const Value& document : documents) {
                read_tickets(document, settings, diagnostics);
            }
        },
    .read = &read_toy};

}  // namespace berth::experiments
