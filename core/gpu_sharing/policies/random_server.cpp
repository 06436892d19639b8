/// random: any server on which the pod fits, all equally likely; for a share, any device that has
/// it.
/// Source: the published FGD simulator's Random. Its draws depend on its number of threads, so only
///         the distribution is the same.

#include <boost/random/uniform_int_distribution.hpp>
#include <random>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

class RandomServer final : public GpuPolicy {
public:
    explicit RandomServer(std::uint64_t seed) : bits_(seed) {}

    std::int32_t score(const GpuServer& /*server*/, const GpuPod& /*pod*/) override { return 0; }
    bool draws_server() const override { return true; }
    std::uint32_t draw(std::uint32_t count) override {
        BERTH_ASSERT(count > 0, "there is something to draw from");
        return boost::random::uniform_int_distribution<std::uint32_t>(0, count - 1)(bits_);
    }
    std::size_t device(const GpuServer& server, const GpuPod& pod) override {
        std::vector<std::size_t> enough;
        for (std::size_t device = 0; device < server.by_device.size(); ++device) {
            if (server.by_device[device] >= pod.milli) {
                enough.push_back(device);
            }
        }
        return enough[draw(static_cast<std::uint32_t>(enough.size()))];
    }

private:
    std::mt19937_64 bits_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_random_server(const GpuPolicyContext& context) {
    return std::make_unique<RandomServer>(context.seed);
}

}  // namespace berth::core
