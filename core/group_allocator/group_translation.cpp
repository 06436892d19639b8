#include "core/group_allocator/group_translation.hpp"

#include <algorithm>
#include <array>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>

#include "core/support/assert.hpp"
#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

constexpr std::string_view cards = "/cards";
constexpr GroupStage stage0{"/gpugrp0/", "/gpu/"};
constexpr GroupStage stage1{"/gpugrp1/", "/gpugrp0/"};
constexpr auto none = std::string_view::npos;
/// The translation of up to this many requests needs no memory but that of their names.
constexpr std::size_t few = 16;

/// A name and the positions of its slashes. Everything that is looked for in it begins with a
/// slash, so each of its characters is read only once for all stages.
class SlashedName {
public:
    explicit SlashedName(std::string_view text) : text_(text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '/') {
                slashes_.push_back(static_cast<std::uint32_t>(i));
            }
        }
    }
    [[nodiscard]] std::string_view text() const { return text_; }
    /// The position of the first `needle` that begins at or after `at`.
    [[nodiscard]] std::size_t find_first(std::string_view needle, std::size_t at = 0) const {
        for (const std::uint32_t slash : slashes_) {
            if (slash >= at && stands_at(needle, slash)) {
                return slash;
            }
        }
        return none;
    }
    /// The position of the last `needle` that begins at or before `at`.
    [[nodiscard]] std::size_t find_last(std::string_view needle, std::size_t at = none) const {
        for (std::size_t i = slashes_.size(); i-- > 0;) {
            if (slashes_[i] <= at && stands_at(needle, slashes_[i])) {
                return slashes_[i];
            }
        }
        return none;
    }
    /// What stands between the last `open` that a `close` follows and the first such `close`: what
    /// `.*open(.*?)close` captures.
    [[nodiscard]] std::optional<std::string_view> between(std::string_view open,
                                                          std::string_view close) const {
        const std::size_t last_close = find_last(close);
        if (last_close == none || last_close < open.size()) {
            return std::nullopt;
        }
        const std::size_t at = find_last(open, last_close - open.size());
        if (at == none) {
            return std::nullopt;
        }
        const std::size_t begin = at + open.size();
        return text_.substr(begin, find_first(close, begin) - begin);
    }

private:
    /// The last character is compared first, since it rules out most names without a call.
    [[nodiscard]] bool stands_at(std::string_view needle, std::size_t at) const {
        const std::size_t last = needle.size() - 1;
        return at + last < text_.size() && text_[at + last] == needle[last] &&
               text_.substr(at, last + 1) == needle;
    }

    std::string_view text_;
    boost::container::small_vector<std::uint32_t, 12> slashes_;
};

/// The card that a name belongs to: `x` of `resource/group.../gpu/x/cards`.
std::optional<std::string_view> card(std::string_view name) {
    const std::size_t at = name.find(group_prefix);
    return at == none
               ? std::nullopt
               : SlashedName(name.substr(at + group_prefix.size())).between(stage0.next, cards);
}

/// A decimal number with or without sign; nothing if it does not fit.
std::optional<std::int64_t> integer(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) {
        text.remove_prefix(1);
    }
    return parse_number<std::int64_t>(text);
}

/// Hands out numbers above those in use. The largest number is followed by the smallest, as in the
/// published program.
class Numbers {
public:
    void in_use(std::string_view number) {
        if (const auto value = integer(number); value && *value >= next()) {
            next_ = static_cast<std::uint64_t>(*value) + 1;
        }
    }
    std::int64_t take() { return static_cast<std::int64_t>(next_++); }

private:
    [[nodiscard]] std::int64_t next() const { return static_cast<std::int64_t>(next_); }
    std::uint64_t next_ = 0;
};

/// A name with two groups while it is being written. This is cheaper than a string, which checks
/// its room for each piece.
class Text {
public:
    Text& operator<<(std::string_view piece) {
        BERTH_AUDIT(std::cmp_less_equal(piece.size(), bytes_.data() + bytes_.size() - end_),
                    "two groups and a card fit into the text");
        end_ = std::copy(piece.begin(), piece.end(), end_);
        return *this;
    }
    Text& operator<<(std::int64_t number) {
        end_ = std::to_chars(end_, bytes_.data() + bytes_.size(), number).ptr;
        return *this;
    }
    [[nodiscard]] std::string_view view() const { return {bytes_.data(), end_}; }

private:
    std::array<char, 128> bytes_;
    char* end_ = bytes_.data();
};

