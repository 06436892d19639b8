#include "core/allocation_candidates/candidate_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "core/allocation_candidates/provider_names.hpp"
#include "core/tree/resource_provider.hpp"

namespace {

using namespace berth;
using Texts = std::vector<std::string>;

const std::string undefined = "placement.undefined_code";
const std::string bad_value = "placement.query.bad_value";

/// In the queries of these tests `{A}` and `{B}` are the uuids of two aggregates; `{A}` is also the
/// uuid of a provider.
std::string spelled_out(std::string text) {
    const std::map<std::string, std::string> uuids{{"{A}", "aaaaaaaa-0000-0000-0000-000000000001"},
                                                   {"{B}", "bbbbbbbb-0000-0000-0000-000000000002"}};
    for (const auto& [name, uuid] : uuids) {
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
            text.replace(at, name.size(), uuid);
        }
    }
    return text;
}

std::string shown(const std::vector<core::AnyOf>& all) {
    Texts out;
    for (const core::AnyOf& one : all) {
        out.push_back(fmt::format("({})", fmt::join(one, "|")));
    }
    return fmt::format("{}", fmt::join(out, " "));
}

/// Everything that a query says, in words; what it does not say is left out.
std::string shown(const core::CandidateQuery& query) {
    Texts out;
    const auto say = [&](const std::string& what, const std::string& value) {
        if (!value.empty()) {
            out.push_back(what + " " + value);
        }
    };
    const auto listed = [](const Texts& names) { return fmt::format("{}", fmt::join(names, ",")); };
    for (const core::CandidateGroup& group : query.groups) {
        Texts resources;
        for (const auto& [name, amount] : group.resources) {
            resources.push_back(fmt::format("{}:{}", name, amount));
        }
        out.push_back(fmt::format("[{}]", group.suffix));
        say("resources", listed(resources));
        say("required", shown(group.required));
        say("forbidden", listed(group.forbidden));
        say("member of", shown(group.member_of));
        say("no member of", listed(group.forbidden_members));
        say("in tree", group.in_tree.value_or(""));
    }
    for (const Texts& list : query.same_subtree) {
        say("same subtree", listed(list));
    }
    say("root required", listed(query.root_required));
    say("root forbidden", listed(query.root_forbidden));
    say("isolate", query.isolate ? "yes" : "");
    say("limit", query.limit ? std::to_string(*query.limit) : "");
    return fmt::format("{}", fmt::join(out, "; "));
}

/// What an accepted query says, or the reason why it is refused.
std::string read(const std::string& query) {
    const auto parsed = core::parse_candidate_query(spelled_out(query));
    if (const auto* fault = std::get_if<core::CandidateQueryFault>(&parsed)) {
        return fault->reason;
    }
    return shown(std::get<core::CandidateQuery>(parsed));
}

/// A query and why the service refuses it.
struct Refusal {
    std::string query;
    std::string reason;
    std::string code = undefined;
};

void check(const std::vector<Refusal>& rows) {
    for (const Refusal& row : rows) {
        CAPTURE(row.query);
        const auto parsed = core::parse_candidate_query(spelled_out(row.query));
        REQUIRE(std::holds_alternative<core::CandidateQueryFault>(parsed));
        const auto& fault = std::get<core::CandidateQueryFault>(parsed);
        CHECK(fault.reason == spelled_out(row.reason));
        CHECK(fault.code == row.code);
    }
}

/// A query and what it says.
struct Reading {
    std::string query;
    std::string says;
};

void check(const std::vector<Reading>& rows) {
    for (const Reading& row : rows) {
        CAPTURE(row.query);
        CHECK(read(row.query) == spelled_out(row.says));
    }
}

const std::string invalid = "Invalid query string parameters: ";
const std::string badly_formed =
    "Badly formed resources parameter. Expected resources query string parameter in form: "
    "?resources=VCPU:2,MEMORY_MB:1024. Got: ";
