#include "sim/cluster/inside/providers/server_providers.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/scorers/shares.hpp"
#include "core/support/assert.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/cluster/inside/providers/provider_metrics.hpp"

namespace berth::sim {

using core::Amount;
using core::ClassIndex;
using core::InventoryRow;
using core::Members;
using core::ProviderIndex;
using core::ServerId;

namespace {

/// More members of a shape than any group puts on one server.
constexpr Members members_max = 1024;

/// pack and spread choose among this many candidates of a server: those that the search finds
/// first.
constexpr std::uint64_t choice_max = 1000;

constexpr std::size_t not_shared = std::numeric_limits<std::size_t>::max();

/// The number of changes that the ledger's log keeps.
std::size_t log_size(std::uint32_t servers) {
    return std::clamp<std::size_t>(servers, 1024, std::size_t{1} << 16);
}

}  // namespace

class ServerProviders::Rule final : public core::ServerRule {
public:
    Rule(ServerProviders& providers, const PodQuery& pod)
        : providers_(providers),
          pod_(pod),
          search_(providers.forest_, pod_.query),
          score_log_(log_size(providers.topology_.server_count())),
          most_log_(log_size(providers.topology_.server_count())) {
        BERTH_ASSERT(!search_.fault(), "the query's names were checked");
        for (const core::CandidatePart& part : search_.parts()) {
            for (const auto& [type, amount] : part.resources) {
                if (providers.shared_of_class_[type] != not_shared) {
                    Asked& asked = asked_.try_emplace(type, Asked{amount, 0}).first->second;
                    asked.least = std::min(asked.least, amount);
                    asked.all += amount;
                }
            }
        }
    }

    [[nodiscard]] std::optional<std::int64_t> score(ServerId server) const override {
        providers_.catch_up();
        return serves(server) ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] Members most(ServerId server, Members fit) const override {
        providers_.catch_up();
        std::vector<Parts> taken;
        while (providers_.ledger_.is_up(server) && std::ssize(taken) < std::min(fit, members_max)) {
            Parts parts = choose(server);
            if (parts.empty()) {
                break;
            }
            providers_.add(parts, 1);
            taken.push_back(std::move(parts));
        }
        for (const Parts& parts : taken) {
            providers_.add(parts, -1);
        }
        return std::ssize(taken);
    }
    [[nodiscard]] const core::ChangeLog* score_changes() const override {
        return shares() ? &score_log_ : nullptr;
    }
    [[nodiscard]] const core::ChangeLog* most_changes() const override {
        return shares() ? &most_log_ : nullptr;
    }
    /// Whether a shared provider may serve some part of the pod.
    [[nodiscard]] bool shares() const { return !asked_.empty(); }

    [[nodiscard]] bool serves(ServerId server) const {
        return providers_.ledger_.is_up(server) && search_.find_in(tree(server), 1).size() > 0;
    }

    /// What the next pod would get on a server; empty if nothing.
    [[nodiscard]] Parts choose(ServerId server) const {
        const bool first = providers_.choice_ == CandidateChoice::first;
        const core::CandidateList list = search_.find_in(tree(server), first ? 1 : choice_max);
        std::size_t best = 0;
        for (std::size_t i = 1; i < list.size(); ++i) {
            const std::int64_t gain = fullness(list[i]) - fullness(list[best]);
            best = (providers_.choice_ == CandidateChoice::pack ? gain > 0 : gain < 0) ? i : best;
        }
        return list.size() > 0 ? parts_of(list[best]) : Parts();
    }

    /// The free amount of a class on a shared provider, which has number `sharing` among them,
    /// changed.
    void shared_changed(std::size_t sharing, ClassIndex type, Amount before, Amount after) {
        const auto asked = asked_.find(type);
        if (asked == asked_.end()) {
            return;
        }
        const auto& [least, all] = asked->second;
        if (before < least && after < least) {
            return;
        }
        // The new amount may be enough for some parts of a pod, and not for all of them.
        const bool for_one = before < all || after < all;
        const bool for_many = least < all || before / all != after / all;
        for (const core::TreeIndex tree : providers_.forest_.served(sharing)) {
            const auto server = core::server_of_providers(tree, providers_.topology_);
            if (server && for_one) {
                score_log_.add(*server);
            }
            if (server && for_many) {
                most_log_.add(*server);
            }
        }
    }

private:
    /// The amounts that the pod asks for of a class that shared providers have: in the part that
    /// asks for the least, and in all parts together.
    struct Asked {
        Amount least = 0;
        Amount all = 0;
    };
    [[nodiscard]] static core::TreeIndex tree(ServerId server) {
        return core::provider_tree_of(server);
    }

