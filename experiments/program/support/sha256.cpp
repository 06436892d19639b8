#include "experiments/program/support/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <new>
#include <vector>

#include "core/support/file_reader.hpp"

namespace berth::experiments {
namespace {

EVP_MD_CTX* context_of(const std::shared_ptr<void>& context) {
    return static_cast<EVP_MD_CTX*>(context.get());
}

}  // namespace

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(),
               [](void* made) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(made)); }) {
    // Every OpenSSL has SHA-256, so what it lacks is memory.
    if (!context_ || EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr) != 1) {
        throw std::bad_alloc();
    }
}

void Sha256::add(std::string_view bytes) {
    EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_of(context_), digest.data(), &length);
    std::string out;
    for (unsigned int i = 0; i < length; ++i) {
        out += fmt::format("{:02x}", digest[i]);
    }
    return out;
}

std::optional<std::string> sha256_of(const std::filesystem::path& path) {
    constexpr std::size_t block = 1 << 16;
    try {
        core::FileReader file(path);
        Sha256 digest;
        std::vector<char> buffer(block);
        while (const std::streamsize got =
                   file.rdbuf()->sgetn(buffer.data(), static_cast<std::streamsize>(block))) {
            digest.add({buffer.data(), static_cast<std::size_t>(got)});
        }
        return digest.hex();
    } catch (const core::ReadError& error) {
        errno = error.code().value();
        return std::nullopt;
    }
}

}  // namespace berth::experiments
