#pragma once

#include <map>
#include <string>
#include <utility>

#include "schedulers/slurm/decide/objects.hpp"

namespace berth::core::slurm {

/// An account and one of its users.
using Association = std::pair<std::string, std::string>;

/// The fair-share factor of each association, above 0 and at most 1.
///
/// `usage`: CPU seconds, decayed; those that are absent have none.
/// Cost:    O(associations x log(associations)), times the accounts.
/// Source:  Slurm, "Fair Tree Fairshare Algorithm"; accounts below the root only.
[[nodiscard]] std::map<Association, double> fair_tree(
    const std::map<std::string, Account>& accounts, const std::map<Association, double>& usage);

}  // namespace berth::core::slurm
