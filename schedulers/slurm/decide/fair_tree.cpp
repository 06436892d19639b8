#include "schedulers/slurm/decide/fair_tree.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace berth::core::slurm {
namespace {

constexpr const char* root = "root";

struct Sibling {
    bool is_account = false;
    std::string name;
    double shares = 0;
    double usage = 0;
    double level = 0;
};

double usage_of(const std::map<Association, double>& usage,
                const std::string& account,
                const std::string& user) {
    const auto found = usage.find({account, user});
    return found == usage.end() ? 0 : found->second;
}

std::vector<Sibling> users_of(const std::string& account,
                              const Account& of,
                              const std::map<Association, double>& usage) {
    std::vector<Sibling> users;
    for (const auto& [user, terms] : of.users) {
        users.push_back(
            {false, user, static_cast<double>(terms.shares), usage_of(usage, account, user)});
    }
    return users;
}

/// Sorts siblings by their level, highest first, and users before accounts of the same level.
void sort_by_level(std::vector<Sibling>& siblings) {
    double shares = 0;
    double usage = 0;
    for (const Sibling& sibling : siblings) {
        shares += sibling.shares;
        usage += sibling.usage;
    }
    for (Sibling& sibling : siblings) {
        sibling.level = sibling.usage == 0 ? std::numeric_limits<double>::infinity()
                                           : sibling.shares / shares / (sibling.usage / usage);
    }
    std::ranges::stable_sort(siblings, [](const Sibling& a, const Sibling& b) {
        return a.level != b.level ? a.level > b.level : !a.is_account && b.is_account;
    });
}

/// Users with the same rank.
using Rank = std::vector<Association>;

/// Ranks the users of accounts that have the same level, as if they were of one account.
void rank_accounts(const std::vector<std::string>& names,
                   const std::map<std::string, Account>& accounts,
                   const std::map<Association, double>& usage,
                   std::vector<Rank>& ranks) {
    std::vector<std::pair<double, Association>> all;
    for (const std::string& name : names) {
        std::vector<Sibling> users = users_of(name, accounts.at(name), usage);
        sort_by_level(users);
        for (const Sibling& user : users) {
            all.push_back({user.level, {name, user.name}});
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<double, Association>::first);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == 0 || all[i].first != all[i - 1].first) {
            ranks.emplace_back();
        }
        ranks.back().push_back(all[i].second);
    }
}

}  // namespace

std::map<Association, double> fair_tree(const std::map<std::string, Account>& accounts,
                                        const std::map<Association, double>& usage) {
    std::vector<Sibling> siblings;
    for (const auto& [name, account] : accounts) {
        if (name == root) {
            std::ranges::copy(users_of(name, account, usage), std::back_inserter(siblings));
            continue;
        }
        Sibling sibling{true, name, static_cast<double>(account.own.shares), 0, 0};
        for (const Sibling& user : users_of(name, account, usage)) {
            sibling.usage += user.usage;
        }
        siblings.push_back(sibling);
    }
    sort_by_level(siblings);
    std::vector<Rank> ranks;
    for (std::size_t i = 0; i < siblings.size();) {
        Rank users;
        std::vector<std::string> same;
        const double level = siblings[i].level;
        for (; i < siblings.size() && siblings[i].level == level; ++i) {
            if (siblings[i].is_account) {
                same.push_back(siblings[i].name);
            } else {
                users.emplace_back(root, siblings[i].name);
            }
        }
        if (!users.empty()) {
            ranks.push_back(users);
        }
        rank_accounts(same, accounts, usage, ranks);
    }
    std::size_t count = 0;
    for (const Rank& rank : ranks) {
        count += rank.size();
    }
    std::map<Association, double> factors;
    std::size_t left = count;
    for (const Rank& rank : ranks) {
        for (const Association& user : rank) {
            factors[user] = static_cast<double>(left) / static_cast<double>(count);
        }
        left -= rank.size();
    }
    return factors;
}

}  // namespace berth::core::slurm