    /// Sums up, over all amounts that the pod asks for, the share in use of the inventory that
    /// serves the amount, once the pod has the whole candidate.
    [[nodiscard]] std::int64_t fullness(std::span<const ProviderIndex> candidate) const {
        const Parts parts = parts_of(candidate);
        std::int64_t sum = 0;
        for (const ProviderUse::Part& part : parts) {
            const InventoryRow& row = *providers_.forest_.inventory(part.provider, part.type);
            Amount used = row.used;
            for (const ProviderUse::Part& other : parts) {
                const bool same = other.provider == part.provider && other.type == part.type;
                used += same ? other.amount : 0;
            }
            sum += core::share(used, row.capacity);
        }
        return sum;
    }

    [[nodiscard]] Parts parts_of(std::span<const ProviderIndex> candidate) const {
        Parts parts;
        for (std::size_t part = 0; part < candidate.size(); ++part) {
            for (const auto& [type, amount] : search_.parts()[part].resources) {
                parts.push_back({candidate[part], type, amount});
            }
        }
        return parts;
    }

    ServerProviders& providers_;
    PodQuery pod_;
    core::CandidateSearch search_;
    core::ChangeLog score_log_;
    core::ChangeLog most_log_;
    std::map<ClassIndex, Asked> asked_;
};

ServerProviders::ServerProviders(const core::Ledger& ledger, const CandidatePlugin& plugin)
    : ledger_(ledger),
      topology_(ledger.topology()),
      plugin_(plugin),
      choice_(plugin.choice),
      terms_(topology_),
      forest_(core::provider_forest(topology_)),
      changes_(&ledger.changes()),
      pods_on_(topology_.server_count(), 0),
      shared_of_class_(forest_.classes().size(), not_shared) {
    read_machine_types();
    read_shared();
    for (std::uint32_t server = 0; server < topology_.server_count(); ++server) {
        follow_ledger(ServerId{server});
    }
}

ServerProviders::~ServerProviders() = default;

void ServerProviders::read_machine_types() {
    for (const core::MachineType& type : topology_.machine_types()) {
        std::vector<ClassOfType>& classes = classes_.emplace_back();
        for (core::ProviderClass& one : core::provider_classes(type, topology_.resources())) {
            const auto number = forest_.classes().find(one.name);
            if (!number) {
                continue;  // no provider has any
            }
            auto known = std::ranges::find(classes, *number, &ClassOfType::type);
            if (known == classes.end()) {
                classes.push_back({*number, {}, terms_.counted(one.name) != nullptr});
                known = classes.end() - 1;
            }
            known->amounts.push_back(std::move(one));
        }
    }
}

void ServerProviders::read_shared() {
    for (ClassIndex type = 0; type < forest_.classes().size(); ++type) {
        SharedUse use{forest_.classes().name(type), 0, 0};
        bool any = false;
        for (const ProviderIndex provider : forest_.sharing()) {
            if (const InventoryRow* row = forest_.inventory(provider, type)) {
                use.capacity += row->capacity;
                any = true;
            }
        }
        if (any) {
            shared_of_class_[type] = shared_.size();
            shared_.push_back(std::move(use));
        }
    }
}

const core::ServerRule& ServerProviders::rule(const PodQuery& pod) {
    return rule_of(pod);
}

const ServerProviders::Rule& ServerProviders::rule_of(const PodQuery& pod) {
    std::unique_ptr<Rule>& rule = rules_[pod.text];
    if (rule == nullptr) {
        rule = std::make_unique<Rule>(*this, pod);
    }
    return *rule;
}

void ServerProviders::catch_up() {
    if (plans_) {
        return;
    }
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < topology_.server_count(); ++server) {
            follow_ledger(ServerId{server});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        follow_ledger(*server);
    }
}

/// The amount of a class that the ledger has in use, in units of the class; a part of a unit counts
/// as one unit.
Amount ServerProviders::in_use(ServerId server, const ClassOfType& type) const {
    Amount units = 0;
    for (const core::ProviderClass& one : type.amounts) {
        const Amount used = ledger_.allocated(topology_.node_of(server), one.resource);
        units += (used / one.amount + (used % one.amount > 0 ? 1 : 0)) * one.units;
    }
    return units;
}

