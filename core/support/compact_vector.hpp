#pragma once

#include <boost/container/vector.hpp>
#include <cstdint>

namespace berth::core {

/// A vector for what most of many have none of, in two thirds of the room of a std::vector; of up
/// to 2^32 - 1.
template <class T>
using CompactVector = boost::container::vector<
    T,
    void,
    boost::container::vector_options_t<boost::container::stored_size<std::uint32_t>>>;

}  // namespace berth::core
