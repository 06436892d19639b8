#include "schedulers/kube/decide/cel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/support/parse_number.hpp"
#include "schedulers/kube/decide/cel_parser.hpp"

namespace berth::core::kube {
namespace {

using Node = CelExpression::Node;

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('.', start), text.size());
        parts.emplace_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

[[noreturn]] void fail_overload() {
    throw CelRuntimeError("no such overload");
}

int compared(auto a, auto b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

/// How two parts of a pre-release compare: numbers before texts.
int compare_prerelease(const std::string& a, const std::string& b) {
    const auto first = parse_number<std::int64_t>(a);
    const auto second = parse_number<std::int64_t>(b);
    if (first && second) {
        return compared(*first, *second);
    }
    return first ? -1 : second ? 1 : compared(a.compare(b), 0);
}

/// How two values of one type compare; nothing if their types have no order.
std::optional<int> ordered(const CelValue& a, const CelValue& b) {
    if (a.any().index() != b.any().index()) {
        return std::nullopt;
    }
    if (const auto* number = std::get_if<std::int64_t>(&a.any())) {
        return compared(*number, std::get<std::int64_t>(b.any()));
    }
    if (const auto* text = std::get_if<std::string>(&a.any())) {
        return compared(text->compare(std::get<std::string>(b.any())), 0);
    }
    if (const auto* quantity = std::get_if<CelQuantity>(&a.any())) {
        return compared(quantity->billionths, std::get<CelQuantity>(b.any()).billionths);
    }
    if (const auto* version = std::get_if<Version>(&a.any())) {
        return version->compare(std::get<Version>(b.any()));
    }
    return std::nullopt;
}

bool are_equal(const CelValue& a, const CelValue& b) {
    if (a.any().index() != b.any().index()) {
        return false;
    }
    if (const auto* truth = std::get_if<bool>(&a.any())) {
        return *truth == std::get<bool>(b.any());
    }
    if (const auto* list = std::get_if<CelList>(&a.any())) {
        return std::ranges::equal(*list, std::get<CelList>(b.any()), are_equal);
    }
    return ordered(a, b) == 0;
}

const CelMap& domain_of(const CelDomains& domains, std::string_view name) {
    static const CelMap none;
    const auto found = domains.find(name);
    return found == domains.end() ? none : found->second;
}

CelValue value_of(const CelMap& map, std::string_view key) {
    const auto found = map.find(key);
    if (found == map.end()) {
        throw CelRuntimeError(fmt::format("no such key: {}", key));
    }
    return found->second;
}

class Evaluation {
public:
    explicit Evaluation(const CelDevice& device) : device_(device) {}

    [[nodiscard]] CelValue value(const Node& node) const {
        switch (node.kind) {
            case Node::Kind::literal:
                return node.value;
            case Node::Kind::device:
                return CelValue(&device_);
            case Node::Kind::list: {
                CelList list;
                for (const auto& part : node.parts) {
                    list.push_back(value(*part));
                }
                return CelValue(std::move(list));
            }
            case Node::Kind::either:
                return decided(node, true);
            case Node::Kind::both:
                return decided(node, false);
            case Node::Kind::negation:
                return CelValue(!truth(value(*node.parts.front())));
            case Node::Kind::relation:
                return relation(node);
            case Node::Kind::member:
                return member(value(*node.parts.front()), node.name);
            case Node::Kind::index:
                return index(value(*node.parts[0]), value(*node.parts[1]));
            case Node::Kind::call:
                return call(node);
            case Node::Kind::method:
                break;
        }
        return method(node);
    }

    static bool truth(const CelValue& value) {
        const auto* truth = std::get_if<bool>(&value.any());
        if (truth == nullptr) {
            fail_overload();
        }
        return *truth;
    }

private:
    /// `||` and `&&`: an error on one side does not count if the other side decides.
    [[nodiscard]] CelValue decided(const Node& node, bool decisive) const {
        std::optional<CelRuntimeError> error;
        for (const auto& part : node.parts) {
            try {
                if (truth(value(*part)) == decisive) {
                    return CelValue(decisive);
                }
            } catch (const CelRuntimeError& thrown) {
                error = thrown;
            }
        }
        if (error) {
            throw CelRuntimeError(*error);
        }
        return CelValue(!decisive);
    }

    [[nodiscard]] CelValue relation(const Node& node) const {
        const CelValue left = value(*node.parts[0]);
        const CelValue right = value(*node.parts[1]);
        if (node.name == "in") {
            return CelValue(is_in(left, right));
        }
        if (node.name == "==" || node.name == "!=") {
            return CelValue(are_equal(left, right) == (node.name == "=="));
        }
        const std::optional<int> order = ordered(left, right);
        if (!order) {
            fail_overload();
        }
        const bool holds = node.name.front() == '<' ? *order < 0 : *order > 0;
        return CelValue(holds || (node.name.ends_with('=') && *order == 0));
    }

    static bool is_in(const CelValue& key, const CelValue& container) {
        if (const auto* list = std::get_if<CelList>(&container.any())) {
            return std::ranges::any_of(*list,
                                       [&](const auto& item) { return are_equal(key, item); });
        }
        const auto* text = std::get_if<std::string>(&key.any());
        if (const auto* map = std::get_if<const CelMap*>(&container.any())) {
            return text != nullptr && (*map)->contains(*text);
        }
        if (const auto* domains = std::get_if<const CelDomains*>(&container.any())) {
            return text != nullptr && (*domains)->contains(*text);
        }
        fail_overload();
    }

    static CelValue member(const CelValue& object, const std::string& name) {
        if (const auto* device = std::get_if<const CelDevice*>(&object.any())) {
            if (name == "driver") {
                return CelValue((*device)->driver);
            }
            if (name == "allowMultipleAllocations") {
                return CelValue((*device)->allows_multiple_allocations);
            }
            return CelValue(name == "attributes" ? &(*device)->attributes : &(*device)->capacity);
        }
        if (const auto* map = std::get_if<const CelMap*>(&object.any())) {
            return value_of(**map, name);
        }
        if (const auto* domains = std::get_if<const CelDomains*>(&object.any())) {
            const auto found = (*domains)->find(name);
            if (found != (*domains)->end()) {
                return CelValue(&found->second);
            }
        }
        throw CelRuntimeError(fmt::format("no such key: {}", name));
    }

    static CelValue index(const CelValue& object, const CelValue& key) {
        const auto* text = std::get_if<std::string>(&key.any());
        if (const auto* domains = std::get_if<const CelDomains*>(&object.any())) {
            return CelValue(&domain_of(**domains, text == nullptr ? "" : *text));
        }
        const auto* map = std::get_if<const CelMap*>(&object.any());
        if (map == nullptr || text == nullptr) {
            throw CelRuntimeError("no such key");
        }
        return value_of(**map, *text);
    }

    [[nodiscard]] CelValue call(const Node& node) const {
        if (node.name == "has") {
            try {
                static_cast<void>(value(*node.parts.front()));
                return CelValue(true);
            } catch (const CelRuntimeError&) {
                return CelValue(false);
            }
        }
        const CelValue argument = value(*node.parts.front());
        const auto* text = std::get_if<std::string>(&argument.any());
        if (text == nullptr) {
            fail_overload();
        }
        if (node.name == "semver") {
            return CelValue(Version(*text));
        }
        const auto parsed = parse_exact_quantity(*text);
        if (!std::holds_alternative<Quantity>(parsed)) {
            throw CelRuntimeError(fmt::format("{} is no quantity", *text));
        }
        return CelValue(CelQuantity{std::get<Quantity>(parsed)});
    }

    [[nodiscard]] CelValue method(const Node& node) const {
        const CelValue object = value(*node.parts.front());
        std::vector<CelValue> arguments;
        for (std::size_t i = 1; i < node.parts.size(); ++i) {
            arguments.push_back(value(*node.parts[i]));
        }
        if (const auto* text = std::get_if<std::string>(&object.any())) {
            return text_method(node.name, *text, arguments);
        }
        const bool has_order = std::holds_alternative<CelQuantity>(object.any()) ||
                               std::holds_alternative<Version>(object.any());
        const std::optional<int> order =
            has_order && arguments.size() == 1 ? ordered(object, arguments.front()) : std::nullopt;
        if (!order) {
            fail_overload();
        }
        if (node.name == "compareTo") {
            return CelValue(std::int64_t{*order});
        }
        if (node.name != "isGreaterThan" && node.name != "isLessThan") {
            fail_overload();
        }
        return CelValue(node.name == "isLessThan" ? *order < 0 : *order > 0);
    }

    static CelValue text_method(const std::string& name,
                                const std::string& text,
                                const std::vector<CelValue>& arguments) {
        if (name == "lowerAscii" && arguments.empty()) {
            std::string lower = text;
            std::ranges::transform(lower, lower.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            });
            return CelValue(std::move(lower));
        }
        const auto* part =
            arguments.size() == 1 ? std::get_if<std::string>(&arguments.front().any()) : nullptr;
        if (part == nullptr) {
            fail_overload();
        }
        if (name == "startsWith") {
            return CelValue(text.starts_with(*part));
        }
        if (name == "endsWith") {
            return CelValue(text.ends_with(*part));
        }
        if (name == "contains") {
            return CelValue(text.find(*part) != std::string::npos);
        }
        fail_overload();
    }

    const CelDevice& device_;
};

}  // namespace

