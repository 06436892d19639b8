#include "experiments/program/config/document/object_fields.hpp"

#include <string>

namespace berth::experiments {

void ObjectFields::look_at(const core::Value& object, std::uint64_t count) {
    found_.clear();
    table_->find(object, found_);
    if (!found_.empty()) {
        first_ = first_ ? first_ : object.span;
        counts_.count(found_, count);
    }
}

void ObjectFields::warn(std::string_view object, core::Diagnostics& diagnostics) const {
    for (const std::string& line : counts_.lines(object)) {
        diagnostics.warning(*first_, line);
    }
}

}  // namespace berth::experiments