/// For classes that the ledger counts, brings the usage of providers to what the ledger says,
/// neither more nor less. Without a grant, that changes only from outside, while no pod of the run
/// is there.
void ServerProviders::follow_ledger(ServerId server) {
    const core::TreeIndex tree = core::provider_tree_of(server);
    for (const ClassOfType& type : classes_[topology_.machine_type_index(server)]) {
        Amount used = 0;
        bool has_any = false;
        for (ProviderIndex p = forest_.root(tree); p < forest_.tree_end(tree); ++p) {
            if (const InventoryRow* row = forest_.inventory(p, type.type)) {
                used += row->used;
                has_any = true;
            }
        }
        const Amount units = in_use(server, type);
        if (pods_on_[server.index] > 0) {
            BERTH_ASSERT(!type.counted || !has_any || used == units,
                         "what pods took of providers is what the ledger has allocated");
        } else if (has_any && used != units) {
            fill(server, type.type, units);
        }
    }
}

/// Sets the usage of a class on a server without pods: first up to the capacity of the first
/// provider of the class, then of the next one; what exceeds all of them goes to the last one.
void ServerProviders::fill(ServerId server, ClassIndex type, Amount units) {
    const core::TreeIndex tree = core::provider_tree_of(server);
    ProviderIndex last = 0;
    for (ProviderIndex p = forest_.root(tree); p < forest_.tree_end(tree); ++p) {
        if (const InventoryRow* row = forest_.inventory(p, type)) {
            const Amount here = std::min(units, row->capacity);
            forest_.add_usage(p, type, here - row->used);
            units -= here;
            last = p;
        }
    }
    forest_.add_usage(last, type, units);
}

void ServerProviders::add(const Parts& parts, Amount sign) {
    for (const ProviderUse::Part& part : parts) {
        forest_.add_usage(part.provider, part.type, sign * part.amount);
    }
}

/// The same, and tells all rules that may see a difference although they ask about other servers.
void ServerProviders::add_and_tell(ServerId server, const Parts& parts, Amount sign) {
    for (const ProviderUse::Part& part : parts) {
        const bool elsewhere = forest_.tree(part.provider) != core::provider_tree_of(server);
        const InventoryRow* row = forest_.inventory(part.provider, part.type);
        BERTH_ASSERT(row != nullptr, "a provider that serves a part has an inventory of its class");
        BERTH_ASSERT(sign > 0 || row->used >= part.amount, "no more comes back than was taken");
        const Amount before = row->capacity - row->used;
        forest_.add_usage(part.provider, part.type, sign * part.amount);
        if (!elsewhere) {
            continue;
        }
        BERTH_ASSERT(shared_of_class_[part.type] != not_shared,
                     "what another tree's provider serves is shared");
        SharedUse& shared = shared_[shared_of_class_[part.type]];
        shared.used += sign * part.amount;
        BERTH_ASSERT(shared.used >= 0, "no more of what is shared comes back than was taken");
        tell_sharers(part.provider, part.type, before, before - sign * part.amount);
    }
}

/// Tells the rules that the free amount of a class on a shared provider has changed.
void ServerProviders::tell_sharers(ProviderIndex provider,
                                   ClassIndex type,
                                   Amount before,
                                   Amount after) {
    const std::vector<ProviderIndex>& sharing = forest_.sharing();
    const auto number = std::ranges::lower_bound(sharing, provider) - sharing.begin();
    BERTH_ASSERT(number < std::ssize(sharing), "a provider of another tree is one that shares");
    for (const auto& [text, rule] : rules_) {
        rule->shared_changed(static_cast<std::size_t>(number), type, before, after);
    }
}

std::vector<Amount> ServerProviders::beside(ServerId server, const Parts& parts) const {
    std::vector<Amount> amounts;
    for (const ProviderUse::Part& part : parts) {
        const auto* one = terms_.counted(forest_.classes().name(part.type));
        const bool here = forest_.tree(part.provider) == core::provider_tree_of(server);
        if (one != nullptr && one->shared && here) {
            amounts.resize(topology_.resources().size());
            amounts[one->resource] += part.amount * one->amount;
        }
    }
    return amounts;
}

