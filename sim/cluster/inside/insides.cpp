#include <algorithm>
#include <array>

#include "core/support/assert.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

// Each kind has two functions: make_NAME returns nullptr if the profile asks for nothing of it, and
// sampled_NAME then adds no names.
#define BERTH_INSIDE(name)                                                    \
    std::unique_ptr<Inside> make_##name(core::Ledger&, const InsidePlugins&); \
    void sampled_##name(const core::Topology&, const InsidePlugins&, std::vector<std::string>&);
#include "sim/cluster/inside/insides.def"
#undef BERTH_INSIDE

namespace {

/// Servers that hold nothing but amounts.
class Nothing final : public Inside {
public:
    const core::ServerRule* rule(const Job& /*job*/) override { return nullptr; }
    Grant take(const Job& /*job*/, core::ServerId /*server*/, core::Members /*before*/) override {
        BERTH_ASSERT(false, "who has no rule takes nothing");
        return {};
    }
    void give_back(core::ServerId /*server*/, const Grant& /*grant*/) override {
        BERTH_ASSERT(false, "who took nothing gives nothing back");
    }
    bool serves_without(const Job& /*job*/,
                        core::ServerId /*server*/,
                        std::span<const Grant> /*grants*/) override {
        return true;
    }
    bool is_in_ledger() const override { return true; }
    Lack lack(const Job& /*job*/) const override { return Lack::devices; }
    std::string why_not(const Job& /*job*/, core::ServerId /*server*/) override { return {}; }
    std::string_view refusal() const override { return "didn't have the devices free together"; }
    std::unique_ptr<Inside> plan_over(core::Ledger& /*copy*/) const override {
        return std::make_unique<Nothing>();
    }
    Grant take_planned(core::ServerId /*server*/, const Grant& grant) override {
        BERTH_ASSERT(false, "who has no rule takes nothing");
        return grant;
    }
    std::unique_ptr<Inside> copy_over(core::Ledger& /*copy*/) const override {
        return std::make_unique<Nothing>();
    }
    void fold(const Grant& /*grant*/, Fingerprint& /*into*/) const override {}
};

}  // namespace

core::Members Inside::servable(const Job& /*job*/, std::span<const core::PlacedNode> servers) {
    core::Members all = 0;
    for (const core::PlacedNode& server : servers) {
        all += server.count;
    }
    return all;
}

void Inside::put_in_either(std::uint32_t /*place*/, const Taken& other, Taken& taken) const {
    BERTH_ASSERT(other.size() == taken.size(), "two of one place");
    std::ranges::transform(taken, other, taken.begin(), std::ranges::max);
}

std::unique_ptr<core::PodIndex> Inside::index(const Job& /*job*/,
                                              const core::ServerRule* /*also*/) {
    return nullptr;
}

std::unique_ptr<Meter> Inside::meter(Window /*window*/) {
    return nullptr;
}

std::unique_ptr<Inside> make_inside(core::Ledger& ledger, const InsidePlugins& plugins) {
    static constexpr std::array makers{
#define BERTH_INSIDE(name) &make_##name,
#include "sim/cluster/inside/insides.def"
#undef BERTH_INSIDE
    };
    for (const auto make : makers) {
        if (auto inside = make(ledger, plugins)) {
            return inside;
        }
    }
    return std::make_unique<Nothing>();
}

std::vector<std::string> sampled_inside(const core::Topology& tree, const InsidePlugins& plugins) {
    std::vector<std::string> names;
#define BERTH_INSIDE(name) sampled_##name(tree, plugins, names);
#include "sim/cluster/inside/insides.def"
#undef BERTH_INSIDE
    return names;
}

}  // namespace berth::sim
