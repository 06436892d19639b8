#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kube/decide/cel.hpp"

namespace berth::core::kube {

/// A part of an expression.
struct CelExpression::Node {
    enum class Kind : std::uint8_t {
        literal,
        device,
        list,
        either,    ///< `||`
        both,      ///< `&&`
        negation,  ///< `!`
        relation,  ///< A comparison, or `in`; `name` is the operator.
        member,    ///< `a.name`
        index,     ///< `a[b]`
        call,      ///< `name(arguments)`
        method,    ///< `a.name(arguments)`
    };
    Kind kind = Kind::literal;
    std::string name;
    CelValue value{false};
    std::size_t height = 1;
    std::vector<std::unique_ptr<Node>> parts;  ///< Operands, or an object and its arguments.
};

/// Errors: CelCompileError, CelUnsupported.
[[nodiscard]] std::unique_ptr<CelExpression::Node> parse_cel(std::string_view text);

}  // namespace berth::core::kube
