// The equations of experiments/program/report/quota_lending.hpp, with numbers that a person can
// follow:
//
//   lendable(i) = max(0, min(i) - max(used(i), request(i)))
//   borrowed(j) = max(0, used(j) - min(j))
//   unreserved  = max(0, total - sum of min)
//   lent(i, j)  = lendable(i) * borrowed(j) / max(S, B),   S = unreserved + sum of lendable
//   taken(j)    = borrowed(j) * max(0, B - S) / B,         B = sum of borrowed

#include "experiments/program/report/quota_lending.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

using namespace berth::report;

namespace {

/// A step from a time on, with these amounts and without a max.
QuotaStep step(double time_s, double min, double runtime, double request, double used) {
    return {time_s, min, QuotaStep::not_stated, runtime, request, used};
}

Quota quota(std::string name, std::uint32_t parent, std::vector<QuotaStep> steps) {
    return {std::move(name), {{0, parent}}, {std::move(steps)}};
}

/// Two quotas below the root for an hour: a lends its whole min of 10, and b has a min of 20 and
/// uses 36.
Quotas two_quotas() {
    Quotas quotas;
    quotas.resources = {"cpu"};
    quotas.quotas = {quota(std::string(root_quota_name), no_quota, {step(0, NAN, 34, 36, 36)}),
                     quota("a", 0, {step(0, 10, 0, 0, 0)}),
                     quota("b", 0, {step(0, 20, 34, 36, 36)})};
    quotas.last_s = 3600;
    quotas.samples = 2;
    return quotas;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, double> by_pair(const std::vector<Loan>& loans) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
    for (const Loan& loan : loans) {
        sums[{loan.lender, loan.borrower}] += loan.resource_hours;
    }
    return sums;
}

}  // namespace

TEST_CASE("lending: who can give, who takes", "[report][quota]") {
    struct Row {
        const char* what;
        SiblingUse use;
        double lendable;
        double borrowed;
    };
    const Row row = GENERATE(Row{"idle: all of its min", {10, 0, 0}, 10, 0},
                             Row{"uses a part and asks no more", {10, 4, 4}, 6, 0},
                             Row{"pods wait: what they ask for it keeps", {10, 8, 4}, 2, 0},
                             Row{"asks for its min: lends nothing", {10, 10, 4}, 0, 0},
                             Row{"exactly its min", {10, 10, 10}, 0, 0},
                             Row{"more than its min", {10, 30, 25}, 0, 15},
                             Row{"without a min all is borrowed", {0, 3, 3}, 0, 3});
    CAPTURE(row.what);
    const LendingShares shares = share_lending(std::vector{row.use}, 100);
    CHECK(shares.lendable[0] == row.lendable);
    CHECK(shares.borrowed[0] == row.borrowed);
    CHECK(shares.unreserved == 100 - row.use.min);
}

TEST_CASE("lending: sources give in proportion to what they have", "[report][quota]") {
    // a has 30 to lend and b 10, and 20 are unreserved; c borrows 9 and d 6: S = 60, B = 15.
    const std::vector<SiblingUse> siblings{{30, 0, 0}, {10, 0, 0}, {20, 29, 29}, {20, 26, 26}};
    const LendingShares shares = share_lending(siblings, 100);
    CHECK(shares.unreserved == 20);
    CHECK(shares.taken == 0);
    CHECK(shares.lent(0, 2) == Approx(30.0 * 9 / 60));
    CHECK(shares.lent(1, 2) == Approx(10.0 * 9 / 60));
    CHECK(shares.unreserved * shares.borrowed[2] * shares.per_source == Approx(20.0 * 9 / 60));
    CHECK(shares.lent(0, 3) == Approx(30.0 * 6 / 60));
    CHECK(shares.lent(2, 3) == 0);
}

TEST_CASE("lending: what nobody has to give is taken", "[report][quota]") {
    // a asks for all of its 10 and has 4; b still holds 6 more than its min: S = 0, B = 6.
    const LendingShares shares =
        share_lending(std::vector<SiblingUse>{{10, 10, 4}, {10, 20, 16}}, 20);
    CHECK(shares.taken == 1);
    // With 2 unreserved, a third of the 6 has a source.
    const LendingShares some =
        share_lending(std::vector<SiblingUse>{{10, 10, 4}, {10, 20, 16}}, 22);
    CHECK(some.taken == Approx(4.0 / 6));
    CHECK(some.unreserved * some.borrowed[1] * some.per_source == Approx(2));
}

