#pragma once

#include <string>
#include <string_view>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// The quota trees that a request of kind `runtime` or `admission` describes, with its `total`,
/// `requests` and `used`.
class QuotaRequestTrees {
public:
    /// Errors: RequestError.
    explicit QuotaRequestTrees(const RequestValue& request);

    core::QuotaTrees& trees() { return trees_; }
    [[nodiscard]] const core::ResourceSchema& schema() const { return schema_; }

    /// Reads an object from resource to whole number; null counts as empty.
    [[nodiscard]] core::ResourceList list(const RequestValue& amounts,
                                          std::string_view where) const;
    [[nodiscard]] core::QuotaSpec spec(const RequestValue& quota) const;
    /// Gives a quota another spec. Errors: RequestError for a spec that does not fit into its tree.
    void update(const core::QuotaSpec& quota);
    /// The quota with this name, which must exist.
    [[nodiscard]] core::QuotaId find(const std::string& name) const;
    /// An object with the values that `amount` returns; resources for which it returns nothing are
    /// left out.
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
    [[nodiscard]] static core::ResourceSchema schema_of(const RequestValue& request);

    core::ResourceSchema schema_;
    bool several_trees_;
    core::QuotaTrees trees_;
};

/// The entries of the list under a key. Errors: RequestError if there is no such list.
[[nodiscard]] RequestValue::Entries<RequestValue> need_list(const RequestValue& object,
                                                            const char* key,
                                                            std::string_view where);

/// Answers one request about elastic quotas: a JSON object on one line, as `berth quota --jsonl`
/// reads it.
///
/// Shape:   docs/reference/quota.md; by `kind`: runtime, redistribute, admission, validation.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_quota_request(std::string_view request);

/// Answers kind `admission`: pods come, ask for admission, go, are revoked and preempted, one
/// operation after another.
/// Errors: RequestError.
[[nodiscard]] Json answer_quota_admission(const RequestValue& request);

/// Answers kind `validation`: quotas and pods are created, changed and deleted. The rules for
/// objects allow or refuse each operation.
/// Errors: std::runtime_error with one line.
[[nodiscard]] Json answer_quota_validation(const RequestValue& request);

}  // namespace berth::experiments
