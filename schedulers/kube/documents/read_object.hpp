#pragma once

#include <string>
#include <string_view>

#include "experiments/program/config/document/value_json.hpp"
#include "experiments/program/support/request_field.hpp"

namespace berth::experiments {

/// Reads an object with one of the functions for requests.
/// Errors: recorded at the place that the function refuses.
template <class Read>
void read_object(const core::Value& object, core::Diagnostics& diagnostics, Read read) {
    const RequestText text(json_of(object));
    try {
        read(RequestField(text.value(), Scalars::texts));
    } catch (const RequestError& error) {
        const std::string message = error.what();
        std::string_view place = message;  // it is `PLACE is ...`, or `no PLACE: ...`
        place.remove_prefix(place.starts_with("no ") ? 3 : 0);
        place = place.substr(0, place.find_first_of(" :"));
        diagnostics.error(value_at(object, place).span, message);
    }
}

}  // namespace berth::experiments
