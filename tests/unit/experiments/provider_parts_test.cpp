#include "experiments/program/config/cluster/provider_fields.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/program/support/documents.hpp"
#include "fuzz/mutation.hpp"
#include "support/dice.hpp"
#include "support/folder.hpp"

using namespace berth;
using experiments::ProviderList;
using experiments::ProvidersToAsk;

namespace {

void show_set(std::ostream& out, const core::NameTable& names, const auto& members) {
    for (const auto member : members) {
        out << names.name(member) << " ";
    }
    out << ";";
}

/// All that a forest holds, as text.
std::string shown(const core::ProviderForest& forest) {
    std::ostringstream out;
    for (std::uint32_t i = 0; i < forest.classes().size(); ++i) {
        out << forest.classes().name(i) << " ";
    }
    for (std::uint32_t i = 0; i < forest.traits().size(); ++i) {
        out << forest.traits().name(i) << " ";
    }
    for (core::ProviderIndex p = 0; p < forest.provider_count(); ++p) {
        out << "\n"
            << forest.uuid(p) << " " << forest.name(p) << " " << forest.tree(p) << " "
            << forest.parent(p).value_or(p) << " " << forest.rank(p) << ": ";
        for (const core::InventoryRow& row : forest.inventories(p)) {
            out << forest.classes().name(row.resource_class) << " " << row.capacity << " "
                << row.used << " " << row.min_unit << " " << row.max_unit << " " << row.step_size
                << ";";
        }
        show_set(out, forest.traits(), forest.trait_sets().members(forest.trait_set(p)));
        show_set(
            out, forest.aggregates(), forest.aggregate_sets().members(forest.aggregate_set(p)));
    }
    return out.str();
}

/// The forest, the names that a query may use, and the warnings.
std::string shown(const ProvidersToAsk& read, const core::Diagnostics& diagnostics) {
    std::ostringstream out;
    out << shown(read.forest) << "\n";
    for (const core::ResourceProvider& provider : read.names.providers) {
        out << provider.name << " " << provider.uuid << "\n";
    }
    for (const auto& [name, uuid] : read.names.aggregates) {
        out << name << " " << uuid << "\n";
    }
    for (const std::string& warning : diagnostics.warnings()) {
        out << warning << "\n";
    }
    return out.str();
}

std::optional<std::string> in_parts(const std::filesystem::path& file) {
    core::Diagnostics diagnostics;
    const auto read = experiments::read_providers_in_parts(file, true, diagnostics);
    return read ? std::optional(shown(*read, diagnostics)) : std::nullopt;
}

/// The same from the readers of whole documents; nothing where they find anything wrong.
std::optional<std::string> whole(const std::filesystem::path& file) {
    core::Diagnostics diagnostics;
    try {
        const auto documents = experiments::parse_documents(experiments::read_source(file));
        ProviderList list = experiments::read_providers(documents, diagnostics);
        if (diagnostics.failed() || documents.empty()) {
            return std::nullopt;
        }
        core::ProviderForest forest = experiments::provider_forest(list);
        return shown({std::move(forest), std::move(list)}, diagnostics);
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

const std::vector<std::string> texts{
    R"({"kind": "Providers", "providers": [
{"name": "h", "uuid": "00000000-0000-0000-0000-000000000001", "inventories": {"VCPU": 8, "DISK_GB":
{"total": 9, "reserved": 1, "allocation_ratio": 1.5}}, "traits": ["HW_NUMA_ROOT", "UNHEARD_OF"]},
{"name": "c", "uuid": "00000000-0000-0000-0000-000000000003",
"parent_uuid": "00000000-0000-0000-0000-000000000001", "usages": {"VCPU": 3}, "inventories":
{"VCPU": {"total": 4}, "NEW_CLASS": 2}, "aggregates":
["rack", "aaaaaaaa-0000-0000-0000-000000000001"]}],
"extra_traits": ["CUSTOM_X"], "extra_rcs": ["CUSTOM_Y"]})",
    R"([{"uuid": "00000000-0000-0000-0000-000000000002", "inventories": {"VCPU": 1}},
{"uuid": "00000000-0000-0000-0000-000000000001",
"parent_uuid": "00000000-0000-0000-0000-000000000002"}])",
    R"({"providers": [{"name": "a", "inventories": {"VCPU": 1}}, {"name": "c", "parent": "b"},
{"name": "b", "parent": "a"}, {"name": "d", "parent": "c", "traits": ["CUSTOM_Q"]},
{"uuid": "00000000-0000-0000-0000-000000000002"},
{"name": "e", "parent": "00000000-0000-0000-0000-000000000002"}], "queries": ["x"]})",
    R"({"providers": [{"name": "a"}, {"name": "b", "parent": "a"}, {"name": "a", "uuid":
"00000000-0000-0000-0000-000000000002"}]})",
    R"({"providers": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]})",
    R"({"providers": []})",
};

}  // namespace

TEST_CASE("provider parts: what is read one by one is the same forest",
          "[experiments][candidates]") {
    const tests::TestFolder folder;
    int read = 0;
    for (const std::string& text : texts) {
        CAPTURE(text);
        folder.write("p.json", text);
        const auto expected = whole(folder.path() / "p.json");
        const auto found = in_parts(folder.path() / "p.json");
        CHECK(found == expected);
        read += found ? 1 : 0;
    }
    CHECK(read == 4);  // the others have faults
}

TEST_CASE("provider parts: changed files are the same forest, or have to be read whole",
          "[experiments][candidates]") {
    const tests::TestFolder folder;
    int read = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(2000); ++seed) {
        tests::Dice dice(seed);
        std::string text = texts[seed % texts.size()];
        for (std::int64_t change = dice.roll(1, 3); change > 0; --change) {
            tests::mutate(text, dice);
        }
        CAPTURE(seed, text);
        folder.write("p.json", text);
        if (const auto found = in_parts(folder.path() / "p.json")) {
            REQUIRE(found == whole(folder.path() / "p.json"));
            ++read;
        }
    }
    CHECK(read > 50);
}
