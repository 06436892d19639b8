#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/profile/admission.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {

/// A job looks for places while it holds one of these tickets.
struct ToySettings final : AdmissionSettings {
    /// Those of a run with tickets; nullptr for any other run.
    [[nodiscard]] static const ToySettings* of(const Settings& settings) {
        return dynamic_cast<const ToySettings*>(settings.admission.get());
    }

    [[nodiscard]] std::unique_ptr<Admission> make_admission(const Window& window,
                                                            RecordSink& sink,
                                                            Actions& actions,
                                                            PlaceQueue& places) const override;
    [[nodiscard]] std::string_view name() const override { return "the toy"; }
    [[nodiscard]] std::string_view remedy_of(std::string_view /*reason*/) const override {
        return "";
    }
    [[nodiscard]] std::vector<SimTime> change_times() const override { return {}; }
    [[nodiscard]] std::shared_ptr<const AdmissionSettings> begun_at(
        SimTime /*now*/) const override {
        return std::make_shared<ToySettings>(*this);
    }
    [[nodiscard]] bool may_preempt() const override { return false; }
    [[nodiscard]] bool has_queue(const std::string& /*name_space*/,
                                 const std::string& /*name*/) const override {
        return false;
    }
    [[nodiscard]] const std::map<std::string, std::string>& levels_by_label() const override {
        return no_labels;
    }

    std::uint32_t tickets = 1;
    std::map<std::string, std::string> no_labels;
};

/// The jobs that wait for a ticket before the one that is asked about.
struct ToyInquiry final : Inquiry {
    std::vector<std::string> before;
};

}  // namespace berth::sim
