#pragma once

#include <string_view>
#include <vector>

namespace berth::experiments {

/// A name that documents or command lines can give, and what it stands for.
struct ListLine {
    std::string_view name;
    std::string_view summary;
};

/// What `berth list NAME` lists.
struct List {
    std::string_view name;
    std::string_view title;
    std::vector<ListLine> lines;
};

/// Every list of names except `metrics` and `columns`, whose lines have more parts.
[[nodiscard]] std::vector<List> all_lists();

inline constexpr std::string_view metrics_name = "metrics";
inline constexpr std::string_view columns_name = "columns";

}  // namespace berth::experiments