const std::string empty_trait =
    invalid +
    "Expected 'required' parameter value of the form: HW_CPU_X86_VMX,!CUSTOM_MAGIC. Got an empty "
    "trait in: ";
const std::string empty_any_trait =
    invalid +
    "Expected 'required' parameter value of the form: in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty "
    "trait in: ";
const std::string no_resources = "There must be at least one resources or resources[$S] parameter.";

}  // namespace

TEST_CASE("candidate query: what is no parameter is refused before all else (rule 1)",
          "[core][candidate_query]") {
    const auto strange = [](const std::string& key) {
        return invalid + "Additional properties are not allowed (" + key + " was unexpected)";
    };
    const auto no_limit = [](const std::string& value) {
        return invalid + value + " does not match '^[1-9][0-9]*$'";
    };
    const auto no_policy = [](const std::string& value) {
        return invalid + value + " is not one of ['none', 'isolate']";
    };
    const auto no_utf8 = [](const std::string& where) {
        return invalid + "'utf-8' codec can't decode byte " + where;
    };
    const std::string s65(65, 's');
    check(std::vector<Refusal>{
        {"foo=1&resources=", strange("'foo'")},
        {"resources=VCPU:1&=x", strange("''")},
        {"it's", strange("\"it's\"")},
        {"%22it's%22", strange("'\"it\\'s\"'")},
        {"a%0D%1B%5C%C2%85%E2%80%A8%C3%A9", strange("'a\\r\\x1b\\\\\\x85\\u2028é'")},
        {"Resources=VCPU:1", strange("'Resources'")},
        {"resources+=VCPU:1", strange("'resources '")},
        {"resources%C3%A9=VCPU:1", strange("'resourcesé'")},
        // The characters next to a to z, A to Z and 0 to 9, and to the two marks.
        {"resources%60=VCPU:1", strange("'resources`'")},
        {"resources{=VCPU:1", strange("'resources{'")},
        {"resources@=VCPU:1", strange("'resources@'")},
        {"resources[=VCPU:1", strange("'resources['")},
        {"resources/=VCPU:1", strange("'resources/'")},
        {"resources:=VCPU:1", strange("'resources:'")},
        {"resources.=VCPU:1", strange("'resources.'")},
        {"resources" + s65 + "=VCPU:1", strange("'resources" + s65 + "'")},
        {"resources%0A%0A=VCPU:1", strange("'resources\\n\\n'")},
        {"root_required1=T", strange("'root_required1'")},
        {"limit%0A=1", strange("'limit\\n'")},
        {"resources=VCPU:1;limit=1&limit;x", strange("'limit;x'")},
        {"foo&bar", strange("'foo'")},
        {"limit=0", no_limit("'0'")},
        {"limit", no_limit("''")},
        {"limit=01", no_limit("'01'")},
        {"limit=+1", no_limit("' 1'")},
        {"limit=1%0A%0A", no_limit("'1\\n\\n'")},
        {"limit=1&limit=x", no_limit("'x'")},
        {"limit=x&limit=1", no_limit("'x'")},
        {"limit=" + std::string(4301, '9'), no_limit("'" + std::string(4301, '9') + "'")},
        {"group_policy=Isolate", no_policy("'Isolate'")},
        {"group_policy", no_policy("''")},
        {"group_policy=none&group_policy=bogus", no_policy("'bogus'")},
        {"resources=%FF", no_utf8("0xff in position 0")},
        {"resources=%C3", no_utf8("0xc3 in position 0")},
        {"re%ED%A0%80=1", no_utf8("0xed in position 2")},
        {"resources=%C0%80", no_utf8("0xc0 in position 0")},
        {"resources=%F4%90%80%80", no_utf8("0xf4 in position 0")},
        {"resources=\xC3", no_utf8("0xc3 in position 10")},
        {"resources=%C3\xA9", no_utf8("0xa9 in position 13")},
        {"foo=1&limit=%FF", no_utf8("0xff in position 0")},
    });
}

