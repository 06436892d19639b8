// Uses the digest interface that OpenSSL 3 shares with OpenSSL 1.1. The newer interface first loads
// providers, which costs a millisecond in every command that reads or writes a file.
#define OPENSSL_API_COMPAT 0x10100000L

#include "experiments/program/support/sha256.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <cerrno>
#include <vector>

#include "core/support/file_reader.hpp"

namespace berth::experiments {
namespace {

SHA256_CTX* context_of(const std::shared_ptr<void>& context) {
    return static_cast<SHA256_CTX*>(context.get());
}

}  // namespace

Sha256::Sha256() : context_(std::make_shared<SHA256_CTX>()) {
    SHA256_Init(context_of(context_));
}

void Sha256::add(std::string_view bytes) {
    SHA256_Update(context_of(context_), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256_Final(digest.data(), context_of(context_));
    std::string out;
    for (const unsigned char byte : digest) {
        out += fmt::format("{:02x}", byte);
    }
    return out;
}

std::string sha256_of(std::istream& in) {
    constexpr std::size_t block = 1 << 16;
    Sha256 digest;
    std::vector<char> buffer(block);
    while (const std::streamsize got =
               in.rdbuf()->sgetn(buffer.data(), static_cast<std::streamsize>(block))) {
        digest.add({buffer.data(), static_cast<std::size_t>(got)});
    }
    return digest.hex();
}

std::optional<std::string> sha256_of(const std::filesystem::path& path) {
    try {
        core::FileReader file(path);
        return sha256_of(file);
    } catch (const core::ReadError& error) {
        errno = error.code().value();
        return std::nullopt;
    }
}

}  // namespace berth::experiments
