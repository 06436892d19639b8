#include "experiments/config/input_files.hpp"

#include "experiments/documents.hpp"
#include "experiments/sha256.hpp"

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
    const auto known = digests_.find(path.string());
    if (known != digests_.end()) {
        return known->second;
    }
    const auto digest = sha256_of(path);
    if (digest) {
        digests_.emplace(path.string(), *digest);
    }
    return digest;
}

}  // namespace berth::experiments
