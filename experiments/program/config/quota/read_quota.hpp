#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/elastic_quota/elastic_quota.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/quota/quota_annotations.hpp"

namespace berth::experiments {

/// The labels and annotations that say something about quotas begin with this.
inline const std::string quota_domain = "quota.scheduling.koordinator.sh/";

/// A quota of a file, and where its name stands there.
struct ReadQuota {
    core::ElasticQuota quota;
    core::SourceSpan span;
};

/// A pod of a file, and where its name stands there.
struct ReadPod {
    core::LabelledPod pod;
    core::SourceSpan span;
};

/// Reads ElasticQuota objects and the labels of pods, both spellings of them: Koordinator's
/// `parent` and `name`, and `parent-quota-name` and `quota-name` of the published design.
///
/// Errors: recorded at their places. An annotation that cannot be read is an error in the lenient
///         syntax; in the strict one it is a fault of the quota, for the rules. A label or an
///         annotation of Koordinator's domain that nobody knows is a warning, once.
class QuotaReader {
public:
    QuotaReader(AnnotationSyntax syntax, core::Diagnostics& diagnostics)
        : syntax_(syntax), diagnostics_(diagnostics) {}

    /// Nothing if the object has no name.
    [[nodiscard]] std::optional<ReadQuota> read_quota(const core::Value& document);
    [[nodiscard]] ReadPod read_pod(const core::Value& document);

private:
    struct Metadata;
    [[nodiscard]] std::string label(const Metadata& metadata, const std::string& name);
    [[nodiscard]] std::string either_label(const Metadata& metadata,
                                           const std::string& name,
                                           const std::string& other);
    [[nodiscard]] bool flag(const Metadata& metadata, const std::string& name, bool otherwise);
    void read_annotations(const Metadata& metadata, core::ElasticQuota& quota);
    template <class Parsed>
    [[nodiscard]] std::optional<Parsed> annotation(
        const std::variant<Parsed, AnnotationFault>& read,
        const core::Value& value,
        const std::string& name,
        std::string* fault);
    void warn_of_unknown(const core::Value* map,
                         std::string_view what,
                         const std::vector<std::string>& known);
    [[nodiscard]] core::Quantities read_quantities(const core::Value* map);
    void warn_once(const core::SourceSpan& span, const std::string& message);

    AnnotationSyntax syntax_;
    core::Diagnostics& diagnostics_;
    std::set<std::string> warned_;
};

/// Whether a document is an ElasticQuota or a Pod, or a list in which there is one.
[[nodiscard]] bool holds_quotas(const core::Value& document);

/// Every ElasticQuota of some documents, those in an ElasticQuotaList or a List too, in the lenient
/// syntax. Other documents are left alone.
[[nodiscard]] std::vector<ReadQuota> read_quotas(std::span<const core::Value> documents,
                                                 core::Diagnostics& diagnostics);
/// The same for every Pod.
[[nodiscard]] std::vector<ReadPod> read_pods(std::span<const core::Value> documents,
                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments
