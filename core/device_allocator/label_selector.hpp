#pragma once

#include <string>
#include <vector>

#include "core/tree/device_names.hpp"

namespace berth::core {

/// A Kubernetes label selector: all of its terms must hold. One without terms matches everything.
struct LabelSelector {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist };
    struct Expression {
        std::string key;
        Operator op = Operator::exists;
        std::vector<std::string> values;  ///< Of in and not_in.
    };

    Labels match_labels;
    std::vector<Expression> match_expressions;
};

/// As Kubernetes decides: `not_in` holds for labels without the key, too.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

}  // namespace berth::core