TEST_CASE("candidate query: root_required and same_subtree are read next (rules 2 to 5)",
          "[core][candidate_query]") {
    const auto conflict = [](const std::string& traits) {
        return "Conflicting required and forbidden traits found in root_required: " + traits;
    };
    const std::string empty_suffix =
        "Empty string (unsuffixed group) can not be specified in `same_subtree` ";
    check(std::vector<Refusal>{
        {"root_required=in:T&root_required=T",
         "Query parameter 'root_required' may be specified only once.",
         "placement.query.duplicate_key"},
        {"root_required=in:T,S",
         invalid + "The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only supported since microversion "
                   "1.39. Got: in:T,S"},
        {"root_required", empty_trait},
        {"root_required=T,+,S", empty_trait + "T, ,S"},
        {"root_required=T,!T,!", empty_trait + "T,!T,!"},
        {"root_required=T,!!T", conflict("T"), bad_value},
        {"root_required=T,S,R,!S,!T", conflict("S, T"), bad_value},
        {"root_required=T,!T&same_subtree=", conflict("T"), bad_value},
        {"same_subtree", empty_suffix, bad_value},
        {"same_subtree=1&same_subtree=1,%0A", empty_suffix, bad_value},
        {"resources=&same_subtree=1,", empty_suffix, bad_value},
    });
}

TEST_CASE("candidate query: the values of groups are read in their order (rule 6)",
          "[core][candidate_query]") {
    const auto no_integer = [](const std::string& amount) {
        return "Requested resource VCPU expected positive integer amount. Got: " + amount + ".";
    };
    const auto too_little = [](const std::string& amount) {
        return "Requested resource VCPU requires amount >= 1. Got: " + amount + ".";
    };
    const std::string no_forbidden =
        invalid +
        "The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' does not support forbidden traits. Got: ";
    const std::string several =
        "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using "
        "the valid microversion. Got: ";
    const std::string no_aggregate =
        invalid + "Expected 'member_of' parameter to contain valid UUID(s). Got: ";
    const std::string no_tree =
        invalid + "Expected 'in_tree' parameter to be a format of uuid. Got: ";
    check(std::vector<Refusal>{
        {"resources", badly_formed + "empty string."},
        {"resources1=+%E3%80%80", badly_formed + "empty string."},
        {"resources=VCPU", badly_formed + "VCPU."},
        {"resources=VCPU:1,", badly_formed + "."},
        {"resources=VCPU:1,A:B:2", badly_formed + "A:B:2."},
        {"resources=VCPU:", no_integer("")},
        {"resources=VCPU:one", no_integer("one")},
        {"resources=VCPU:1.0", no_integer("1.0")},
        {"resources=VCPU:0x1", no_integer("0x1")},
        {"resources=VCPU:1_", no_integer("1_")},
        {"resources=VCPU:_1", no_integer("_1")},
        {"resources=VCPU:1__0", no_integer("1__0")},
        {"resources=VCPU:%2B+1", no_integer("+ 1")},
        {"resources=VCPU:-%2B1", no_integer("-+1")},
        {"resources=VCPU:+", no_integer(" ")},
        {"resources=VCPU:-", no_integer("-")},
        {"resources=VCPU:1%1C", no_integer("1\x1C")},
        {"resources=VCPU:%C2%B2", no_integer("²")},
        {"resources=VCPU:" + std::string(4301, '1'), no_integer(std::string(4301, '1'))},
        {"resources=VCPU:0", too_little("0")},
        {"resources=VCPU:-0", too_little("0")},
        {"resources=VCPU:-0_0%D9%A5", too_little("-5")},
        {"resources=VCPU:-99999999999999999999", too_little("-99999999999999999999")},
        {"resources=VCPU:1,VCPU:0", too_little("0")},
        {"resources=VCPU:0&resources=VCPU:1", too_little("0")},
        {"required=T,", empty_trait + "T,"},
        {"required=!", empty_trait + "!"},
        {"required=T,!!!", empty_trait + "T,!!!"},
        {"required=in:", empty_any_trait + "in:"},
        {"required=in:T,+,!S", empty_any_trait + "in:T, ,!S"},
        {"required=in:T,+!S", no_forbidden + "in:T, !S"},
        {"member_of={A},{B}", several + "{A},{B}"},
        {"member_of=!{A},in:{B}", several + "!{A},in:{B}"},
        {"member_of=+in:{A},{B}", several + " in:{A},{B}"},
        {"member_of", no_aggregate},
        {"member_of=!", no_aggregate},
        {"member_of=+{A}", no_aggregate + " {A}"},
        {"member_of=in:{A},x,{B},y", no_aggregate + "x"},
        {"member_of=!in:{A},!{B}", no_aggregate + "!{B}"},
        {"member_of=IN:{A}", no_aggregate + "IN:{A}"},
        {"in_tree", no_tree},
        {"in_tree=+x+", no_tree + " x "},
        {"in_tree=!{A}", no_tree + "!{A}"},
        {"in_tree=x&in_tree={A}", no_tree + "x"},
        // The reason is that of the first wrong part, except that a trait or an aggregate is read
        // together with those after it.
        {"resources1=x&required=,", badly_formed + "x."},
        {"required=,&resources1=x", empty_trait + ","},
        {"required1=T&resources=x&required1=,", empty_trait + ","},
        {"required1=T&resources=x&required2=,", badly_formed + "x."},
        {"member_of={A}&in_tree=x&member_of=y", no_aggregate + "y"},
    });
}

