#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>

#include "core/support/source.hpp"

namespace berth::core {

/// A compressed file that ends too early, or whose bytes are not those of any text.
class DamagedFile : public InputError {
public:
    using InputError::InputError;
};

/// What is compressed in a file, as a stream whose faults name the file. All that comes before a
/// fault is given first.
///
/// Errors: DamagedFile `NAME: error: cut short or damaged (why): expected EXPECTED` from whatever
///         reads, also std::getline() and the buffer itself; ReadError and std::bad_alloc as they
///         are.
class PackedStream : public std::istream {
public:
    /// Says in words what a decompressor's exception means.
    using Explain = std::function<std::string(const std::exception& fault)>;

    /// `text` decompresses, and throws where it cannot. `explain` may be empty: then the
    /// exception's own words are shown.
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
