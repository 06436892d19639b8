#include "experiments/program/results/claim.hpp"

#include <nlohmann/json.hpp>

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const ClaimFigure::Counts& counts) {
    Json out = Json::object();
    for (const auto& [name, count] : counts) {
        out[name] = count;
    }
    return out;
}

}  // namespace

Json claims_json(const std::vector<ClaimResult>& claims) {
    Json list = Json::array();
    for (const ClaimResult& claim : claims) {
        Json& out = list.emplace_back(Json{{"text", claim.text},
                                           {"expected", claim.expected},
                                           {"measured", claim.measured},
                                           {"holds", claim.holds}});
        if (!claim.source.empty()) {
            out["source"] = claim.source;
        }
        if (claim.figure) {
            out["figure"] = {{"level", claim.figure->level},
                             {"by", claim.figure->by_node ? "node" : "members"},
                             {"published", counts_json(claim.figure->published)},
                             {"measured", counts_json(claim.figure->measured)}};
        }
        if (claim.is_expectation) {
            out["expectation"] = true;
        }
    }
    return list;
}

}  // namespace berth::report