TEST_CASE("candidate query: groups must go together (rules 7 to 11)", "[core][candidate_query]") {
    const auto resourceless = [](const std::string& suffixes) {
        return "Resourceless suffixed group request should be specified in `same_subtree` query "
               "param: bad group(s) - " +
               suffixes + ".";
    };
    const auto unreal = [](const std::string& what) {
        return "Real suffixes should be specified in `same_subtree`: " + what + ".";
    };
    const auto conflict = [](const std::string& keys) {
        return "Conflicting required and forbidden traits found in the following traits keys: " +
               keys;
    };
    const std::string no_policy =
        "The \"group_policy\" parameter is required when specifying more than one "
        "\"resources{N}\" parameter.";
    const std::string missing = "placement.query.missing_value";
    check(std::vector<Refusal>{
        {"", no_resources, missing},
        {"&&", no_resources, missing},
        {"limit=1&group_policy=none", no_resources, missing},
        {"required1=T&member_of2={A}&same_subtree=1", no_resources, missing},
        {"resources1=VCPU:1&required=T", resourceless("['']"), bad_value},
        {"resources1=VCPU:1&in_tree={A}&same_subtree=1", resourceless("['']"), bad_value},
        {"required_B=T&resources=VCPU:1&member_of_A={A}&required_C=T&same_subtree=_C,_D",
         resourceless("['_A', '_B']"),
         bad_value},
        {"resources2=VCPU:1&resources1=VCPU:1&same_subtree=1,x&same_subtree=it's",
         unreal("[\"it's\", 'x'] not found in ['2', '1']"),
         bad_value},
        {"resources=VCPU:1&same_subtree=1", unreal("['1'] not found in ['']"), bad_value},
        {"resources=VCPU:1&required=T,!T", conflict("required: (T)")},
        {"resources=VCPU:1&required=in:T,S,T&required=!T,!S", conflict("required: (S, T)")},
        {"resources_B=VCPU:1&required_B=T,S,T,!T&resources_A=VCPU:1&required_A=!U&required_A=in:U",
         conflict("required_A: (U), required_B: (T), required_B: (T)")},
        {"resources1=VCPU:1&resources2=VCPU:1", no_policy},
        {"resources=VCPU:1&resources1=VCPU:1&required2=T&same_subtree=2", no_policy},
        {"resources1=A:1&resources2=A:1&group_policy=&group_policy=none", no_policy},
    });
}