/// Sorts by name. Of entries with equal names, only the last stays.
void sort_by_name(GroupAmountList& amounts) {
    const auto name = [](const auto& entry) -> const std::string& { return entry.first; };
    if (std::ranges::adjacent_find(amounts, std::ranges::greater_equal{}, name) == amounts.end()) {
        return;
    }
    std::ranges::stable_sort(amounts, {}, name);
    auto out = amounts.begin();
    for (auto entry = amounts.begin(); entry != amounts.end(); ++entry) {
        if (entry + 1 != amounts.end() && name(entry[1]) == name(*entry)) {
            continue;
        }
        if (out != entry) {
            *out = std::move(*entry);
        }
        ++out;
    }
    amounts.erase(out, amounts.end());
}

/// Whether the name has neither a stage nor a card in it.
bool is_plain(std::string_view name) {
    for (std::size_t at = name.find("/gpu"); at != none; at = name.find("/gpu", at + 1)) {
        const std::string_view rest = name.substr(at);
        if (rest.starts_with(stage0.next) || rest.starts_with(stage0.here) ||
            rest.starts_with(stage1.here)) {
            return false;
        }
    }
    return true;
}

using Numbering = boost::container::small_vector<std::int64_t, few>;

/// The numbers 0 ... count - 1 in the byte order of their decimal texts: 0, 1, 10, 11, 2, ...
Numbering in_byte_order(std::int64_t count) {
    BERTH_ASSERT(count > 0, "there is a number to begin with");
    Numbering order;
    order.reserve(static_cast<std::size_t>(count));
    order.push_back(0);
    for (std::int64_t number = 1; static_cast<std::int64_t>(order.size()) < count;) {
        order.push_back(number);
        if (number <= (count - 1) / 10) {
            number *= 10;
        } else {
            for (; number % 10 == 9 || number + 1 >= count;) {
                number /= 10;
            }
            ++number;
        }
    }
    return order;
}

/// Appends the result of translating `count` cards in no group, without the steps between. At each
/// stage the numbers go to the names in byte order, so the numbers of each level are a permutation
/// of those below.
void append_cards(std::int64_t count, const GpuLevels& levels, GroupAmountList& out) {
    const Numbering order = in_byte_order(count);
    const auto after = [&](std::int64_t number) { return order[static_cast<std::size_t>(number)]; };
    for (std::int64_t number : order) {
        Text name;
        name << group_prefix;
        if (levels.group0 && levels.group1) {
            name << stage1.here << number;
            number = after(number);
        }
        if (levels.group0) {
            name << stage0.here << number;
            number = after(number);
        }
        name << stage0.next << number << cards;
        out.emplace_back(name.view(), 1);
    }
}

/// Adds cards in no group until there are `count`, including those that are named.
void append_unnamed_cards(std::int64_t count, GroupAmountList& requests) {
    Numbers numbers;
    std::int64_t have = 0;
    for (const auto& [name, amount] : requests) {
        if (const auto number = card(name)) {
            ++have;
            numbers.in_use(*number);
        }
    }
    if (have >= count) {
        return;
    }
    for (; have < count; ++have) {
        Text name;
        name << group_prefix << stage0.next << numbers.take() << cards;
        requests.emplace_back(name.view(), 1);
    }
    sort_by_name(requests);
}

using SlashedNames = boost::container::small_vector<SlashedName, few>;

SlashedNames slashed_names(const GroupAmountList& requests) {
    SlashedNames names;
    names.reserve(requests.size());
    for (const auto& [name, amount] : requests) {
        names.emplace_back(name);
    }
    return names;
}

std::optional<std::string_view> enclosing_part(const GroupStage& stage, const SlashedName& name) {
    return name.between(stage.here, stage.next.substr(0, stage.next.size() - 1));
}

