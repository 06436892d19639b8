#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// Adds the GPU models that a text names, separated by `|`.
inline void split_models(std::string_view text, std::vector<std::string>& models) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('|'), text.size());
        if (end > 0) {
            models.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace berth::workloads