TEST_CASE("candidate query: what is taken is read as the service reads it",
          "[core][candidate_query]") {
    const std::string s64(64, 's');
    check(std::vector<Reading>{
        // Pieces and keys.
        {"&&resources=VCPU:1&", "[]; resources VCPU:1"},
        {"re%73ources=VCPU%3a1%2CDISK_GB:2", "[]; resources VCPU:1,DISK_GB:2"},
        {"resources=a=b+%zz%2:1", "[]; resources a=b %zz%2:1"},
        {"resources=é%c3%a9:1", "[]; resources éé:1"},
        {"resources0=A:1", "[0]; resources A:1"},
        {"resources_=A:1", "[_]; resources A:1"},
        {"resources-=A:1", "[-]; resources A:1"},
        {"resourcesazAZ09=A:1", "[azAZ09]; resources A:1"},
        {"resources" + s64 + "%0A=A:1", "[" + s64 + "]; resources A:1"},
        {"resources01=A:1&resources1=A:1&group_policy=none",
         "[01]; resources A:1; [1]; resources A:1"},
        {"required1=T&resources=A:1&resources1=B:1",
         "[1]; resources B:1; required (T); []; resources A:1"},
        // Resources.
        {"resources=VCPU:+1", "[]; resources VCPU:1"},
        {"resources=VCPU:%2B1", "[]; resources VCPU:1"},
        {"resources=VCPU:0_1_0", "[]; resources VCPU:10"},
        {"resources=VCPU:%C2%85%09%D9%A1_%F0%9D%9F%98%E3%80%80", "[]; resources VCPU:10"},
        {"resources=+VCPU:1,:2", "[]; resources  VCPU:1,:2"},
        {"resources=A:1,B:2,A:3", "[]; resources A:3,B:2"},
        {"resources=A:1,B:2&resources=C:3", "[]; resources C:3"},
        {"resources=A:2305843009213693951,B:2305843009213693952,C:" + std::string(4300, '9'),
         "[]; resources A:2305843009213693951,B:2305843009213693952,C:2305843009213693952"},
        // Traits.
        {"resources=A:1&required=T,+S+,T,!R,!!Q,!R",
         "[]; resources A:1; required (T) (S) (T); forbidden Q,R"},
        {"resources=A:1&required=in:T,+S,T&required=R", "[]; resources A:1; required (S|T) (R)"},
        {"resources=A:1&required=+in:T,IN:S,!in:R,!+Q",
         "[]; resources A:1; required (in:T) (IN:S); forbidden  Q,in:R"},
        {"resources=A:1&required=T,in:S", "[]; resources A:1; required (T) (in:S)"},
        {"resources=A:1&required=in:T,S&required=!T",
         "[]; resources A:1; required (S|T); forbidden T"},
        {"resources=A:1&required=T&resources1=A:1&required1=!T",
         "[]; resources A:1; required (T); [1]; resources A:1; forbidden T"},
        {"resources=A:1&required=%1C%E2%80%A8T%E3%80%80", "[]; resources A:1; required (T)"},
        // Aggregates and trees.
        {"resources=A:1&member_of={B}&member_of=in:{B},{A},{B}",
         "[]; resources A:1; member of ({B}) ({A}|{B})"},
        {"resources=A:1&member_of=!{B}&member_of={B}&member_of=!in:{A},{B}",
         "[]; resources A:1; member of ({B}); no member of {A},{B}"},
        {"resources=A:1&in_tree=%0A{A}+&in_tree=+{B}", "[]; resources A:1; in tree {B}"},
        // The rest.
        {"resources=A:1&required1=T&same_subtree=1&same_subtree=+1+,1",
         "[]; resources A:1; [1]; required (T); same subtree 1; same subtree 1"},
        {"resources2=A:1&resources1=A:1&same_subtree=2,1,2&group_policy=none",
         "[2]; resources A:1; [1]; resources A:1; same subtree 1,2"},
        {"resources=A:1&root_required=T,+S,!!R,T",
         "[]; resources A:1; root required S,T; root forbidden R"},
        {"resources=A:1&root_required=!in:T", "[]; resources A:1; root forbidden in:T"},
        {"resources=A:1&group_policy=isolate&group_policy=none", "[]; resources A:1; isolate yes"},
        {"resources=A:1&group_policy=none&group_policy=isolate", "[]; resources A:1"},
        {"resources1=A:1&resources2=A:1&group_policy=bogus&group_policy=none",
         "[1]; resources A:1; [2]; resources A:1"},
        {"resources=A:1&limit=3&limit=2", "[]; resources A:1; limit 3"},
        {"resources=A:1&limit=5%0A", "[]; resources A:1; limit 5"},
        {"resources=A:1&limit=+%D9%A1&limit=2", "[]; resources A:1; limit 1"},
        {"resources=A:1&limit=0&limit=2", "[]; resources A:1"},
        {"resources=A:1&limit=-1&limit=2", "[]; resources A:1"},
        {"resources=A:1&limit=18446744073709551616",
         "[]; resources A:1; limit 18446744073709551615"},
    });
}

