#include "schedulers/kube/decide/cel_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/parse_number.hpp"

namespace berth::core::kube {
namespace {

using Node = CelExpression::Node;
using Part = std::unique_ptr<Node>;

struct Token {
    enum class Kind : std::uint8_t { text, number, name, sign, end };
    Kind kind = Kind::end;
    std::string text;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// What is right in CEL, and is not evaluated here.
[[noreturn]] void refuse(std::string_view what) {
    throw CelUnsupported(fmt::format(
        "{} is not evaluated: expected comparisons, &&, ||, !, in, has(), quantity(), semver(), "
        "compareTo(), isGreaterThan(), isLessThan(), startsWith(), endsWith(), contains() or "
        "lowerAscii()",
        what));
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> tokens() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                ++at_;
            } else if (c == '"' || c == '\'') {
                read_text(c);
            } else if (is_digit(c) || (c == '-' && begins_negative())) {
                read_while(Token::Kind::number, is_digit);
            } else if (begins_name(c)) {
                read_while(Token::Kind::name, [](char d) { return begins_name(d) || is_digit(d); });
            } else {
                read_sign();
            }
        }
        tokens_.push_back({Token::Kind::end, ""});
        return std::move(tokens_);
    }

private:
    [[nodiscard]] bool begins_negative() const {
        return at_ + 1 < text_.size() && is_digit(text_[at_ + 1]) &&
               (tokens_.empty() || tokens_.back().kind == Token::Kind::sign);
    }

    template <typename Belongs>
    void read_while(Token::Kind kind, Belongs belongs) {
        const std::size_t start = at_++;
        while (at_ < text_.size() && belongs(text_[at_])) {
            ++at_;
        }
        tokens_.push_back({kind, std::string(text_.substr(start, at_ - start))});
    }

