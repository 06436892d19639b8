#include "experiments/program/support/typed_json.hpp"

#include <fmt/format.h>
#include <set>

#include "core/support/text.hpp"

namespace berth::report {
namespace {

constinit const typed_json::Declaration* last_declared = nullptr;

}  // namespace

namespace typed_json {

std::string or_null(std::string_view type) {
    return fmt::format("{} | null", type);
}

std::string list_type(const std::string& element) {
    return element.find(' ') == std::string::npos ? fmt::format("{}[]", element)
                                                  : fmt::format("({})[]", element);
}

std::string tuple_type(const std::vector<std::string>& parts) {
    return fmt::format("[{}]", core::join(parts, ", "));
}

std::string interface_text(std::string_view name, const std::vector<FieldType>& fields) {
    std::string out = fmt::format("export interface {} {{\n", name);
    for (const FieldType& field : fields) {
        out += fmt::format("  {}{}: {};\n", field.key, field.may_be_missing ? "?" : "", field.type);
    }
    return out + "}\n";
}

std::string row_text(std::string_view name, const std::vector<FieldType>& fields) {
    const auto part = [](const FieldType& f) { return fmt::format("{}: {}", f.key, f.type); };
    return fmt::format("export type {} = {};\n", name, tuple_type(list_of(fields, part)));
}

Declaration::Declaration(std::string (*declared)())
    : text(declared), next(std::exchange(last_declared, this)) {}

}  // namespace typed_json

void write_types(std::ostream& out) {
    std::set<std::string> texts;
    for (const auto* at = last_declared; at != nullptr; at = at->next) {
        texts.insert(at->text());
    }
    for (const std::string& text : texts) {
        out << text;
    }
}

}  // namespace berth::report
