#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// JSON whose type the page's modules know. The code names each field once, where it writes it:
///
///     return object<"Machine">(field<"type">(machine.type), field<"gpus">(machine.gpus));
///
/// makes {"type": ..., "gpus": ...}, and declares `interface Machine {type: string; gpus: number}`
/// for TypeScript, which write_types() prints. Values are numbers, texts, and vectors, optionals
/// and tuples of them; what has a type of its own is an Is<"TYPE">.
namespace berth::report {

/// A text as an argument of a template.
template <std::size_t size>
struct Text {
    char letters[size]{};
    consteval Text(const char (&text)[size]) { std::copy_n(text, size, letters); }
    [[nodiscard]] constexpr std::string_view view() const { return {letters, size - 1}; }
};

namespace typed_json {

/// A field's name and its type.
struct FieldType {
    std::string_view key;
    bool may_be_missing = false;
    std::string type;
};

/// The texts of TypeScript for a type that may be null, a list, a tuple, and declarations.
[[nodiscard]] std::string or_null(std::string_view type);
[[nodiscard]] std::string list_type(const std::string& element);
[[nodiscard]] std::string tuple_type(const std::vector<std::string>& parts);
[[nodiscard]] std::string interface_text(std::string_view name,
                                         const std::vector<FieldType>& fields);
[[nodiscard]] std::string row_text(std::string_view name, const std::vector<FieldType>& fields);

}  // namespace typed_json

/// JSON of this type of TypeScript.
template <Text name>
struct Is : nlohmann::ordered_json {
    explicit Is(nlohmann::ordered_json json) : nlohmann::ordered_json(std::move(json)) {}
    static std::string type_name() { return std::string(name.view()); }
};

/// The same, or null.
template <Text name>
struct Maybe : nlohmann::ordered_json {
    Maybe(std::nullptr_t) {}
    Maybe(Is<name> json) : nlohmann::ordered_json(std::move(json)) {}
    static std::string type_name() { return typed_json::or_null(name.view()); }
};

template <class T>
concept IsJson = std::derived_from<T, nlohmann::ordered_json> && requires { T::type_name(); };

/// A field of an object. If it may be missing, its value is an optional.
template <Text key, class T, bool may_be_missing = false>
struct Field {
    T value;
};

template <Text key, class T>
Field<key, std::decay_t<T>> field(T&& value) {
    return {std::forward<T>(value)};
}

/// A field that the object has only if there is a value.
template <Text key, class T>
Field<key, std::optional<T>, true> field_if_known(std::optional<T> value) {
    return {std::move(value)};
}

/// For each element, what `make` (a function or a pointer to a member) makes of it.
template <class Range, class Make>
auto list_of(const Range& range, Make make) {
    using Element = decltype(std::invoke(make, *std::ranges::begin(range)));
    std::vector<std::remove_cvref_t<Element>> list;
    for (const auto& element : range) {
        list.push_back(std::invoke(make, element));
    }
    return list;
}

namespace typed_json {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept IsText = std::convertible_to<const T&, std::string_view>;
template <class T>
concept IsTuple = requires { std::tuple_size<T>::value; } && !std::ranges::range<T>;

template <class T>
std::string type_of();

template <class... Parts>
std::string tuple_of(const std::tuple<Parts...>* /*of*/) {
    return tuple_type({type_of<Parts>()...});
}

/// The type of a value in TypeScript.
template <class T>
std::string type_of() {
    if constexpr (IsJson<T>) {
        return T::type_name();
    } else if constexpr (is_optional<T>) {
        return or_null(type_of<typename T::value_type>());
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::is_same_v<T, bool> ? "boolean" : "number";
    } else if constexpr (IsText<T>) {
        return "string";
    } else if constexpr (IsTuple<T>) {
        return tuple_of(static_cast<decltype(std::tuple_cat(std::declval<T>()))*>(nullptr));
    } else {
        return list_type(type_of<std::ranges::range_value_t<T>>());
    }
}

/// A declaration of a type. All of them are in one list, from before main() on.
struct Declaration {
    explicit Declaration(std::string (*text)());
    std::string (*text)();  ///< Makes the declaration, in TypeScript.
    const Declaration* next;
};

template <Text key, class T, bool may_be_missing>
FieldType field_type(const Field<key, T, may_be_missing>* /*of*/, bool some) {
    if constexpr (may_be_missing) {
        return {key.view(), true, type_of<typename T::value_type>()};
    } else {
        return {key.view(), some, type_of<T>()};
    }
}

/// Declares fields of an interface, which `some` of its objects have, or all. Declarations of one
/// interface add up.
template <Text name, bool some, class... Fields>
inline const Declaration declared_interface([] {
    return interface_text(name.view(), {field_type(static_cast<Fields*>(nullptr), some)...});
});

template <Text name, class... Fields>
inline const Declaration declared_row([] {
    return row_text(name.view(), {field_type(static_cast<Fields*>(nullptr), false)...});
});

template <class T>
constexpr bool is_list_of_json = false;
template <IsJson T>
constexpr bool is_list_of_json<std::vector<T>> = true;

/// A value as JSON. A list is moved into it, of which nlohmann would copy each element, with all
/// that is in it.
template <class T>
nlohmann::ordered_json json_of(T value) {
    if constexpr (is_list_of_json<T>) {
        return nlohmann::ordered_json::array_t(std::move_iterator(value.begin()),
                                               std::move_iterator(value.end()));
    } else {
        return nlohmann::ordered_json(std::move(value));
    }
}

template <Text key, class T, bool may_be_missing>
void put(nlohmann::ordered_json& out, Field<key, T, may_be_missing> field) {
    if constexpr (may_be_missing) {
        if (field.value) {
            out[key.letters] = json_of(*std::move(field.value));
        }
    } else {
        out[key.letters] = json_of(std::move(field.value));
    }
}

}  // namespace typed_json

/// JSON of a type that data.d.ts of the page says by hand.
template <Text name>
Is<name> of_type(nlohmann::ordered_json json) {
    return Is<name>(std::move(json));
}

/// Adds fields to an object, of those that all objects of its type have.
template <Text name, class... Fields>
void add_to(nlohmann::ordered_json& out, Fields... fields) {
    (void)&typed_json::declared_interface<name, false, Fields...>;
    (typed_json::put(out, std::move(fields)), ...);
}

/// Adds fields that only some objects of its type have.
template <Text name, class... Fields>
void add_to_some(nlohmann::ordered_json& out, Fields... fields) {
    (void)&typed_json::declared_interface<name, true, Fields...>;
    (typed_json::put(out, std::move(fields)), ...);
}

/// An object with these fields, in their order.
template <Text name, class... Fields>
Is<name> object(Fields... fields) {
    auto out = nlohmann::ordered_json::object();
    add_to<name>(out, std::move(fields)...);
    return of_type<name>(std::move(out));
}

/// A list with one element for each field, without their names.
template <Text name, class... Fields>
Is<name> row(Fields... fields) {
    (void)&typed_json::declared_row<name, Fields...>;
    auto out = nlohmann::ordered_json::array();
    (out.push_back(typed_json::json_of(std::move(fields.value))), ...);
    return of_type<name>(std::move(out));
}

/// Prints the declarations of all types of objects and rows that the program can write.
void write_types(std::ostream& out);

}  // namespace berth::report

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
    static void to_json(ordered_json& out, std::optional<T> value) {
        out = value ? berth::report::typed_json::json_of(*std::move(value)) : ordered_json(nullptr);
    }
};

template <berth::report::IsJson T>
struct adl_serializer<T> {
    static void to_json(ordered_json& out, T value) {
        out = std::move(static_cast<ordered_json&>(value));
    }
};

}  // namespace nlohmann