TEST_CASE("candidate query: a key with a newline is another key of the same group",
          "[core][candidate_query]") {
    check(std::vector<Reading>{
        {"resources=A:1&required=T&required=S&required%0A=R", "[]; resources A:1; required (R)"},
        {"resources=A:1&required=T&required%0A=R&required=S",
         "[]; resources A:1; required (T) (S)"},
        {"resources%0A=A:1&member_of=!{A}&member_of%0A={B}", "[]; resources A:1; member of ({B})"},
        {"resources=A:1&resources%0A=B:2", "[]; resources B:2"},
    });
}

TEST_CASE("candidate query: what looks like a UUID", "[core][candidate_query]") {
    using Row = std::tuple<std::string, bool>;
    const auto [text, looks] = GENERATE(table<std::string, bool>({
        Row{"aaaaaaaa-0000-0000-0000-000000000001", true},
        Row{"AAAAAAAA-0000-0000-0000-00000000000F", true},
        Row{"aaaaaaaa000000000000000000000001", true},
        Row{"a-aaaaaaa0000000000000000-00000001-", true},
        Row{"{aaaaaaaa-0000-0000-0000-000000000001}", true},
        Row{"}{aaaaaaaa-0000-0000-0000-000000000001", true},
        Row{"urn:uuid:aaaaaaaa-0000-0000-0000-000000000001", true},
        Row{"aaaaaaaa-urn:0000-0000uuid:-0000-000000000001", true},
        Row{"uuurn:id:aaaaaaaa-0000-0000-0000-000000000001", true},
        Row{"URN:UUID:aaaaaaaa-0000-0000-0000-000000000001", false},
        Row{"-{aaaaaaaa-0000-0000-0000-000000000001}", false},
        Row{" aaaaaaaa-0000-0000-0000-000000000001", false},
        Row{"aaaaaaaa-0000-0000-0000-00000000001", false},
        Row{"aaaaaaaa-0000-0000-0000-0000000000001", false},
        Row{"gaaaaaaa-0000-0000-0000-000000000001", false},
        Row{"0xaaaaaa-0000-0000-0000-000000000001", false},
        Row{"{}", false},
        Row{"", false},
    }));
    CAPTURE(text);
    CHECK(core::looks_like_uuid(text) == looks);
}

TEST_CASE("standard names: all are there, in order", "[core][candidate_query]") {
    const auto traits = core::standard_traits();
    const auto classes = core::standard_resource_classes();
    CHECK(traits.size() == 377);
    CHECK(classes.size() == 21);
    CHECK(std::ranges::is_sorted(traits));
    CHECK(std::ranges::is_sorted(classes));
    CHECK(std::ranges::binary_search(traits, core::sharing_trait));
    CHECK(std::ranges::binary_search(classes, std::string_view("VCPU")));
}
