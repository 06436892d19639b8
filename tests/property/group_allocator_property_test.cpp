// Compares the search with one that copies maps and tries every location, the exact solver with all
// choices, and states with their own history of use and restoration.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "core/group_allocator/group_exact.hpp"
#include "tests/support/plain_group_choices.hpp"
#include "tests/support/plain_group_search.hpp"

using namespace berth;
using tests::Dice;
using tests::GroupAsks;
using tests::GroupMachine;
using tests::GroupMapping;
using tests::PlainGroupMachine;
using tests::RandomGroups;

namespace {

/// Sorted reasons. By the document each reason occurs once, since equal locations have the same
/// reasons.
std::vector<core::GroupReason> comparable(std::vector<core::GroupReason> reasons, bool published) {
    std::ranges::sort(reasons);
    if (!published) {
        const auto twice = std::ranges::unique(reasons);
        reasons.erase(twice.begin(), twice.end());
    }
    return reasons;
}

std::string text(const std::vector<core::GroupReason>& reasons) {
    std::string out;
    for (const core::GroupReason& reason : reasons) {
        out += reason.resource + " " + std::to_string(reason.requested) + " " +
               std::to_string(reason.used) + " " + std::to_string(reason.capacity) + "\n";
    }
    return out;
}

std::string text(const PlainGroupMachine& machine, const GroupAsks& asks) {
    std::string out;
    for (const auto& [name, amount] : machine.allocatable) {
        out += name + " " + std::to_string(amount) + " used " +
               std::to_string(machine.used_of(name)) +
               (machine.scorers.contains(name) ? " odd scorer\n" : "\n");
    }
    for (const tests::GroupAsk& ask : asks) {
        for (const auto& [name, amount] : ask.requests) {
            out += ask.name + ": " + name + " " + std::to_string(amount);
            out += ask.scorers.contains(name) ? " own scorer" : "";
            out += ask.from && ask.from->contains(name) ? " from " + ask.from->at(name) : "";
            out += "\n";
        }
    }
    return out;
}

bool has_bits(const PlainGroupMachine& machine) {
    return std::ranges::any_of(machine.allocatable, [&](const auto& resource) {
        return &machine.scorer(resource.first) == core::find_group_scorer("enumeration");
    });
}

core::GroupRules rules_of(bool published) {
    return published ? core::published_group_rules : core::paper_group_rules;
}

}  // namespace

TEST_CASE("groups: the fast search answers as the plain one", "[property][group_allocator]") {
    const bool published = GENERATE(false, true);
    Dice dice(published ? 21 : 20);
    std::uint64_t found = 0;
    const std::uint64_t count = tests::cases(400);
    for (std::uint64_t i = 0; i < count; ++i) {
        RandomGroups random(dice, {});
        const PlainGroupMachine plain = random.machine();
        GroupAsks asks = random.asks(plain);
        if (published && has_bits(plain)) {
            // A scorer that accepts bits which a resource lacks: the program checks each request's
            // bits separately, the fast search those of a container together.
            for (tests::GroupAsk& ask : asks) {
                ask.scorers.clear();
            }
        }
        INFO("case " << i << "\n" << text(plain, asks));
        const tests::PlainFit expected = tests::PlainGroupSearch(plain, published).fit(asks);

        GroupMachine machine(plain.allocatable, plain.used, rules_of(published), plain.scorers);
        const core::GroupFit fit = machine.fit(asks);
        REQUIRE(fit.found == expected.found);
        REQUIRE(fit.score == Approx(expected.score).margin(1e-9));
        REQUIRE(text(comparable(fit.reasons, published)) ==
                text(comparable(expected.reasons, published)));
        const std::vector<GroupMapping> mapping = machine.mapping(asks, fit);
        for (std::size_t c = 0; c < asks.size(); ++c) {
            INFO(asks[c].name);
            REQUIRE((asks[c].from ? expected.mapping[c] : mapping[c]) == expected.mapping[c]);
        }
        if (!fit.found) {
            continue;
        }
        ++found;
        core::GroupAmounts pod;
        for (const core::GroupCharge& charge : machine.take(asks, fit)) {
            pod[machine.tree.resource_name(charge.resource)] = charge.pod;
        }
        REQUIRE(pod == expected.pod);
        for (const auto& [name, amount] : expected.used) {
            INFO(name);
            REQUIRE(machine.used(name) == amount);
        }
    }
    CHECK(found > count / 5);
    CHECK(found < count * 4 / 5);
}

TEST_CASE("groups: the exact solver finds what there is, and the best of it",
          "[property][group_allocator]") {
    const bool published = GENERATE(false, true);
    Dice dice(published ? 31 : 30);
    std::uint64_t found = 0;
    std::uint64_t missed = 0;
    const std::uint64_t count = tests::cases(1) == 1 ? 1'500 : published ? 10'000 : 100'000;
    for (std::uint64_t i = 0; i < count; ++i) {
        RandomGroups random(dice,
                            {.gpus = 6,
                             .running = 2,
                             .init = dice.chance(30) ? 1 : 0,
                             .requests = 3,
                             .oddities = dice.chance(20)});
        const PlainGroupMachine plain = random.machine();
        const GroupAsks asks = random.asks(plain);
        tests::PlainGroupChoices choices(plain, published);
        const std::optional<double> best = choices.best(asks);

        const GroupMachine machine(
            plain.allocatable, plain.used, rules_of(published), plain.scorers);
        const core::ExactGroupFit exact = machine.fit_exact(asks);
        if (exact.fit.found == best.has_value() && exact.proven &&
            std::abs(exact.fit.score - best.value_or(exact.fit.score)) <= 1e-9) {
            found += best ? 1 : 0;
            missed += best && !machine.fit(asks).found ? 1 : 0;
            continue;
        }
        INFO("case " << i << "\n" << text(plain, asks));
        REQUIRE(exact.proven);
        REQUIRE(exact.fit.found == best.has_value());
        REQUIRE(exact.fit.score == Approx(*best).margin(1e-9));
    }
    CHECK(found > count / 5);
    CHECK(missed > 0);
}

