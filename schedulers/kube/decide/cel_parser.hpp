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
        relation,  ///< It compares, or it is `in`; `name` is the operator.
        member,    ///< `a.name`
        index,     ///< `a[b]`
        call,      ///< `name(arguments)`
        method,    ///< `a.name(arguments)`
    };
    Kind kind = Kind::literal;
    std::string name;
    CelValue value{false};
    std::size_t height = 1;
    /// These are the operands, or an object and the arguments of its method.
    std::vector<std::unique_ptr<Node>> parts;
};

/// Errors: CelCompileError, CelUnsupported.
[[nodiscard]] std::unique_ptr<CelExpression::Node> parse_cel(std::string_view text);

}  // namespace berth::core::kube
