// Compares quota trees that are updated through random changes with ones computed from scratch.

#include <catch2/catch.hpp>

#include "core/elastic_quota/quota_trees.hpp"
#include "tests/support/plain_quotas.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using core::Amount;
using core::QuotaId;
using core::ResourceList;
using tests::Dice;

namespace {

constexpr std::size_t resources = 2;

/// Units of each resource: trees share the second resource in these pieces until a quota has a part
/// of one.
constexpr Amount units[resources] = {1, 10};

ResourceList random_list(Dice& dice, Amount most) {
    ResourceList list(resources);
    for (std::size_t r = 0; r < resources; ++r) {
        list.set(r, dice.roll(0, most) * units[r]);
    }
    return list;
}

/// Both implementations, which are changed together.
class Pair {
public:
    explicit Pair(Dice& dice) : dice_(dice) {
        plain_.units.assign(std::begin(units), std::end(units));
        trees_.share_whole(1, units[1]);
        set_total();
    }

    void change_something() {
        const std::int64_t what = dice_.roll(1, 100);
        if (what <= 12 || names_.empty()) {
            add();
        } else if (what <= 16) {
            remove();
        } else if (what <= 26) {
            update();
        } else if (what <= 30) {
            set_total();
        } else if (what <= 70) {
            request();
        } else {
            use();
        }
    }

    void check() {
        for (std::size_t r = 0; r < resources; ++r) {
            std::map<std::string, Amount> runtimes;
            plain_.runtimes("", plain_.total[r], r, runtimes);
            for (const std::string& name : names_) {
                CAPTURE(name, r);
                const QuotaId quota = *trees_.find(name);
                REQUIRE(trees_.limited_request(quota, r) == plain_.limited_request(name, r));
                REQUIRE(trees_.used(quota, r) == plain_.used(name, r));
                REQUIRE(trees_.runtime(quota, r) == runtimes.at(name));
                REQUIRE(runtimes.at(name) <= trees_.spec(quota).max[r]);
            }
            check_sums("", plain_.total[r], r, runtimes);
        }
    }
    /// Checks a single runtime, as an admission reads it.
    void check_one() {
        if (names_.empty()) {
            return;
        }
        const std::string& name = any();
        const auto r = static_cast<std::size_t>(dice_.roll(0, resources - 1));
        std::map<std::string, Amount> runtimes;
        plain_.runtimes("", plain_.total[r], r, runtimes);
        REQUIRE(trees_.runtime(*trees_.find(name), r) == runtimes.at(name));
    }

private:
    /// With min scaling on, siblings together never get more than their parent has.
    void check_sums(const std::string& parent,
                    Amount has,
                    std::size_t r,
                    const std::map<std::string, Amount>& runtimes) {
        Amount sum = 0;
        for (const std::string& name : names_) {
            if (plain_.quotas.at(name).spec.parent == parent) {
                sum += runtimes.at(name);
                check_sums(name, runtimes.at(name), r, runtimes);
            }
        }
        REQUIRE(sum <= has);
    }

    const std::string& any() {
        return names_[static_cast<std::size_t>(
            dice_.roll(0, static_cast<std::int64_t>(names_.size()) - 1))];
    }
    bool is_leaf(const std::string& name) { return trees_.children(*trees_.find(name)).empty(); }
    bool is_below(std::string name, const std::string& above) {
        for (; !name.empty(); name = plain_.quotas.at(name).spec.parent) {
            if (name == above) {
                return true;
            }
        }
        return false;
    }