Version::Version(std::string_view text) : text_(text) {
    const std::string_view core = text.substr(0, text.find('+'));
    const std::size_t dash = core.find('-');
    for (const std::string& part : parts_of(core.substr(0, dash))) {
        const auto number = parse_number<std::int64_t>(part);
        if (!number || *number < 0) {
            throw CelRuntimeError(fmt::format("{} is no version", text));
        }
        numbers_.push_back(*number);
    }
    if (dash != std::string_view::npos && dash + 1 < core.size()) {
        prerelease_ = parts_of(core.substr(dash + 1));
    }
}

int Version::compare(const Version& other) const {
    if (numbers_ != other.numbers_) {
        return numbers_ < other.numbers_ ? -1 : 1;
    }
    if (prerelease_.empty() || other.prerelease_.empty()) {
        return compared(prerelease_.empty(), other.prerelease_.empty());
    }
    const std::size_t common = std::min(prerelease_.size(), other.prerelease_.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (const int order = compare_prerelease(prerelease_[i], other.prerelease_[i]);
            order != 0) {
            return order;
        }
    }
    return compared(prerelease_.size(), other.prerelease_.size());
}

CelExpression::CelExpression(std::string_view text) : root_(parse_cel(text)) {}
CelExpression::~CelExpression() = default;
CelExpression::CelExpression(CelExpression&& other) noexcept = default;
CelExpression& CelExpression::operator=(CelExpression&& other) noexcept = default;

bool CelExpression::holds(const CelDevice& device) const {
    if (device.is_broken) {
        throw CelRuntimeError("unsupported attribute value");
    }
    return Evaluation::truth(Evaluation(device).value(*root_));
}

}  // namespace berth::core::kube