TEST_CASE("groups: requests of unlike GPUs are assigned as well as any choice does",
          "[property][group_allocator]") {
    Dice dice(40);
    std::uint64_t found = 0;
    const std::uint64_t count = tests::cases(1'500);
    for (std::uint64_t i = 0; i < count; ++i) {
        PlainGroupMachine plain;
        const std::string above = dice.chance(50) ? "gpugrp0/" : "";
        const auto add = [](core::GroupAmounts& to, std::string name, core::Amount amount) {
            to.emplace("resource/group/" + std::move(name), amount);
        };
        for (std::int64_t gpu = dice.roll(1, 5); gpu-- > 0;) {
            const std::string group = above.empty() ? "" : above + std::to_string(gpu / 2) + "/";
            const std::string at = group + "gpu/" + std::to_string(gpu) + "/";
            add(plain.allocatable, at + "cards", 1);
            add(plain.allocatable, at + "memory", dice.roll(1, 8));
            if (dice.chance(20)) {
                add(plain.used, at + (dice.chance(50) ? "cards" : "memory"), 1);
            }
        }
        GroupAsks asks{{"c", dice.chance(30), {}}};
        for (std::int64_t gpu = dice.roll(1, 4); gpu-- > 0;) {
            const std::string group = above.empty() ? "" : above + std::to_string(gpu) + "/";
            const std::string at = group + "gpu/0" + std::to_string(gpu) + "/";
            add(asks[0].requests, at + "cards", 1);
            add(asks[0].requests, at + "memory", dice.roll(0, 6));
        }
        INFO("case " << i << "\n" << text(plain, asks));
        const std::optional<double> best = tests::PlainGroupChoices(plain, false).best(asks);

        GroupMachine machine(plain.allocatable, plain.used);
        const core::GroupPod pod = machine.pod(asks);
        core::GroupedRequest request;
        request.partition(pod[0].demands, pod[0].scorers, machine.rules.order);
        const auto assigned =
            core::assign_groups(machine.tree, *machine.state, request, asks[0].init);
        REQUIRE(assigned);
        REQUIRE(assigned->empty() == !best.has_value());
        if (best) {
            ++found;
            core::GroupFit fit;
            fit.allocate_from.push_back(*assigned);
            asks[0].from = machine.mapping(asks, fit).front();
            REQUIRE(machine.fit(asks).score == Approx(*best).margin(1e-9));
        }
    }
    CHECK(found > count / 4);
    CHECK(found < count * 9 / 10);
}

TEST_CASE("groups: what is refused changes nothing, what is given back leaves no trace",
          "[property][group_allocator]") {
    const bool published = GENERATE(false, true);
    Dice dice(published ? 51 : 50);
    std::uint64_t refused = 0;
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < tests::cases(60); ++i) {
        RandomGroups random(dice, {.gpus = 6});
        PlainGroupMachine plain = random.machine();
        // A node's own bits are forgotten with the first pod, since they are not usage.
        std::erase_if(plain.used, [&](const auto& used) {
            return &plain.scorer(used.first) == core::find_group_scorer("enumeration");
        });
        GroupMachine machine(plain.allocatable, plain.used, rules_of(published), plain.scorers);
        const core::GroupState* const before = machine.state;
        std::vector<std::vector<core::GroupCharge>> held;
        for (int step = 0; step < 12; ++step) {
            const GroupAsks asks = random.asks(plain);
            const core::GroupState* const state = machine.state;
            const std::size_t states = machine.states.size();
            const core::GroupFit fit = machine.fit(asks);
            const bool found = dice.chance(50) ? fit.found : machine.fit_exact(asks).fit.found;
            REQUIRE(machine.state == state);
            REQUIRE(machine.states.size() == states);
            refused += found ? 0 : 1;
            if (fit.found) {
                ++taken;
                held.push_back(machine.take(asks, fit));
            }
            if (!held.empty() && dice.chance(20)) {
                std::swap(held.back(),
                          held[static_cast<std::size_t>(dice.roll(0, std::ssize(held) - 1))]);
                machine.give_back(held.back());
                held.pop_back();
            }
        }
        while (!held.empty()) {
            std::swap(held.back(),
                      held[static_cast<std::size_t>(dice.roll(0, std::ssize(held) - 1))]);
            machine.give_back(held.back());
            held.pop_back();
        }
        INFO("case " << i);
        REQUIRE(machine.state == before);  // identical, since each distinct state is kept only once
    }
    CHECK(refused > 100);
    CHECK(taken > 100);
}
