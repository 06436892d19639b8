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

/// The prefix of the labels and annotations about quotas.
inline const std::string quota_domain = "quota.scheduling.koordinator.sh/";

/// A quota of a file, and the place of its name.
struct ReadQuota {
    core::ElasticQuota quota;
    core::SourceSpan span;
};

/// A pod of a file, and the place of its name.
struct ReadPod {
    core::LabelledPod pod;
    core::SourceSpan span;
};

/// Reads ElasticQuota objects and the labels of pods, in both spellings: `parent` and `name` of
/// Koordinator, and `parent-quota-name` and `quota-name` of the published design.
///
/// Errors: recorded at their places. An annotation that cannot be read is an error in the lenient
///         syntax; in the strict syntax it is a fault of the quota, which the rules report. An
///         unknown label or annotation of Koordinator's domain gets a warning, once.
class QuotaReader {
public:
    QuotaReader(AnnotationSyntax syntax, core::Diagnostics& diagnostics)
        : syntax_(syntax), diagnostics_(diagnostics) {}

    /// Returns nothing if the object has no name.
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

/// Whether a document is an ElasticQuota or a Pod, or a list that contains one.
[[nodiscard]] bool holds_quotas(const core::Value& document);

/// Reads every ElasticQuota in the documents, also those in an ElasticQuotaList or a List, in the
/// lenient syntax. Other documents are ignored.
[[nodiscard]] std::vector<ReadQuota> read_quotas(std::span<const core::Value> documents,
                                                 core::Diagnostics& diagnostics);
/// Does the same for every Pod.
[[nodiscard]] std::vector<ReadPod> read_pods(std::span<const core::Value> documents,
                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments
