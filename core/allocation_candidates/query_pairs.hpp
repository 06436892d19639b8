#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// One `key=value` of a query string, decoded.
struct QueryPair {
    std::string key;
    std::string value;
};

/// The pairs of a query string in their order, as application/x-www-form-urlencoded has them: `+`
/// is a space and `%2C` a comma, in keys too; what has no `=` is a key with an empty value.
///
/// Shape:  the bytes are what the text says, UTF-8 or not. A `%` without two digits is a `%`.
/// Source: parse_qsl() of Python 3.11, urllib/parse.py, which knows `&` as the only separator.
[[nodiscard]] std::vector<QueryPair> parse_query_pairs(std::string_view query);

}  // namespace berth::core