    void give_amounts(core::QuotaSpec& spec) {
        spec.allow_lent_resource = dice_.chance(75);
        spec.max = random_list(dice_, 60);
        spec.min = ResourceList(resources);
        for (std::size_t r = 0; r < resources; ++r) {
            spec.min.set(r, dice_.roll(0, spec.max[r] / units[r]) * units[r]);
        }
        if (dice_.roll(1, 200) == 1) {
            spec.max.set(1, spec.max[1] + 3);
            plain_.units[1] = 1;
        }
        spec.shared_weight = dice_.chance(30) ? random_list(dice_, 9) : ResourceList(resources);
    }
    void add() {
        core::QuotaSpec spec;
        spec.name = "q" + std::to_string(dice_.roll(0, 999));
        if (plain_.quotas.contains(spec.name)) {
            return;
        }
        spec.parent = names_.empty() || dice_.chance(40) ? "" : any();
        spec.is_parent = true;
        give_amounts(spec);
        trees_.add(spec);
        plain_.quotas[spec.name] = {
            spec, std::vector<Amount>(resources, 0), std::vector<Amount>(resources, 0)};
        names_.push_back(spec.name);
    }
    void remove() {
        const std::string name = any();
        if (is_leaf(name)) {
            trees_.remove(*trees_.find(name));
            plain_.quotas.erase(name);
            std::erase(names_, name);
        }
    }
    void update() {
        const std::string name = any();
        core::QuotaSpec spec = plain_.quotas.at(name).spec;
        give_amounts(spec);
        const std::string parent = any();
        if (dice_.chance(40) && !is_below(parent, name)) {
            spec.parent = parent;
        }
        trees_.update(*trees_.find(name), spec);
        plain_.quotas.at(name).spec = spec;
    }
    void set_total() {
        ResourceList total(resources);
        plain_.total.assign(resources, 0);
        for (std::size_t r = 0; r < resources; ++r) {
            plain_.total[r] = dice_.roll(1, 200 * units[r]);
            total.set(r, plain_.total[r]);
        }
        trees_.set_cluster_total(total);
    }
    std::vector<Amount> random_amounts(const std::vector<Amount>& now) {
        std::vector<Amount> out;
        for (std::size_t r = 0; r < resources; ++r) {
            const Amount pieces = dice_.roll(-std::min<Amount>(now[r] / units[r], 8), 8);
            out.push_back(dice_.chance(30) ? 0 : pieces * units[r]);
        }
        return out;
    }
    void request() {
        const std::string& name = any();
        std::vector<Amount>& own = plain_.quotas.at(name).own_request;
        std::vector<Amount> more = random_amounts(own);
        if (dice_.roll(1, 300) == 1) {
            more[1] += 4;
            plain_.units[1] = 1;
        }
        trees_.add_request(*trees_.find(name), more, 1);
        for (std::size_t r = 0; r < resources; ++r) {
            own[r] += more[r];
        }
    }
    void use() {
        const std::string& name = any();
        std::vector<Amount>& own = plain_.quotas.at(name).own_used;
        const std::vector<Amount> more = random_amounts(own);
        trees_.add_used(*trees_.find(name), more, 1, true);
        for (std::size_t r = 0; r < resources; ++r) {
            own[r] += more[r];
        }
    }

    Dice& dice_;
    core::QuotaTrees trees_{resources};
    tests::PlainQuotas plain_;
    std::vector<std::string> names_;
};

}  // namespace

TEST_CASE("quota trees: kept up to date, they are as computed from nothing", "[property][quota]") {
    for (std::uint64_t seed = 0; seed < tests::cases(300); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Pair pair(dice);
        for (int step = 0; step < 120; ++step) {
            CAPTURE(step);
            pair.change_something();
            if (dice.chance(30)) {
                pair.check_one();
            }
            if (dice.chance(20)) {
                pair.check();
            }
        }
        pair.check();
    }
}

TEST_CASE("quota trees: no whole piece is idle that a quota below its max asks for",
          "[property][quota]") {
    for (std::uint64_t seed = 0; seed < tests::cases(5000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        core::QuotaTrees trees(1);
        trees.share_whole(0, 1000);
        const auto pieces = [&](Amount most) {
            ResourceList list(1);
            list.set(0, dice.roll(0, most) * 1000);
            return list;
        };
        ResourceList total(1);
        total.set(0, dice.roll(1, 100'000));
        trees.set_cluster_total(total);
        std::vector<QuotaId> quotas;
        for (std::int64_t left = dice.roll(1, 20); left > 0; --left) {
            core::QuotaSpec spec;
            spec.name = "q" + std::to_string(left);
            spec.is_parent = true;
            spec.max = pieces(30);
            spec.min = pieces(spec.max[0] / 1000);
            if (!quotas.empty() && dice.chance(50)) {
                spec.parent = trees.name(
                    quotas[static_cast<std::size_t>(dice.roll(0, std::ssize(quotas) - 1))]);
            }
            quotas.push_back(trees.add(spec));
        }
        for (const QuotaId quota : quotas) {
            trees.add_request(quota, std::vector<Amount>{1000}, dice.roll(0, 40));
        }
        std::vector<QuotaId> parents = trees.roots();
        parents.insert(parents.end(), quotas.begin(), quotas.end());
        for (const QuotaId parent : parents) {
            const Amount has = trees.runtime(parent, 0).value_or(0);
            Amount given = 0;
            bool hungry = false;
            for (const QuotaId child : trees.children(parent)) {
                const Amount runtime = *trees.runtime(child, 0);
                REQUIRE(runtime % 1000 == 0);
                hungry = hungry || runtime < trees.limited_request(child, 0);
                given += runtime;
            }
            REQUIRE(given <= has);
            REQUIRE((!hungry || given == has / 1000 * 1000));
        }
    }
}
