#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "tests/schedulers/toy/decide/tickets.hpp"
#include "tests/schedulers/toy/run/toy_settings.hpp"

namespace berth::sim {
namespace {

class ToyAdmission final : public Admission {
public:
    ToyAdmission(const ToySettings& settings, Actions& actions, PlaceQueue& places)
        : tickets_(settings.tickets), actions_(actions), places_(places) {}

    void waits(JobId id) override { tickets_.ask(id.index); }
    [[nodiscard]] bool lets_in(JobId id) override { return tickets_.holds(id.index); }
    void ended(JobId id) override {
        if (const auto next = tickets_.give_back(id.index)) {
            places_.let_in({*next});
        }
    }
    [[nodiscard]] KeptOut kept_out(JobId id) override {
        const std::size_t before = tickets_.before(id.index).size();
        return {fmt::format("no ticket is free, and {} wait before it.", before), "a ticket", 0};
    }
    [[nodiscard]] std::shared_ptr<Inquiry> inquire(JobId id) override {
        auto inquiry = std::make_shared<ToyInquiry>();
        std::ranges::transform(
            tickets_.before(id.index),
            std::back_inserter(inquiry->before),
            [&](std::uint32_t other) { return actions_.job({other}).job().name; });
        return inquiry;
    }

private:
    core::toy::Tickets tickets_;
    Actions& actions_;
    PlaceQueue& places_;
};

}  // namespace

std::unique_ptr<Admission> ToySettings::make_admission(const Window& /*window*/,
                                                       RecordSink& /*sink*/,
                                                       Actions& actions,
                                                       PlaceQueue& places) const {
    return std::make_unique<ToyAdmission>(*this, actions, places);
}

}  // namespace berth::sim
