#include "experiments/program/config/experiment/read_window.hpp"

#include <fmt/format.h>

#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

void read_from(const Value* from, const Value* warm_up, ExperimentSpec& spec, Diagnostics& out) {
    if (from != nullptr && warm_up != nullptr) {
        expected(*warm_up, "no warmUp beside 'from': both say where the window begins", out);
        return;
    }
    if (warm_up != nullptr && warm_up->text == "auto") {
        spec.find_warm_up = true;
        return;
    }
    if (const Value* begin = from != nullptr ? from : warm_up) {
        const auto time = read_duration(*begin, out, warm_up != nullptr ? "auto, or " : "");
        if (!time) {
            return;
        }
        if (*time >= spec.settings.until) {
            expected(*begin, "a time before 'until'", out);
            return;
        }
        spec.settings.window.from = *time;
    }
}

}  // namespace

void read_window(core::MapReader& record, ExperimentSpec& spec) {
    Diagnostics& diagnostics = record.diagnostics();
    const Value* from = record.take("from");
    const Value* to = record.take("to");
    read_from(from, record.take("warmUp"), spec, diagnostics);
    if (to == nullptr) {
        return;
    }
    sim::Window& window = spec.settings.window;
    const auto end = read_duration(*to, diagnostics);
    if (end && *end <= window.from) {
        expected(
            *to,
            fmt::format("a time after {}, where the window begins", sim::time_text(window.from)),
            diagnostics);
    } else if (end && *end > spec.settings.until) {
        expected(*to, "a time no later than 'until', where the run ends", diagnostics);
    } else if (end) {
        window.to = *end;
    }
}

}  // namespace berth::experiments
