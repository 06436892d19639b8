#include "experiments/program/config/cluster/provider_parts.hpp"

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_rules.hpp"
#include "experiments/program/config/cluster/provider_fields.hpp"
#include "experiments/program/support/document_parts.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// Reads a file once. Names of providers lead to parents only if `resolve_names`: most files have
/// uuids, and the names of all providers take as much memory as the rest.
class PartsReader {
public:
    PartsReader(bool keep_names, bool resolve_names, core::Diagnostics diagnostics)
        : keep_names_(keep_names),
          resolve_names_(resolve_names),
          diagnostics_(std::move(diagnostics)) {}

    std::optional<ProvidersToAsk> read(const std::filesystem::path& file) {
        DocumentParts parts(file);
        const auto take = [this](const Value& provider, const Value&) { return add(provider); };
        const LongList whole{{}, {}, take};
        const LongList member{{"providers"}, {}, take};
        const auto document = parts.read({whole, member});
        if (!document || !add_orphans()) {
            return std::nullopt;
        }
        bool is_list = true;
        fields_.read_document(*document, [&](const Value& list) { is_list = list.is_list(); });
        if (!is_list || diagnostics_.failed() || !builder_.is_forest()) {
            return std::nullopt;
        }
        if (fields_.last_line_warned_of() > 0) {
            parts.keep_lines(fields_.last_line_warned_of());
        }
        fields_.warn_of_names();
        for (const std::string& trait : names_.extra_traits) {
            builder_.know_trait(trait);
        }
        for (const std::string& type : names_.extra_classes) {
            builder_.know_resource_class(type);
        }
        return ProvidersToAsk{builder_.build(), std::move(names_)};
    }

    /// A provider names its parent, and names were not kept.
    [[nodiscard]] bool wants_names() const { return wants_names_; }
    [[nodiscard]] const core::Diagnostics& diagnostics() const { return diagnostics_; }

private:
    /// Who has a name.
    struct Named {
        std::string uuid;
        bool alone = true;
        bool is_parent = false;
    };

    bool add(const Value& value) {
        ProviderFields::Read read = fields_.read(value);
        core::ResourceProvider& provider = read.provider;
        // Whether its parent is there shows at the end.
        auto parent_uuid = std::exchange(provider.parent_uuid, std::nullopt);
        if (diagnostics_.failed() || !core::check_providers({&provider, 1}).empty()) {
            return false;
        }
        provider.parent_uuid = std::move(parent_uuid);
        if (keep_names_) {
            core::ResourceProvider& kept = names_.providers.emplace_back();
            kept.name = provider.name;
            kept.uuid = provider.uuid;
        }
        if (resolve_names_ && !note_name(provider)) {
            return false;
        }
        if (read.parent == nullptr) {
            builder_.add(provider);
            return true;
        }
        wants_names_ = !resolve_names_;
        if (wants_names_ || !read.parent->is_scalar()) {
            return false;
        }
        return add_child(std::move(provider), read.parent->text);
    }

    bool note_name(const core::ResourceProvider& provider) {
        const auto [named, fresh] = named_.try_emplace(provider.name, Named{provider.uuid});
        named->second.alone = fresh;
        return fresh || !named->second.is_parent;
    }

    bool add_child(core::ResourceProvider provider, const std::string& parent) {
        const auto named = named_.find(parent);
        if (named == named_.end()) {
            orphans_.emplace_back(std::move(provider), parent);
            return true;
        }
        named->second.is_parent = true;
        provider.parent_uuid = named->second.uuid;
        builder_.add(provider);
        return named->second.alone;
    }

    /// Children may stand before their parents, and a parent's name may be its uuid.
    bool add_orphans() {
        for (auto& [provider, parent] : std::exchange(orphans_, {})) {
            if (named_.contains(parent)) {
                if (!add_child(std::move(provider), parent)) {
                    return false;
                }
                continue;
            }
            if (!core::looks_like_uuid(parent)) {
                return false;
            }
            provider.parent_uuid = parent;
            builder_.add(provider);
        }
        return true;
    }

    bool keep_names_;
    bool resolve_names_;
    bool wants_names_ = false;
    core::Diagnostics diagnostics_;
    ProviderList names_;
    ProviderFields fields_{names_, diagnostics_};
    core::ProviderForestBuilder builder_;
    std::unordered_map<std::string, Named> named_;
    std::vector<std::pair<core::ResourceProvider, std::string>> orphans_;  ///< And their parents.
};

}  // namespace

std::optional<ProvidersToAsk> read_providers_in_parts(const std::filesystem::path& file,
                                                      bool keep_names,
                                                      core::Diagnostics& diagnostics) {
    for (const bool resolve_names : {false, true}) {
        PartsReader reader(keep_names, resolve_names, diagnostics);
        auto read = reader.read(file);
        if (read) {
            diagnostics = reader.diagnostics();
        }
        if (read || !reader.wants_names()) {
            return read;
        }
    }
    return std::nullopt;
}

}  // namespace berth::experiments
