#include "core/allocation_candidates/candidate_explanation.hpp"

#include "core/allocation_candidates/candidate_causes.hpp"
#include "core/allocation_candidates/candidate_conditions.hpp"

namespace berth::core {

CandidateExplanation explain_candidates(const ProviderForest& forest, const CandidateQuery& query) {
    CandidateExplanation explanation;
    explanation.trees = forest.tree_count();
    CandidateQuery reduced;
    std::vector<TreeIndex> left = anchors_of(forest, reduced);
    for (const CandidateCondition& condition : conditions_of(query)) {
        ExplainedCondition& entry = explanation.conditions.emplace_back();
        entry.text = text_of(query, condition);
        std::vector<TreeIndex> alone;
        if (const auto only = query_alone(query, condition)) {
            alone = anchors_of(forest, *only);
            entry.trees_alone = alone.size();
        }
        if (explanation.culprit) {
            continue;
        }
        const CandidateQuery before = reduced;
        add_condition(query, condition, reduced);
        const std::vector<TreeIndex> now = anchors_of(forest, reduced);
        entry.trees_left = now.size();
        if (now.empty()) {
            explanation.culprit = explanation.conditions.size() - 1;
            explanation.causes =
                causes_of({forest, query, condition, before, reduced, left, alone});
        }
        left = now;
    }
    return explanation;
}

}  // namespace berth::core
