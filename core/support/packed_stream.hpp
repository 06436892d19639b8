#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>

#include "core/support/source.hpp"

namespace berth::core {

/// A compressed file that ends too early, or whose bytes are not a valid compressed text.
class DamagedFile : public InputError {
public:
    using InputError::InputError;
};

/// The decompressed content of a file, as a stream whose errors name the file. All text before an
/// error is delivered first.
///
/// Errors: DamagedFile `NAME: error: cut short or damaged (why): expected EXPECTED` from everything
///         that reads, also from std::getline() and the buffer itself; ReadError and std::bad_alloc
///         pass through unchanged.
class PackedStream : public std::istream {
public:
    /// Puts into words what an exception of a decompressor means.
    using Explain = std::function<std::string(const std::exception& fault)>;

    /// `text` decompresses, and throws where it cannot. `explain` may be empty: messages then show
    /// the text of the exception.
    PackedStream(std::unique_ptr<std::istream> text,
                 std::string name,
                 std::string expected,
                 Explain explain = nullptr);
    ~PackedStream() override;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

}  // namespace berth::core
