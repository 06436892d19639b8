#include "experiments/program/config/document/foreign_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace berth::experiments {
namespace {

/// The API groups whose objects are read; the core group, `v1`, has no name.
constexpr std::array<std::string_view, 4> groups_read{
    "", "berth", "scheduling.koordinator.sh", "scheduling.sigs.k8s.io"};

std::string group_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string::npos ? "" : api_version.substr(0, slash);
}

}  // namespace

std::optional<ForeignDocument> foreign_document(const core::Value& document) {
    if (document.is_list()) {
        return ForeignDocument{document.span,
                               "found a list: expected a document, a map with kind and spec"};
    }
    if (!document.is_map()) {
        return ForeignDocument{
            document.span,
            "found a text or a table: expected a document, a map with kind and spec; a table of "
            "jobs is a workload's trace: {format: csv, file: ...}, and berth workload FILE "
            "--from csv shows it"};
    }
    const core::Value* version = document.find("apiVersion");
    const core::Value* kind = document.find("kind");
    const std::string group =
        version != nullptr && version->is_scalar() ? group_of(version->text) : "";
    const bool any_group = kind != nullptr && kind->text == "TopologyTree";
    if (any_group || std::ranges::find(groups_read, group) != groups_read.end()) {
        return std::nullopt;
    }
    return ForeignDocument{
        version->span,
        fmt::format("{} of {} is not supported yet: expected a kind of berth, Kubernetes or "
                    "Koordinator that docs/reference names",
                    kind != nullptr && kind->is_scalar() ? kind->text : "a document",
                    group)};
}

}  // namespace berth::experiments
