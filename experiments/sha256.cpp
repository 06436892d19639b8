#include "experiments/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

class Digest {
public:
    Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        BERTH_ASSERT(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
                     "SHA-256 is available");
    }
    void add(std::string_view bytes) {
        EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
    }
    std::string hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int length = 0;
        EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
        std::string out;
        for (unsigned int i = 0; i < length; ++i) {
            out += fmt::format("{:02x}", digest[i]);
        }
        return out;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::optional<std::string> sha256_of(const std::filesystem::path& path) {
    constexpr std::size_t block = 1 << 16;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    Digest digest;
    std::vector<char> buffer(block);
    while (file) {
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        digest.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
    }
    return file.eof() ? std::optional(digest.hex()) : std::nullopt;
}

}  // namespace berth::experiments