TEST_CASE("lending: without a total, lendable amounts go first", "[report][quota]") {
    const LendingShares shares =
        share_lending(std::vector<SiblingUse>{{10, 0, 0}, {10, 30, 26}}, NAN);
    CHECK(shares.unreserved == 6);
    CHECK(shares.lent(0, 1) == Approx(10));
    CHECK(shares.taken == 0);
}

TEST_CASE("lending: each borrowed unit has one source, no source gives too much",
          "[report][quota][random]") {
    std::mt19937_64 bits(3);
    for (int round = 0; round < 500; ++round) {
        std::vector<SiblingUse> siblings(1 + bits() % 6);
        for (SiblingUse& one : siblings) {
            one = {double(bits() % 20), double(bits() % 40), 0};
            one.used = std::min(one.request, double(bits() % 40));
        }
        const LendingShares shares = share_lending(siblings, double(bits() % 80));
        for (std::size_t j = 0; j < siblings.size(); ++j) {
            double sum =
                shares.borrowed[j] * (shares.taken + shares.unreserved * shares.per_source);
            double given = 0;
            for (std::size_t i = 0; i < siblings.size(); ++i) {
                sum += shares.lent(i, j);
                given += shares.lent(j, i);
            }
            REQUIRE(sum == Approx(shares.borrowed[j]).margin(1e-9));
            REQUIRE(given <= shares.lendable[j] + 1e-9);
            REQUIRE(shares.lent(j, j) == 0);
        }
    }
}

TEST_CASE("lending: an hour is an hour", "[report][quota]") {
    // b borrows 16; a lends 10, 34 - 30 = 4 are unreserved, 2 are taken.
    const std::vector<Loans> all = integrate_lending(two_quotas(), std::vector<double>{NAN});
    REQUIRE(all.size() == 1);
    CHECK(all[0].parent == 0);
    auto sums = by_pair(all[0].loans);
    CHECK(sums[{1, 2}] == Approx(10));
    CHECK(sums[{unreserved_source, 2}] == Approx(4));
    CHECK(sums[{taken_source, 2}] == Approx(2));
    CHECK(all[0].loans[0].lender == 1);  // the largest comes first
}

TEST_CASE("lending: time weighs, and a quota that is gone or elsewhere takes no part",
          "[report][quota]") {
    Quotas quotas = two_quotas();
    quotas.quotas[0].steps[0][0].runtime = QuotaStep::not_stated;
    quotas.quotas[1].steps[0].push_back({900});  // gone after a quarter of the hour
    CHECK(by_pair(integrate_lending(quotas, std::vector{30.0})[0].loans)[{1, 2}] == Approx(2.5));

    quotas = two_quotas();
    quotas.quotas.push_back(quota("c", 0, {step(0, 0, 0, 0, 0)}));
    quotas.quotas[1].parents.push_back({1800, 3});  // moved below c after half the hour
    CHECK(by_pair(integrate_lending(quotas, std::vector<double>{NAN})[0].loans)[{1, 2}] ==
          Approx(5));
}

TEST_CASE("lending: beyond the largest, lenders and borrowers are joined", "[report][quota]") {
    Quotas quotas;
    quotas.resources = {"cpu"};
    quotas.quotas = {quota(std::string(root_quota_name), no_quota, {})};
    for (int i = 1; i <= 6; ++i) {
        quotas.quotas.push_back(quota("l" + std::to_string(i), 0, {step(0, i, 0, 0, 0)}));
    }
    for (int i = 1; i <= 3; ++i) {
        quotas.quotas.push_back(quota("b" + std::to_string(i), 0, {step(0, 0, 0, 7, 7)}));
    }
    quotas.last_s = 3600;
    const std::vector<Loan> loans = integrate_lending(quotas, std::vector{21.0}, 2)[0].loans;
    double sum = 0;
    std::size_t others = 0;
    for (const Loan& loan : loans) {
        sum += loan.resource_hours;
        others += loan.lender == other_quotas ? 1 : 0;
        CHECK((loan.lender == 6 || loan.lender == 5 || loan.lender == other_quotas));
    }
    CHECK(sum == Approx(21));  // all of 1 + ... + 6, and all of 3 * 7
    CHECK(others == 3);
}
