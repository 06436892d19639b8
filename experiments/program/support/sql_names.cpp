#include "experiments/program/support/sql_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace berth::report {

std::string sql_column(std::string_view name) {
    std::string out(name);
    std::ranges::replace_if(
        out,
        [](char c) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            return !letter && (c < '0' || c > '9') && c != '_';
        },
        '_');
    return out;
}

std::vector<std::string> sql_columns(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    std::set<std::string> taken;
    for (const std::string& name : names) {
        const std::string plain = sql_column(name);
        std::string unlike = plain;
        for (int number = 2; !taken.insert(unlike).second; ++number) {
            unlike = fmt::format("{}_{}", plain, number);
        }
        out.push_back(std::move(unlike));
    }
    return out;
}

std::vector<std::size_t> quoted_columns(const std::vector<std::string>& metrics) {
    std::vector<std::size_t> out;
    std::set<std::string> taken(metrics.begin(), metrics.end());
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const std::string& name = metrics[i];
        const bool of_many = name.starts_with("quota/") || name.ends_with(']');
        const std::string plain = sql_column(name);
        if (!of_many && plain != name && taken.insert(plain).second) {
            out.push_back(i);
        }
    }
    return out;
}

std::vector<bool> repeated_for_sql(const std::vector<std::string>& header) {
    std::set<std::string> repeats;
    std::vector<bool> out;
    for (const std::string& name : header) {
        out.push_back(repeats.contains(name));
        if (std::string plain = sql_column(name); plain != name) {
            repeats.insert(std::move(plain));
        }
    }
    return out;
}

}  // namespace berth::report
