#include "core/tree/resource_provider.hpp"

namespace berth::core {

Amount ProviderInventory::capacity() const {
    return static_cast<Amount>(static_cast<double>(total - reserved) * allocation_ratio);
}

}  // namespace berth::core
