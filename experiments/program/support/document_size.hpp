#pragma once

#include <cstddef>
#include <string>

namespace berth::experiments {

/// Whether a document may be so large, which it is so far: what is held in memory is many times as
/// large as its text.
/// Errors: InputError, also for a compressed file with hardly anything in it but its length.
void check_document_size(const std::string& file, std::size_t size);

}  // namespace berth::experiments