/// A request that a stage renames.
struct Rename {
    std::size_t request = 0;
    std::size_t at = 0;        ///< The position where the part `next` begins.
    std::string_view index{};  ///< The index of `next`.
    std::int64_t number = 0;   ///< The number of the group that it gets.
};
using Renames = boost::container::small_vector<Rename, few>;

/// Gives each index a number, in the order of the requests.
void number_groups(Renames& renames, Numbers& numbers) {
    using Number = std::pair<std::string_view, std::int64_t>;
    boost::container::flat_map<std::string_view,
                               std::int64_t,
                               std::less<>,
                               boost::container::small_vector<Number, few>>
        number_of;
    const Rename* before = nullptr;
    for (Rename& rename : renames) {
        if (before != nullptr && before->index == rename.index) {
            rename.number = before->number;
        } else {
            const auto [entry, fresh] = number_of.try_emplace(rename.index);
            if (fresh) {
                entry->second = numbers.take();
            }
            rename.number = entry->second;
        }
        before = &rename;
    }
}

/// Does the work of translate_stage(). `names` are the names of the requests; they are out of date
/// when this returns true.
bool translate(const GroupStage& stage, const SlashedNames& names, GroupAmountList& requests) {
    Numbers numbers;
    Renames renames;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const SlashedName& name = names[i];
        if (const auto number = enclosing_part(stage, name)) {
            numbers.in_use(*number);
            continue;
        }
        const std::size_t at = name.find_first(stage.next);
        const std::size_t index = at + stage.next.size();
        const std::size_t end = at == none ? none : name.find_first("/", index);
        if (end != none) {
            renames.push_back({i, at + 1, name.text().substr(index, end - index)});
        }
    }
    if (renames.empty()) {
        return false;
    }
    number_groups(renames, numbers);
    std::string group;
    for (const Rename& rename : renames) {
        Text number;
        number << rename.number << "/";
        group.assign(stage.here.substr(1)).append(number.view());
        requests[rename.request].first.insert(rename.at, group);
    }
    sort_by_name(requests);
    return true;
}

/// The same as append_cards() for requests that name cards or groups themselves.
GroupAmountList translate_named(std::int64_t count,
                                const GpuLevels& levels,
                                const GroupAmountList& requests) {
    GroupAmountList out;
    out.reserve(requests.size() + static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    for (const auto& request : requests) {
        std::string& name = out.emplace_back(std::string(), request.second).first;
        name.reserve(request.first.size() + 32);  // room for two groups
        name += request.first;
    }
    if (count > 0) {
        append_unnamed_cards(count, out);
    }
    SlashedNames names = slashed_names(out);
    if (levels.group0 && translate(stage0, names, out)) {
        names = slashed_names(out);
    }
    if (levels.group1) {
        translate(stage1, names, out);
    }
    return out;
}

}  // namespace

std::optional<std::string_view> GroupStage::enclosing(std::string_view name) const {
    return enclosing_part(*this, SlashedName(name));
}

bool translate_stage(const GroupStage& stage, GroupAmountList& requests) {
    return translate(stage, slashed_names(requests), requests);
}

void GpuLevels::see(std::string_view name) {
    gpu = gpu || card(name).has_value();
    group0 = group0 || stage0.enclosing(name).has_value();
    group1 = group1 || stage1.enclosing(name).has_value();
}

GpuLevels gpu_levels(const GroupAmounts& node) {
    GpuLevels levels;
    for (const auto& [name, amount] : node) {
        levels.see(name);
    }
    return levels;
}

GroupAmountList translate_gpu_requests(std::int64_t count,
                                       const GpuLevels& levels,
                                       const GroupAmountList& requests) {
    if (!levels.gpu) {
        return requests;
    }
    if (!std::ranges::all_of(requests, is_plain, &GroupAmountList::value_type::first)) {
        return translate_named(count, levels, requests);
    }
    GroupAmountList out;
    out.reserve(requests.size() + static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    out.insert(out.end(), requests.begin(), requests.end());
    if (count <= 0) {
        return out;
    }
    append_cards(count, levels, out);
    const auto middle = out.begin() + static_cast<std::ptrdiff_t>(requests.size());
    if (middle != out.begin() && middle->first < (middle - 1)->first) {
        std::inplace_merge(out.begin(), middle, out.end());
    }
    return out;
}

}  // namespace berth::core
