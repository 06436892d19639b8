#pragma once

#include "core/elastic_quota/quota_trees.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// The trees that a request of kind `runtime` or `admission` describes, with its `total`,
/// `requests` and `used`.
class QuotaRequestTrees {
public:
    /// Errors: RequestError.
    explicit QuotaRequestTrees(const Json& request);

    core::QuotaTrees& trees() { return trees_; }
    [[nodiscard]] const core::ResourceSchema& schema() const { return schema_; }

    /// An object from resource to whole number; null is an empty one.
    [[nodiscard]] core::ResourceList list(const Json& amounts, std::string_view where) const;
    [[nodiscard]] core::QuotaSpec spec(const Json& quota) const;
    /// Gives a quota another spec. Errors: RequestError for one that has no place in its tree.
    void update(const core::QuotaSpec& quota);
    /// The quota that must exist.
    [[nodiscard]] core::QuotaId find(const std::string& name) const;
    /// An object with what `amount` gives: nothing is left out.
    template <class Amount>
    [[nodiscard]] Json object(Amount amount) const {
        Json out = Json::object();
        for (std::size_t r = 0; r < schema_.size(); ++r) {
            if (const std::optional<core::Amount> value = amount(r)) {
                out[schema_.name(r)] = *value;
            }
        }
        return out;
    }

private:
    void check_parent(const core::QuotaSpec& quota) const;
    [[nodiscard]] static core::ResourceSchema schema_of(const Json& request);

    core::ResourceSchema schema_;
    bool several_trees_;
    core::QuotaTrees trees_;
};

}  // namespace berth::experiments