    void read_text(char quote) {
        std::string read;
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] != '\\') {
                read += text_[at_];
                continue;
            }
            constexpr std::string_view escapes = "\\\"'nt";
            const std::size_t escape =
                ++at_ < text_.size() ? escapes.find(text_[at_]) : std::string_view::npos;
            if (escape == std::string_view::npos) {
                refuse("an escape other than \\\\, \\\", \\', \\n and \\t");
            }
            read += "\\\"'\n\t"[escape];
        }
        if (at_ == text_.size()) {
            throw CelCompileError("Syntax error: a text has no end");
        }
        ++at_;
        tokens_.push_back({Token::Kind::text, std::move(read)});
    }

    void read_sign() {
        constexpr std::array<std::string_view, 6> pairs{"==", "!=", "<=", ">=", "&&", "||"};
        const std::string_view two = text_.substr(at_, 2);
        const bool is_pair = std::ranges::find(pairs, two) != pairs.end();
        const std::string_view sign = is_pair ? two : two.substr(0, 1);
        if (!is_pair && std::string_view("+-*/%?:{}").find(sign) != std::string_view::npos) {
            refuse(sign);
        }
        at_ += sign.size();
        tokens_.push_back({Token::Kind::sign, std::string(sign)});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

/// Reads expressions by recursive descent, as far as CEL's own parser goes.
class Parser {
public:
    explicit Parser(std::string_view text) : tokens_(Lexer(text).tokens()) {}

    Part parse() {
        Part root = either();
        if (now().kind != Token::Kind::end) {
            fail();
        }
        return root;
    }

private:
    [[nodiscard]] const Token& now() const { return tokens_[at_]; }
    [[noreturn]] void fail() const {
        throw CelCompileError(now().kind == Token::Kind::end
                                  ? "Syntax error: the expression ends too early"
                                  : fmt::format("Syntax error at '{}'", now().text));
    }

    bool takes(std::string_view sign) {
        const Token& token = now();
        const bool is_word = token.kind == Token::Kind::name && sign == "in";
        if ((token.kind == Token::Kind::sign || is_word) && token.text == sign) {
            ++at_;
            return true;
        }
        return false;
    }
    void need(std::string_view sign) {
        if (!takes(sign)) {
            fail();
        }
    }

    static Part node(Node::Kind kind, std::string name = "") {
        auto made = std::make_unique<Node>();
        made->kind = kind;
        made->name = std::move(name);
        return made;
    }
    /// Adds a part of a node, which must not become too high for an evaluation by recursion.
    static void add(Node& whole, Part part) {
        whole.height = std::max(whole.height, part->height + 1);
        check_height(whole.height);
        whole.parts.push_back(std::move(part));
    }
    static void check_height(std::size_t height) {
        constexpr std::size_t most = 250;
        if (height > most) {
            throw CelCompileError(fmt::format("expression recursion limit exceeded: {}", most));
        }
    }

    Part either() {
        check_height(++depth_);
        Part read = joined(Node::Kind::either, "||", &Parser::both);
        --depth_;
        return read;
    }
    Part both() { return joined(Node::Kind::both, "&&", &Parser::relation); }

    /// Operands between the same operator, all in one node.
    Part joined(Node::Kind kind, std::string_view sign, Part (Parser::*operand)()) {
        Part first = (this->*operand)();
        if (!takes(sign)) {
            return first;
        }
        Part made = node(kind);
        add(*made, std::move(first));
        do {
            add(*made, (this->*operand)());
        } while (takes(sign));
        return made;
    }
    Part relation() {
        Part left = negation();
        for (bool more = true; more;) {
            more = false;
            for (const char* sign : {"==", "!=", "<=", ">=", "<", ">", "in"}) {
                if (takes(sign)) {
                    Part made = node(Node::Kind::relation, sign);
                    add(*made, std::move(left));
                    add(*made, negation());
                    left = std::move(made);
                    more = true;
                    break;
                }
            }
        }
        return left;
    }
    Part negation() {
        std::size_t count = 0;
        while (takes("!")) {
            ++count;
        }
        Part inner = postfix();
        if (count % 2 == 0) {
            return inner;
        }
        Part made = node(Node::Kind::negation);
        add(*made, std::move(inner));
        return made;
    }

    void read_list(std::string_view end, Node& whole) {
        while (!takes(end)) {
            add(whole, either());
            if (!takes(",") && now().text != end) {
                fail();
            }
        }
    }

    Part name() {
        const std::string word = tokens_[at_++].text;
        if (word == "true" || word == "false") {
            Part made = node(Node::Kind::literal);
            made->value = CelValue(word == "true");
            return made;
        }
        if (takes("(")) {
            Part made = node(Node::Kind::call, word);
            read_list(")", *made);
            check_call(*made);
            return made;
        }
        if (word == "cel" || word == "null" || word == "math" || word == "optional" ||
            word == "r" || word == "b") {
            refuse(word);
        }
        if (word != "device") {
            throw CelCompileError(fmt::format("undeclared reference to '{}'", word));
        }
        return node(Node::Kind::device);
    }

    static void check_call(const Node& call) {
        constexpr std::array known{"size",     "int",     "uint",       "double",   "string",
                                   "bytes",    "bool",    "timestamp",  "type",     "dyn",
                                   "duration", "matches", "isQuantity", "isSemver", "url",
                                   "isURL",    "ip",      "isIP",       "cidr",     "isCIDR"};
        if (std::ranges::find(known, call.name) != known.end()) {
            refuse(call.name + "()");
        }
        if (call.name != "has" && call.name != "quantity" && call.name != "semver") {
            throw CelCompileError(fmt::format("undeclared reference to '{}'", call.name));
        }
        if (call.parts.size() != 1) {
            throw CelCompileError(fmt::format("found no matching overload for '{}'", call.name));
        }
    }

    static void check_method(const std::string& method) {
        constexpr std::array evaluated{"compareTo",
                                       "isGreaterThan",
                                       "isLessThan",
                                       "startsWith",
                                       "endsWith",
                                       "contains",
                                       "lowerAscii"};
        if (std::ranges::find(evaluated, method) == evaluated.end()) {
            refuse(method + "()");
        }
    }

    Part primary() {
        const Token& token = now();
        switch (token.kind) {
            case Token::Kind::text:
            case Token::Kind::number: {
                Part made = node(Node::Kind::literal);
                if (token.kind == Token::Kind::text) {
                    made->value = CelValue(token.text);
                } else {
                    const auto number = parse_number<std::int64_t>(token.text);
                    if (!number) {
                        throw CelCompileError(
                            fmt::format("Syntax error: {} is no number", token.text));
                    }
                    made->value = CelValue(*number);
                }
                ++at_;
                return made;
            }
            case Token::Kind::name:
                return name();
            case Token::Kind::sign:
            case Token::Kind::end:
                break;
        }
        if (takes("(")) {
            Part inner = either();
            need(")");
            return inner;
        }
        need("[");
        Part made = node(Node::Kind::list);
        read_list("]", *made);
        return made;
    }

    Part member(Part object) {
        if (now().kind == Token::Kind::number) {
            refuse("a number with a fraction");
        }
        if (now().kind != Token::Kind::name) {
            fail();
        }
        const std::string word = tokens_[at_++].text;
        if (takes("(")) {
            check_method(word);
            Part made = node(Node::Kind::method, word);
            add(*made, std::move(object));
            read_list(")", *made);
            return made;
        }
        constexpr std::array fields{"driver", "attributes", "capacity", "allowMultipleAllocations"};
        if (object->kind == Node::Kind::device && std::ranges::find(fields, word) == fields.end()) {
            throw CelCompileError(fmt::format("undefined field '{}'", word));
        }
        Part made = node(Node::Kind::member, word);
        add(*made, std::move(object));
        return made;
    }

    Part postfix() {
        Part made = primary();
        for (;;) {
            if (takes(".")) {
                made = member(std::move(made));
            } else if (takes("[")) {
                Part whole = node(Node::Kind::index);
                add(*whole, std::move(made));
                add(*whole, either());
                need("]");
                made = std::move(whole);
            } else {
                return made;
            }
        }
    }

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

Part parse_cel(std::string_view text) {
    constexpr std::size_t longest = 10240;  // CELSelectorExpressionMaxLength
    if (text.size() > longest) {
        throw CelCompileError(fmt::format("the expression has more than {} bytes", longest));
    }
    return Parser(text).parse();
}

}  // namespace berth::core::kube