ProviderGrant ServerProviders::take(const PodQuery& pod, ServerId server) {
    Parts parts = rule_of(pod).choose(server);
    BERTH_ASSERT(!parts.empty(), "a pod goes where a candidate is");
    add_and_tell(server, parts, 1);
    ++pods_on_[server.index];
    std::vector<Amount> more = beside(server, parts);
    const auto place = [](const ProviderUse::Part& part) {
        return std::tuple(part.provider, part.type);
    };
    std::ranges::sort(parts, {}, place);
    Parts merged;
    for (const ProviderUse::Part& part : parts) {
        if (!merged.empty() && place(merged.back()) == place(part)) {
            merged.back().amount += part.amount;
        } else {
            merged.push_back(part);
        }
    }
    return std::make_shared<const ProviderUse>(
        ProviderUse{&forest_, std::move(merged), std::move(more)});
}

void ServerProviders::give_back(ServerId server, const ProviderUse& use) {
    BERTH_ASSERT(use.forest == &forest_, "what is given back was taken of these providers");
    add_and_tell(server, use.parts, -1);
    BERTH_ASSERT(pods_on_[server.index] > 0, "who gives back what it took was on the server");
    --pods_on_[server.index];
}

Members ServerProviders::servable(const PodQuery& pod, std::span<const core::PlacedNode> servers) {
    const Rule& rule = rule_of(pod);
    Members all = 0;
    for (const core::PlacedNode& server : servers) {
        all += server.count;
    }
    if (!rule.shares()) {
        return all;  // nothing that one server takes is missing on another
    }
    std::vector<Parts> taken;
    for (const core::PlacedNode& server : servers) {
        for (Members member = 0; member < server.count; ++member) {
            Parts parts = rule.choose(topology_.server_of(server.node));
            if (!parts.empty()) {
                add(parts, 1);
                taken.push_back(std::move(parts));
            }
        }
    }
    for (const Parts& parts : taken) {
        add(parts, -1);
    }
    return std::ssize(taken);
}

bool ServerProviders::serves_without(const PodQuery& pod,
                                     ServerId server,
                                     std::span<const ProviderUse* const> uses) {
    for (const ProviderUse* use : uses) {
        add(use->parts, -1);
    }
    const bool serves = rule_of(pod).serves(server);
    for (const ProviderUse* use : uses) {
        add(use->parts, 1);
    }
    return serves;
}

const core::ServerRule* ServerProviders::rule(const Job& job) {
    return job.query != nullptr ? &rule_of(*job.query) : nullptr;
}

Grant ServerProviders::take(const Job& job, ServerId server, Members /*before*/) {
    return {nullptr, take(*job.query, server), {}};
}

void ServerProviders::give_back(ServerId server, const Grant& grant) {
    BERTH_ASSERT(grant.providers != nullptr, "who gives back has taken a candidate");
    give_back(server, *grant.providers);
}

bool ServerProviders::serves_without(const Job& job,
                                     ServerId server,
                                     std::span<const Grant> grants) {
    std::vector<const ProviderUse*> uses;
    std::ranges::transform(
        grants, std::back_inserter(uses), [](const Grant& grant) { return grant.providers.get(); });
    return serves_without(*job.query, server, uses);
}

std::span<const Amount> ServerProviders::beside(const Grant& grant) const {
    return grant.providers->beside;
}

Members ServerProviders::servable(const Job& job, std::span<const core::PlacedNode> servers) {
    return job.query != nullptr ? servable(*job.query, servers) : Inside::servable(job, servers);
}

Lack ServerProviders::lack(const Job& /*job*/) const {
    return Lack::devices;
}

std::string ServerProviders::why_not(const Job& /*job*/, ServerId /*server*/) {
    return "no allocation candidate";
}

std::string_view ServerProviders::refusal() const {
    return "had no allocation candidate";
}

std::unique_ptr<Inside> ServerProviders::copy_over(core::Ledger& /*copy*/) const {
    return nullptr;
}

void ServerProviders::fold(const Grant& grant, Fingerprint& into) const {
    for (const ProviderUse::Part& part : grant.providers->parts) {
        into.add(part.provider);
        into.add(static_cast<std::uint64_t>(part.amount));
    }
}

std::unique_ptr<Meter> ServerProviders::meter(Window window) {
    return std::make_unique<ProviderMetrics>(*this, window);
}

std::unique_ptr<Inside> make_providers(core::Ledger& ledger, const InsidePlugins& plugins) {
    return plugins.candidates ? std::make_unique<ServerProviders>(ledger, *plugins.candidates)
                              : nullptr;
}

void sampled_providers(const core::Topology& tree,
                       const InsidePlugins& plugins,
                       std::vector<std::string>& names) {
    if (plugins.candidates) {
        std::ranges::copy(ProviderMetrics::sampled(tree), std::back_inserter(names));
    }
}

}  // namespace berth::sim
