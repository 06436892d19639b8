#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tree/resources.hpp"

// The part of CEL, the Common Expression Language, that selectors of devices need: comparisons,
// logic, lists, `in`, members, `has()`, quantities, versions, and a few functions of texts.
// Source: cel.dev, and k8s.io/dynamic-resource-allocation/cel.

namespace berth::core::kube {

/// An expression that is wrong, or whose evaluation fails.
struct CelCompileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct CelRuntimeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// An expression that is right, and that uses what is not evaluated here.
struct CelUnsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A semantic version.
class Version {
public:
    /// Errors: CelRuntimeError for a text that is no version.
    explicit Version(std::string_view text);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] int compare(const Version& other) const;

private:
    std::string text_;
    std::vector<std::int64_t> numbers_;
    std::vector<std::string> prerelease_;
};

struct CelQuantity {
    Quantity billionths = 0;
};

class CelValue;
using CelList = std::vector<CelValue>;
using CelMap = std::map<std::string, CelValue, std::less<>>;
/// A map of maps, in which a key that is not there is an empty map.
using CelDomains = std::map<std::string, CelMap, std::less<>>;

/// What a device is in an expression.
struct CelDevice {
    std::string driver;
    CelDomains attributes;
    CelDomains capacity;
    bool allows_multiple_allocations = false;
    /// Whether an attribute has a type that is not known, so that no expression can be evaluated.
    bool is_broken = false;
};

class CelValue {
public:
    using Any = std::variant<bool,
                             std::int64_t,
                             std::string,
                             CelQuantity,
                             Version,
                             CelList,
                             const CelMap*,
                             const CelDomains*,
                             const CelDevice*>;
    explicit CelValue(Any any) : any_(std::move(any)) {}
    [[nodiscard]] const Any& any() const { return any_; }

private:
    Any any_;
};

/// An expression about one device.
class CelExpression {
public:
    /// Errors: CelCompileError, CelUnsupported.
    explicit CelExpression(std::string_view text);
    ~CelExpression();
    CelExpression(CelExpression&& other) noexcept;
    CelExpression& operator=(CelExpression&& other) noexcept;
    CelExpression(const CelExpression&) = delete;
    CelExpression& operator=(const CelExpression&) = delete;

    /// Errors: CelRuntimeError, also if the value is neither true nor false.
    [[nodiscard]] bool holds(const CelDevice& device) const;

    struct Node;

private:
    std::unique_ptr<Node> root_;
};

}  // namespace berth::core::kube
