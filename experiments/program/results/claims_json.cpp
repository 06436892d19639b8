#include "experiments/program/results/claims_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace berth::report {
namespace {

Is<"Record<string, number>"> counts_json(const ClaimFigure::Counts& counts) {
    auto out = nlohmann::ordered_json::object();
    for (const auto& [name, count] : counts) {
        out[name] = count;
    }
    return of_type<"Record<string, number>">(std::move(out));
}

/// Members by node, or numbers of nodes by the number of members on them.
Is<"ClaimFigure"> figure_json(const ClaimFigure& figure) {
    return object<"ClaimFigure">(field<"level">(figure.level),
                                 field<"by">(figure.by_node ? "node" : "members"),
                                 field<"published">(counts_json(figure.published)),
                                 field<"measured">(counts_json(figure.measured)));
}

}  // namespace

std::vector<Is<"Claim">> claims_json(const std::vector<ClaimResult>& claims) {
    return list_of(claims, [](const ClaimResult& claim) {
        auto out = object<"Claim">(field<"text">(claim.text),
                                   field<"expected">(claim.expected),
                                   field<"measured">(claim.measured),
                                   field<"holds">(claim.holds));
        if (!claim.source.empty()) {
            add_to_some<"Claim">(out, field<"source">(claim.source));
        }
        if (claim.figure) {
            add_to_some<"Claim">(out, field<"figure">(figure_json(*claim.figure)));
        }
        if (claim.is_expectation) {
            add_to_some<"Claim">(out, field<"expectation">(true));
        }
        return out;
    });
}

}  // namespace berth::report
