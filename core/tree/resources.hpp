#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// Amounts of all resources of a schema, in the order of the schema.
using Amounts = Eigen::Array<Amount, Eigen::Dynamic, 1>;

/// Why a text is not an amount.
enum class QuantityFault : std::uint8_t {
    malformed,   ///< Not a Kubernetes quantity.
    fractional,  ///< Not a whole number of the unit: `500m` of bytes.
    overflow,    ///< More than 2^63 - 1 units.
    negative,
};

/// Parses a Kubernetes quantity exactly: a decimal number, then one of `n u m k M G T P E`,
/// `Ki Mi Gi Ti Pi Ei`, or an exponent such as `e3`.
///
/// Units:  the result counts 1/`per_unit` of the quantity: per_unit 1000 for milli-CPU.
/// Source: k8s.io/apimachinery/pkg/api/resource, Quantity. Kubernetes rounds a remainder up; a
///         remainder here is a fault, so that no amount is ever other than what was written.
[[nodiscard]] std::variant<Amount, QuantityFault> parse_quantity(std::string_view text,
                                                                 Amount per_unit);

/// The same, but a remainder is rounded up, as Kubernetes does.
[[nodiscard]] std::variant<Amount, QuantityFault> parse_quantity_up(std::string_view text,
                                                                    Amount per_unit);

/// An exact quantity in billionths of the unit, so that every quantity that Kubernetes holds is a
/// whole number. The sum of a billion of the largest quantities still fits.
__extension__ using Quantity = __int128;

/// Quantities by resource name.
using Quantities = std::map<std::string, Quantity>;

/// Parses a quantity without a unit, which may be negative, exactly to a billionth. What is finer
/// is rounded away from zero, as Kubernetes does when it reads a quantity.
/// Returns: at most 2^63 - 1 units above or below zero; never QuantityFault::negative.
[[nodiscard]] std::variant<Quantity, QuantityFault> parse_exact_quantity(std::string_view text);

/// A quantity as Kubernetes writes it back: `1000000` as `1M`, `2048Ki` as `2Mi`. A text that is
/// not a quantity is returned unchanged.
/// Source: k8s.io/apimachinery/pkg/api/resource, Quantity.CanonicalizeBytes.
[[nodiscard]] std::string canonical_quantity(std::string_view text);

/// The quantity for a message: `500m`, `16`, or `256Gi` for bytes.
[[nodiscard]] std::string format_quantity(std::string_view resource, Quantity quantity);

/// What was expected, in words for a message: `a whole number of bytes`.
[[nodiscard]] std::string describe(QuantityFault fault, std::string_view unit);

/// The resources that a cluster counts: their names, units and order.
class ResourceSchema {
public:
    /// The index of `name`. A new name is added at the end.
    std::size_t add(std::string_view name);
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& name(std::size_t resource) const { return names_[resource]; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// 1000 for `cpu` and for GPUs, which are shared by thousandths; 1 for everything else.
    [[nodiscard]] Amount per_unit(std::size_t resource) const {
        return kinds_[resource] == Kind::other ? 1 : 1000;
    }
    /// Whether it counts GPUs of some vendor.
    [[nodiscard]] bool is_gpu(std::size_t resource) const { return kinds_[resource] == Kind::gpu; }
    /// The unit in words: `milli-CPU`, `bytes`, ...
    [[nodiscard]] std::string_view unit(std::size_t resource) const;
    /// The amount as the shortest exact Kubernetes quantity: `500m`, `16`, `256Gi`.
    [[nodiscard]] std::string format(std::size_t resource, Amount amount) const;

    friend bool operator==(const ResourceSchema&, const ResourceSchema&) = default;

private:
    enum class Kind : std::uint8_t { other, cpu, gpu };
    std::vector<std::string> names_;
    std::vector<Kind> kinds_;  ///< The kind of each name, which takes a while to find.
};

/// a + b and a * b, or nothing when the result does not fit into an Amount.
[[nodiscard]] inline std::optional<Amount> checked_add(Amount a, Amount b) {
    Amount sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}
[[nodiscard]] inline std::optional<Amount> checked_multiply(Amount a, Amount b) {
    Amount product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

}  // namespace berth::core
