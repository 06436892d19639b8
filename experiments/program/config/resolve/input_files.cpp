#include "experiments/program/config/resolve/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/sha256.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {

std::shared_ptr<const core::SourceText> InputFiles::text(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    auto& known = texts_[path.string()];
    if (known == nullptr) {
        known = read_source(path);
    }
    return known;
}

std::shared_ptr<const std::vector<core::Value>> InputFiles::documents(
    const std::filesystem::path& path) {
    const auto source = text(path);
    const std::lock_guard lock(mutex_);
    auto& known = documents_[path.string()];
    if (known == nullptr) {
        known = std::make_shared<const std::vector<core::Value>>(parse_documents(source));
    }
    return known;
}

std::optional<std::string> InputFiles::sha256(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    std::error_code ignored;  // a missing file has no digest either
    const auto changed = std::filesystem::last_write_time(path, ignored);
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    const auto known = digests_.find(path.string());
    if (known != digests_.end() && known->second.changed == changed && known->second.size == size) {
        return known->second.sha256;
    }
    const auto digest = sha256_of(path);
    if (digest) {
        digests_[path.string()] = {changed, size, *digest};
    }
    return digest;
}

using core::InputError;
using core::Value;

namespace {

/// Checks the format first, so that a wrong format is reported even if the file does not exist.
void refuse_unknown_format(const Value& map) {
    const Value* format = map.find("format");
    if (format == nullptr || !format->is_scalar()) {
        return;
    }
    std::vector<std::string> known;
    for (const workloads::TraceFormat& one : workloads::trace_formats()) {
        known.emplace_back(one.name);
    }
    const bool of_nodes = format->text == "spot";
    if (!of_nodes && std::ranges::find(known, format->text) == known.end()) {
        throw InputError(format->span,
                         fmt::format("unknown format '{}': expected {}{}",
                                     format->text,
                                     core::alternatives(known),
                                     core::suggestion(format->text, known)));
    }
}

}  // namespace

Value* file_in(Value& map, std::string_view key) {
    Value* file = map.is_map() ? map.find(key) : nullptr;
    if (file == nullptr || file->kind == Value::Kind::null) {
        return nullptr;
    }
    if (!file->is_scalar()) {
        core::Diagnostics diagnostics;
        expected(*file, "the name of a file", diagnostics);
        diagnostics.throw_if_failed();
    }
    return file;
}

void keep_file(Value& map,
               const std::filesystem::path& folder,
               InputFiles& files,
               std::string_view key,
               std::size_t rest) {
    Value* file = file_in(map, key);
    if (file == nullptr) {
        return;
    }
    if (file->text == "-") {
        throw InputError(file->span,
                         "found '-': expected the name of a file, since it is read more than once");
    }
    const std::string name = file->text.substr(0, file->text.size() - rest);
    const auto path = std::filesystem::absolute(folder / name).lexically_normal();
    std::error_code ignored;  // a file that cannot be examined cannot be read either
    if (std::filesystem::is_other(std::filesystem::status(path, ignored))) {
        throw InputError(file->span,
                         fmt::format("{} is a device or a pipe: expected the name of a file, since "
                                     "it is read more than once",
                                     (folder / name).string()));
    }
    const auto digest = files.sha256(path);
    if (!digest) {
        refuse_unknown_format(map);
        throw InputError(file->span,
                         fmt::format("{} cannot be read ({}): expected a readable file",
                                     (folder / name).string(),
                                     std::strerror(errno)));
    }
    const Value* stated = map.find("sha256");
    if (stated != nullptr && stated->text != *digest) {
        throw InputError(stated->span,
                         fmt::format("{} has another sha256, {}: expected the file that the "
                                     "experiment was made with",
                                     (folder / name).string(),
                                     *digest));
    }
    file->text = path.string() + file->text.substr(name.size());
    if (stated == nullptr) {
        Value scalar;
        scalar.kind = Value::Kind::scalar;
        scalar.text = *digest;
        scalar.span = file->span;
        map.members.push_back({"sha256", file->span, std::move(scalar)});
    }
}

}  // namespace berth::experiments
