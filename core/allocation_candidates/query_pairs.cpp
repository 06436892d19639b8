#include "core/allocation_candidates/query_pairs.hpp"

#include <charconv>

#include "core/allocation_candidates/python_text.hpp"

namespace berth::core {
namespace {

std::string decode(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view digits = text.substr(at + 1, 2);
        const char* const end = digits.data() + digits.size();
        unsigned char byte = 0;
        if (text[at] == '%' && digits.size() == 2 &&
            std::from_chars(digits.data(), end, byte, 16).ptr == end) {
            out += static_cast<char>(byte);
            at += 2;
        } else {
            out += text[at] == '+' ? ' ' : text[at];
        }
    }
    return out;
}

}  // namespace

std::vector<QueryPair> parse_query_pairs(std::string_view query) {
    std::vector<QueryPair> pairs;
    for (const std::string_view piece : python_split(query, '&')) {
        if (piece.empty()) {
            continue;
        }
        const std::size_t equals = piece.find('=');
        const bool has_value = equals != std::string_view::npos;
        pairs.push_back({.key = decode(piece.substr(0, equals)),
                         .value = has_value ? decode(piece.substr(equals + 1)) : std::string()});
    }
    return pairs;
}

}  // namespace berth::core
