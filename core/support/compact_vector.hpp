#pragma once

#include <boost/container/vector.hpp>
#include <cstdint>

namespace berth::core {

/// A vector for values that most of many objects have none of. It takes two thirds of the room of a
/// std::vector and holds up to 2^32 - 1 values.
template <class T>
using CompactVector = boost::container::vector<
    T,
    void,
    boost::container::vector_options_t<boost::container::stored_size<std::uint32_t>>>;

}  // namespace berth::core
