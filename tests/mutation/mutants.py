"""Mutants of C++ text: each differs from it in one operator, number, condition or statement.

Comments, literals, preprocessor lines, assertions and `requires` clauses are not mutated. Text that is formatted as
.clang-format says needs no parser: binary operators have spaces around them, template brackets have none.
"""
import re
from typing import NamedTuple

# What each operator is replaced with. Each replacement is a mutant of its own.
EXCHANGED = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",), "&": ("|",), "|": ("&",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "|=": ("&=",), "&=": ("|=",),
}
BINARY = re.compile(r"(?<=[\w)\]}\"'])\s(" +
                    "|".join(map(re.escape, sorted(EXCHANGED, key=len, reverse=True))) + r")(?=\s)")
STEP = re.compile(r"\+\+|--")
NOT = re.compile(r"(?<![\w)\]])!(?=[\w(:])")
NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*)(?:U|UL|ULL|L|LL)?(?![\w.'])")
LEAST_OR_MOST = re.compile(r"\b(min|max)(_element)?(?=\((?!\)))")
JUMP = re.compile(r"\b(break|continue)(?=;)")
CONDITION = re.compile(r"\b(?:if|while) \(")
CHECK = re.compile(r"\b(?:BERTH_ASSERT|BERTH_AUDIT|static_assert)\(|\brequires [^{;]*(?=\{|;)")
# A statement that can be removed: a call or an assignment. Text that begins with a type and a name is a declaration.
STATEMENT = re.compile(r"(?<=[;{}:)])(\s+)"
                       r"((?!(?:return|throw|using|delete|else|for|if|while|switch|do)\b)"
                       r"(?:\+\+|--|\*)?(?:\(void\))?"
                       r"[A-Za-z_](?:[\w.:]|->|\[[^][;{}]*\]|\([^();{}]*\))*"
                       r"(?:\([^;{}]*\)|\+\+|--| [-+*/|&%]?= [^;{}]*)?);")
TEXT = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"'
                  r'|"(?:\\.|[^"\\\n])*"'
                  r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
                  r"|//[^\n]*|/\*(?:.|\n)*?\*/"
                  r"|^[ \t]*#(?:\\\n|[^\n])*", re.M)


class Mutant(NamedTuple):
    """`text[start:end]` becomes `new`."""
    start: int
    end: int
    new: str


def blank(text, start, end):
    """`text` with only the line ends kept between two positions, so that all other positions stay the same."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def closing(text, opening):
    """The position of the bracket that closes the one at `opening`; None if there is none."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return None


def code_of(text):
    """The part of a file that can be mutated; the rest is blank. A literal stays a pair of quotation marks."""
    for found in list(TEXT.finditer(text)):
        quoted = found[0].lstrip()[0] in "\"'R"
        text = blank(text, found.start() + quoted, found.end() - quoted)
    while found := CHECK.search(text):
        end = closing(text, found.end() - 1) if found[0].endswith("(") else found.end() - 1
        text = blank(text, found.start(), end + 1)
    return text


def operators(code):
    for found in BINARY.finditer(code):
        for new in EXCHANGED[found[1]]:
            yield Mutant(found.start(1), found.end(1), new)
    for found in STEP.finditer(code):
        yield Mutant(found.start(), found.end(), "--" if found[0] == "++" else "++")
    for found in NOT.finditer(code):
        yield Mutant(found.start(), found.end(), "")


def numbers(code):
    for found in NUMBER.finditer(code):
        value = int(found[1].replace("'", ""))
        for new in (value + 1, value - 1):
            if new >= 0:
                yield Mutant(found.start(1), found.end(1), str(new))


def words(code):
    for found in LEAST_OR_MOST.finditer(code):
        yield Mutant(found.start(1), found.end(1), "max" if found[1] == "min" else "min")
    for found in JUMP.finditer(code):
        yield Mutant(found.start(), found.end(), "continue" if found[0] == "break" else "break")


def conditions(code):
    for found in CONDITION.finditer(code):
        start = found.end()
        end = closing(code, start - 1)
        if end is None:
            continue
        start = code.rfind(";", start, end) + 1 or start
        start += len(code[start:end]) - len(code[start:end].lstrip())
        if not re.search(r"[\w\]] = ", code[start:end]):  # a declaration cannot be negated
            yield Mutant(start, end, f"!({code[start:end]})")


def statements(code):
    for found in STATEMENT.finditer(code):
        if re.search(r"[-+]{2}|[(=]", found[2]):
            yield Mutant(found.start(2), found.end(), ";")


def mutants_of(text):
    """All mutants of a file's text, in the order of their positions."""
    code = code_of(text)
    kinds = (operators, numbers, words, conditions, statements)
    found = [mutant for kind in kinds for mutant in kind(code)]
    # The replacement of a condition repeats the original text of the file, not the blanked one.
    found = [mutant._replace(new=f"!({text[mutant.start:mutant.end]})")
             if mutant.new.startswith("!(") else mutant for mutant in found]
    return sorted(set(found))


def mutated(text, mutant):
    return text[:mutant.start] + mutant.new + text[mutant.end:]
