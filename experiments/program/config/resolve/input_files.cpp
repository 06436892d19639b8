#include "experiments/program/config/resolve/input_files.hpp"

#include <system_error>

#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/sha256.hpp"

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
    std::error_code ignored;  // a file that is not there has no digest either
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

}  // namespace berth::experiments
